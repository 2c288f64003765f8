/** An experiment that exists as a manifest, and one that becomes a manifest. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fromManifest, planChaos, podDelete } from 'turnsole';

test('what a builder makes is the manifest that others apply, and the other way round', async () => {
  const manifests = await readFile(new URL('app.yaml', import.meta.url), 'utf8');
  const built = podDelete({ target: 'deployment/web', duration: '15s', interval: '5s' });
  const yaml = built.toManifest({ account: true, experiments: true });
  const plan = await planChaos(fromManifest(yaml, 'chaos.yaml'), { manifests });
  assert.equal(plan.wouldRun, true, JSON.stringify(plan.problems));
  assert.deepEqual(
    plan.faults.map(({ fault, durationSeconds, rounds }) => ({ fault, durationSeconds, rounds })),
    [{ fault: 'pod-delete', durationSeconds: 15, rounds: 3 }],
  );
});
