import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { startExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import { engine } from '../../../test/support/manifests.ts';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';
import { parseManifests } from '../manifests/load.ts';
import { runEngine } from './engine-run.ts';

/** Runs an engine on a cluster without an operator. */
async function runWithoutOperator(context: TestContext, stop: AbortSignal) {
  const { client } = await startExperimentCluster(context);
  const [manifest] = parseManifests('chaos.yaml', engine(), []);
  assert.ok(manifest !== undefined);
  const { signal } = new AbortController();
  const nothing = (): void => {};
  const outcome = await runEngine(manifest, {
    apply: { client, kinds: new KindResolver(client), namespace: 'default', signal },
    clock: fastClock(200),
    progress: {
      step: nothing,
      entry: nothing,
      log: nothing,
      live: nothing,
      workflow: nothing,
      close: nothing,
    },
    stop,
  });
  const left = await client.get<ChaosEngine>(CHAOS_ENGINES, 'web-chaos', { namespace: 'default' });
  return { reason: outcome.reason, engineState: left.spec.engineState };
}

test('an engine that no operator takes up ends with an error that says so, and does not begin later', async (context) => {
  const { reason, engineState } = await runWithoutOperator(context, new AbortController().signal);
  assert.match(reason ?? '', /no operator took the engine up within 30 s/);
  assert.equal(engineState, 'stop');
});

test('a stop before an operator takes the engine up is over at once', async (context) => {
  const ended = await runWithoutOperator(context, AbortSignal.abort());
  assert.deepEqual(ended, { reason: 'stopped before it began', engineState: 'stop' });
});
