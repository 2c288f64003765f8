/** The timeline of a run whose engine is deleted and whose Events are gone, as users ask for it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { EVENTS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { CHAOS_ENGINES, type TimelineEntry } from '../../src/api/index.ts';
import { chaosAccount, documents, engine, experiment, webApp } from '../support/manifests.ts';
import { type CommandOutcome, turnsole } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

const NAMESPACE = 'default';

describe('turnsole timeline of an engine that is gone', () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await detachedCluster();
    await applyText(cluster.client, documents(webApp(), chaosAccount(), experiment('pod-delete')));
    const file = join(cluster.folder, 'engine.yaml');
    await writeFile(file, engine());
    const ran = await turnsole(['run', file, '--kubeconfig', cluster.kubeconfig]);
    assert.equal(ran.code, 0, ran.stdout + ran.stderr);
    await cluster.client.delete(CHAOS_ENGINES, 'web-chaos', { namespace: NAMESPACE });
    await waitForObject(cluster.client, CHAOS_ENGINES, 'web-chaos', (found) => found === undefined, {
      namespace: NAMESPACE,
      timeoutMs: PATIENCE_MS,
    });
    // They would expire after an hour.
    await cluster.client.deleteCollection(EVENTS, { namespace: NAMESPACE });
  });
  after(() => cluster[Symbol.asyncDispose]());

  const ask = (name: string, ...args: string[]): Promise<CommandOutcome> =>
    turnsole(['timeline', name, '--kubeconfig', cluster.kubeconfig, ...args]);

  const STEPS = [
    'EngineCreated',
    'EngineInitialized',
    'RunnerCreated',
    'RunnerStarted',
    'JobCreated',
    'ExperimentPodCreated',
    'ExperimentStarted',
    'ChaosStarted',
    'Injected',
    'ChaosEnded',
    'Verdict',
    'ExperimentEnded',
    'EngineCompleted',
    'EngineDeleted',
  ];

  for (const name of ['web-chaos', 'web-chaos-pod-delete']) {
    it(`has every step from creation to removal, asked by ${name}`, async () => {
      const { code, stdout, stderr } = await ask(name, '-o', 'json');
      assert.equal(code, 0, stderr);
      const entries = JSON.parse(stdout) as TimelineEntry[];
      const found = entries.map(({ step }) => step);
      assert.deepEqual(
        STEPS.filter((step) => !found.includes(step)),
        [],
        found.join(),
      );
      assert.deepEqual([found[0], found.at(-1)], ['EngineCreated', 'EngineDeleted']);
      const order = STEPS.map((step) => found.indexOf(step));
      assert.deepEqual(
        [...order].sort((a, b) => a - b),
        order,
        found.join(),
      );
      for (const { time, actor, message } of entries) assert.ok(time && actor && message);
    });
  }

  it('as text and as a page', async () => {
    const [text, page] = await Promise.all([ask('web-chaos'), ask('web-chaos', '-o', 'html')]);
    assert.equal(text.code, 0, text.stderr);
    assert.match(text.stdout, /^\S+Z {2}user +EngineCreated +ChaosEngine default\/web-chaos was created$/m);
    assert.match(text.stdout, /operator +EngineDeleted +ChaosEngine default\/web-chaos is deleted$/m);
    assert.equal(page.code, 0, page.stderr);
    assert.match(page.stdout, /<!doctype html>/i);
    for (const step of ['EngineCreated', 'Injected', 'EngineDeleted'])
      assert.ok(page.stdout.includes(step), step);
  });

  it('says what it looked for when there is nothing', async () => {
    const { code, stderr } = await ask('nobody');
    assert.equal(code, 2);
    assert.match(
      stderr,
      /neither a ChaosEngine default\/nobody, nor results of one, nor a ChaosResult or Workflow of that name/,
    );
  });
});
