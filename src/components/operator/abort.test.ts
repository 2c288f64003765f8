/** How long an abort lets pods revert, and that it waits for them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  endlessExperiment,
  engineOf,
  type Run,
  startStandIn,
  storeResult,
  untilAborted,
} from '../../../test/support/stand-in-cluster.ts';
import { LABEL_APP } from '../../api/index.ts';

const GRACES: readonly [seconds: number | undefined, expected: number][] = [
  [7, 7],
  // Zero is what upstream's field holds when it is unset.
  [0, 30],
  [undefined, 30],
];

for (const [seconds, expected] of GRACES) {
  test(`abort: with terminationGracePeriodSeconds ${seconds} the grace period is that of the engine: ${expected}`, async (context) => {
    const reverting = Promise.withResolvers<void>();
    const reverted = Promise.withResolvers<void>();
    const slow: Run = async (program) => {
      await storeResult(program, 'Running', 'Awaited');
      await untilAborted(program.signal);
      reverting.resolve();
      await reverted.promise;
      await storeResult(program, 'Stopped', 'Stopped');
      return 1;
    };
    // Registered first: the stand-in's own end waits for its programs.
    context.after(() => reverted.resolve());
    const cluster = await startStandIn(context, { experiment: slow, isBinding: true });
    await cluster.experiment('pod-delete');
    const spec = seconds === undefined ? {} : { terminationGracePeriodSeconds: seconds };
    await cluster.apply(engineOf('web', ['pod-delete'], spec));
    await cluster.engine('web', ({ status }) => status?.experiments?.[0]?.status === 'Running');
    await cluster.resultWhen('web-pod-delete', ({ status }) => status !== undefined);
    await cluster.patch('web', { spec: { engineState: 'stop' } });
    await reverting.promise;
    const pod = (await cluster.pods()).find(({ metadata }) => metadata.labels?.[LABEL_APP] === undefined);
    assert.equal(pod?.metadata.deletionGracePeriodSeconds, expected);
    const engine = await cluster.engine('web', () => true);
    assert.equal(engine.status?.engineStatus, 'initialized', 'it is not over while a pod reverts');
    assert.ok((engine.metadata.finalizers ?? []).length > 0);
    reverted.resolve();
    await cluster.ended('web', 'stopped');
    assert.deepEqual([await cluster.pods(), await cluster.jobs()], [[], []]);
  });
}

test('abort: its last step has one time in the engine and in the results, so that it appears once', async (context) => {
  const cluster = await startStandIn(context, { experiment: endlessExperiment });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  await cluster.engine('web', ({ status }) => status?.experiments?.[0]?.status === 'Running');
  await cluster.resultWhen('web-pod-delete', ({ status }) => status !== undefined);
  await cluster.patch('web', { spec: { engineState: 'stop' } });
  const engine = await cluster.ended('web', 'stopped');
  const result = await cluster.result('web-pod-delete');
  const ends = [...(engine.status?.timeline ?? []), ...(result.status?.engineTimeline ?? [])].filter(
    ({ step }) => step === 'EngineStopped',
  );
  assert.deepEqual(
    ends.map(({ actor }) => actor),
    ['operator', 'operator'],
  );
  assert.deepEqual(ends[0], ends[1]);
});
