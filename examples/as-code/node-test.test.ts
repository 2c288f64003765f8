/** Chaos in a test of node:test: the service answers while its pods are deleted. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { httpProbe, podDelete, runChaos } from 'turnsole';

test('the service answers while its pods are deleted', async (t) => {
  const manifests = await readFile(new URL('app.yaml', import.meta.url), 'utf8');
  const result = await runChaos(
    podDelete({
      target: 'deployment/web',
      duration: '6s',
      interval: '3s',
      podsAffected: '34%',
      probes: [
        httpProbe({
          name: 'web-answers',
          url: 'http://web.default.svc.cluster.local:8080/',
          method: { get: { criteria: '==', responseCode: '200' } },
          every: '500ms',
          attempts: 3,
          pause: '200ms',
        }),
      ],
    }),
    // An abort, such as that of a test that takes too long, reverts what is in force.
    { manifests, signal: t.signal },
  );
  assert.equal(result.verdict, 'Pass', result.reason);
  assert.ok(result.injections.length > 0);
  t.diagnostic(result.probes[0]?.description ?? '');
});
