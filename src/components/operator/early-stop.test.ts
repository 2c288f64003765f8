/** An engine is stopped when its experiments say that nothing is in force, before the kubelet reports the end of their pods. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { statusOptions } from '@turnsole/kube/client/status-subresources';
import type { KubeClient } from '@turnsole/kube/client/types';
import {
  engineOf,
  NAMESPACE,
  type Program,
  type Run,
  type StandInCluster,
  startStandIn,
  storeResult,
  untilAborted,
} from '../../../test/support/stand-in-cluster.ts';
import {
  CHAOS_RESULTS,
  type ChaosEngine,
  ENGINE_FINALIZER,
  LABEL_RUN_ID,
  type LedgerEntry,
} from '../../api/index.ts';
import { startOperator } from './start-operator.ts';

const OPEN: LedgerEntry = {
  id: 'r.r0.web-1',
  fault: 'pod-cpu-hog',
  target: { kind: 'pod', namespace: NAMESPACE, name: 'web-1' },
  parameters: {},
  state: 'injected',
};

async function patchStatus({ client, env }: Program, status: object): Promise<void> {
  const options = await statusOptions(client, CHAOS_RESULTS, { namespace: NAMESPACE });
  const name = `${env.CHAOSENGINE}-${env.EXPERIMENT_NAME}`;
  await client.patch(CHAOS_RESULTS, name, 'merge', { status }, options);
}

/** The last word of an experiment, as the real one says it. */
async function sayLastWord(program: Program): Promise<void> {
  const { metadata } = program.pod;
  const closed = { runId: metadata.labels?.[LABEL_RUN_ID], pod: metadata.name };
  const experimentStatus = { phase: 'Stopped', verdict: 'Stopped', probeSuccessPercentage: '0' };
  await patchStatus(program, { closed, experimentStatus });
}

/** An experiment that says its last word when it is aborted, and whose pod ends when it is let. */
function lingering(
  context: TestContext,
  beforeLastWord: (program: Program) => Promise<void> = async () => {},
) {
  const end = Promise.withResolvers<void>();
  // Registered first: the end of the stand-in waits for its programs.
  context.after(() => end.resolve());
  const run: Run = async (program) => {
    await storeResult(program, 'Running', 'Awaited');
    await untilAborted(program.signal);
    await beforeLastWord(program);
    await sayLastWord(program);
    await end.promise;
    return 1;
  };
  return { run, end: () => end.resolve() };
}

/** Starts a run and stops it when all of it is at work. */
async function stopRun(
  cluster: StandInCluster,
  experiments: readonly string[],
  count: number,
): Promise<void> {
  for (const name of experiments) await cluster.experiment(name);
  await cluster.apply(engineOf('web', experiments));
  await cluster.engine(
    'web',
    ({ status }) => status?.experiments?.filter((entry) => entry.status === 'Running').length === count,
  );
  await cluster.resultWhen(`web-${experiments[0]}`, ({ status }) => status !== undefined);
  await cluster.patch('web', { spec: { engineState: 'stop' } });
}

const isReleased = ({ metadata }: ChaosEngine): boolean => (metadata.finalizers ?? []).length === 0;

for (const statusSubresource of [false, true]) {
  const kind = statusSubresource ? 'status as subresource' : 'status in the object';
  test(`early stop (${kind}): the last word is enough, the finalizer stays until the pods are gone`, async (context) => {
    const { run, end } = lingering(context);
    const cluster = await startStandIn(context, { statusSubresource, experiment: run, isBinding: true });
    await stopRun(cluster, ['pod-delete'], 1);
    const stopped = await cluster.ended('web', 'stopped');
    assert.deepEqual(stopped.metadata.finalizers, [ENGINE_FINALIZER]);
    assert.equal(stopped.status?.experiments?.[0]?.verdict, 'Stopped');
    assert.match(
      stopped.status?.timeline?.at(-1)?.message ?? '',
      /^nothing is in force any more; \d pods? (is|are) still ending$/,
    );
    assert.ok((await cluster.pods()).length > 0, 'the experiment’s pod has not ended');
    end();
    await cluster.engine('web', isReleased);
    assert.deepEqual([await cluster.pods(), await cluster.jobs()], [[], []]);
  });
}

test('early stop: an operator that follows one that died removes what is left', async (context) => {
  const { run, end } = lingering(context);
  const cluster = await startStandIn(context, { experiment: run, isBinding: true, operator: false });
  const first = await startOperator({ client: cluster.client });
  context.after(() => first.stop());
  await stopRun(cluster, ['pod-delete'], 1);
  await cluster.ended('web', 'stopped');
  await first.stop();
  const second = await startOperator({ client: cluster.client });
  context.after(() => second.stop());
  end();
  await cluster.engine('web', isReleased);
  assert.deepEqual([await cluster.pods(), await cluster.jobs()], [[], []]);
});

test('early stop: a run that begins again waits for the pods of the one before', async (context) => {
  const { run, end } = lingering(context);
  const runIds: (string | undefined)[] = [];
  const first = Promise.withResolvers<void>();
  const experiment: Run = (program) => {
    runIds.push(program.env.RUN_ID);
    if (runIds.length === 1) return run(program).finally(() => first.resolve());
    return storeResult(program, 'Completed', 'Pass').then(() => 0);
  };
  const cluster = await startStandIn(context, { experiment, isBinding: true });
  await stopRun(cluster, ['pod-delete'], 1);
  const stopped = await cluster.ended('web', 'stopped');
  await cluster.patch('web', { spec: { engineState: 'active' } });
  const waiting = await cluster.engine('web', ({ spec }) => spec.engineState === 'active');
  assert.equal(waiting.status?.runId, stopped.status?.runId);
  end();
  await first.promise;
  await cluster.ended('web', 'completed');
  assert.equal(new Set(runIds).size, 2);
});

test('early stop: not while the ledger has an open entry, whatever the last word says', async (context) => {
  const { run, end } = lingering(context, (program) => patchStatus(program, { ledger: { [OPEN.id]: OPEN } }));
  const looked = Promise.withResolvers<void>();
  /** Resolves `looked` when the operator has read the result with that last word. */
  const watched = (client: KubeClient): KubeClient =>
    new Proxy(client, {
      get: (target, key, receiver) => {
        const method: unknown = Reflect.get(target, key, receiver);
        if (typeof method !== 'function') return method;
        if (key !== 'list') return method.bind(target);
        return async (...args: Parameters<KubeClient['list']>) => {
          const answer = await target.list(...args);
          if (args[0] === CHAOS_RESULTS && JSON.stringify(answer.items).includes('"closed"')) {
            looked.resolve();
          }
          return answer;
        };
      },
    });
  const cluster = await startStandIn(context, { experiment: run, isBinding: true, operatorClient: watched });
  await stopRun(cluster, ['pod-cpu-hog'], 1);
  await looked.promise;
  end();
  const stopped = await cluster.engine(
    'web',
    (now) => now.status?.engineStatus === 'stopped' && isReleased(now),
  );
  // Its result does not say how to start the experiment again, so that nothing could revert it.
  assert.equal(stopped.status?.conditions?.find(({ type }) => type === 'Recovered')?.reason, 'NotReverted');
  const ends = stopped.status?.timeline?.filter(({ step }) => step === 'EngineStopped') ?? [];
  assert.deepEqual(
    ends.map(({ message }) => message),
    ['ended, and left: pod-cpu-hog on pod default/web-1'],
  );
});
