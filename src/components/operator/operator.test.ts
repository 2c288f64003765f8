/** The operator against the embedded API server, with our runner and stand-in experiments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  endlessExperiment,
  engineOf,
  NAMESPACE,
  type Run,
  startStandIn,
  storeResult,
  untilAborted,
} from '../../../test/support/stand-in-cluster.ts';
import { CHAOS_ENGINES, type ChaosEngine, ENGINE_FINALIZER } from '../../api/index.ts';

const summary = ({ status }: ChaosEngine): string[] =>
  (status?.experiments ?? []).map(({ name, status: word, verdict }) => `${name}: ${word}, ${verdict}`);

const steps = ({ status }: ChaosEngine): string[] => (status?.timeline ?? []).map(({ step }) => step);

for (const statusSubresource of [false, true]) {
  const kind = statusSubresource ? 'status as subresource' : 'status in the object';

  test(`operator (${kind}): a run from the engine to its verdict`, async (context) => {
    const cluster = await startStandIn(context, { statusSubresource });
    await cluster.experiment('pod-delete');
    const { metadata } = await cluster.apply(engineOf('web', ['pod-delete']));
    const engine = await cluster.ended('web', 'completed');
    assert.deepEqual(summary(engine), ['pod-delete: Completed, Pass']);
    assert.deepEqual(engine.metadata.finalizers, [ENGINE_FINALIZER]);
    assert.match(engine.status?.runId ?? '', /^[0-9a-f-]{36}$/);
    assert.deepEqual(steps(engine).sort(), [
      'EngineCompleted',
      'EngineCreated',
      'EngineInitialized',
      'ExperimentEnded',
      'ExperimentPodCreated',
      'JobCreated',
      'RunnerCreated',
      'RunnerStarted',
    ]);
    const [job] = await cluster.jobs();
    assert.equal(job?.metadata.labels?.chaosUID, metadata.uid);
    assert.equal(job?.metadata.ownerReferences?.[0]?.uid, metadata.uid);
    const events = await cluster.events('web', 'ChaosEngineCompleted', 'ExperimentJobCleanUp');
    assert.deepEqual(events.map((text) => text.replace(/pod-delete-\w{6} /, 'JOB ')).sort(), [
      'chaos-operator ChaosEngineCompleted: ChaosEngine completed, will delete or retain the resources according to jobCleanUpPolicy',
      'chaos-operator ChaosEngineInitialized: Identifying app under test & launching web-runner',
      'web-runner ExperimentDependencyCheck: Experiment resources validated for Chaos Experiment: pod-delete',
      'web-runner ExperimentJobCleanUp: Experiment Job JOB will be retained',
      'web-runner ExperimentJobCreate: Experiment Job JOB for Chaos Experiment: pod-delete',
    ]);
  });

  test(`operator (${kind}): stop aborts, reverts and closes; active runs it again`, async (context) => {
    const cluster = await startStandIn(context, { statusSubresource, experiment: endlessExperiment });
    await cluster.experiment('pod-delete');
    await cluster.apply(engineOf('web', ['pod-delete', 'never-reached']));
    const first = await cluster.engine('web', ({ status }) => status?.experiments?.[0]?.status === 'Running');
    await cluster.patch('web', { spec: { engineState: 'stop' } });
    const stopped = await cluster.ended('web', 'stopped');
    assert.deepEqual(summary(stopped), [
      'pod-delete: Forcefully Aborted, Stopped',
      'never-reached: Forcefully Aborted, Stopped',
    ]);
    const gone = await cluster.engine('web', ({ metadata }) => metadata.finalizers === undefined);
    assert.equal(gone.status?.engineStatus, 'stopped');
    assert.deepEqual([await cluster.pods(), await cluster.jobs()], [[], []]);
    const result = await cluster.result('web-pod-delete');
    assert.equal(result.status?.experimentStatus?.verdict, 'Stopped');
    assert.deepEqual(result.status?.history?.targets, [
      { kind: 'pod', name: 'web-1', chaosStatus: 'reverted' },
    ]);
    assert.equal(result.metadata.annotations?.['pod/web-1'], undefined);

    await cluster.patch('web', { spec: { engineState: 'active' } });
    const again = await cluster.engine('web', ({ status }) => status?.experiments?.[0]?.status === 'Running');
    assert.notEqual(again.status?.runId, first.status?.runId);
    assert.deepEqual(again.metadata.finalizers, [ENGINE_FINALIZER]);
    await cluster.events('web', 'ChaosEngineStopped', 'RestartInProgress');
  });

  test(`operator (${kind}): a bad spec is stopped with the path of the field, nothing is launched`, async (context) => {
    const cluster = await startStandIn(context, { statusSubresource });
    await cluster.apply(engineOf('web', ['pod-delete'], { appinfo: { appkind: 'deployment' } }));
    const engine = await cluster.ended('web', 'stopped');
    const [condition] = engine.status?.conditions ?? [];
    assert.equal(condition?.type, 'Runnable');
    assert.equal(condition?.status, 'False');
    assert.match(condition?.message ?? '', /spec\.appinfo\.applabel/);
    assert.equal(engine.metadata.finalizers, undefined);
    assert.deepEqual(await cluster.pods(), []);
    const [event] = await cluster.events('web', 'ChaosResourcesOperationFailed');
    assert.match(event ?? '', /\(chaos start\) spec\.appinfo\.applabel/);
  });

  test(`operator (${kind}): a deleted engine is aborted first`, async (context) => {
    const cluster = await startStandIn(context, { statusSubresource, experiment: endlessExperiment });
    await cluster.experiment('pod-delete');
    await cluster.apply(engineOf('web', ['pod-delete']));
    await cluster.engine('web', ({ status }) => status?.experiments?.[0]?.status === 'Running');
    await cluster.client.delete(CHAOS_ENGINES, 'web', { namespace: NAMESPACE });
    await cluster.gone('web');
    assert.deepEqual([await cluster.pods(), await cluster.jobs()], [[], []]);
    const result = await cluster.result('web-pod-delete');
    assert.equal(result.status?.experimentStatus?.verdict, 'Stopped');
    const kept = (result.status?.engineTimeline ?? []).map(({ step }) => step);
    assert.deepEqual(
      [kept[0], kept.at(-2), kept.at(-1)],
      ['EngineCreated', 'EngineStopped', 'EngineDeleted'],
    );
    for (const step of ['EngineInitialized', 'RunnerStarted', 'JobCreated', 'Aborting']) {
      assert.equal(kept.filter((one) => one === step).length, 1, step);
    }
  });

  test(`operator (${kind}): the steps of an engine stay with its result, run after run, when it is deleted`, async (context) => {
    const cluster = await startStandIn(context, { statusSubresource });
    await cluster.experiment('pod-delete');
    for (const runs of [1, 2]) {
      const { metadata } = await cluster.apply(engineOf('web', ['pod-delete']));
      const engine = await cluster.ended('web', 'completed');
      await cluster.client.delete(CHAOS_ENGINES, 'web', { namespace: NAMESPACE });
      await cluster.gone('web');
      const { status } = await cluster.result('web-pod-delete');
      const kept = status?.engineTimeline ?? [];
      const ofRun = kept.filter(({ runId }) => runId === engine.status?.runId);
      assert.deepEqual(ofRun.slice(0, steps(engine).length), engine.status?.timeline);
      assert.equal(ofRun.at(-1)?.step, 'EngineDeleted');
      assert.equal(kept.filter(({ step }) => step === 'EngineDeleted').length, runs);
      assert.equal(ofRun[0]?.time, new Date(metadata.creationTimestamp ?? '').toISOString());
      // What is kept comes beside the judgement and changes nothing of it.
      assert.equal(status?.experimentStatus?.verdict, 'Pass');
    }
  });
}

test('operator: active after completed runs the engine again, without what the first run left', async (context) => {
  const cluster = await startStandIn(context);
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const first = await cluster.ended('web', 'completed');
  const [firstJob] = await cluster.jobs();
  await cluster.patch('web', { spec: { engineState: 'active' } });
  const second = await cluster.engine(
    'web',
    ({ status }) => status?.runId !== first.status?.runId && status?.engineStatus === 'completed',
  );
  assert.deepEqual(summary(second), ['pod-delete: Completed, Pass']);
  const jobs = await cluster.jobs();
  assert.equal(jobs.length, 1);
  assert.notEqual(jobs[0]?.metadata.uid, firstJob?.metadata.uid);
});

test('operator: policy delete removes Jobs and the runner pod', async (context) => {
  const cluster = await startStandIn(context);
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete'], { jobCleanUpPolicy: 'delete' }));
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), ['pod-delete: Completed, Pass']);
  await cluster.podsWhen((pods) => !pods.some(({ metadata }) => metadata.name === 'web-runner'));
  assert.deepEqual(await cluster.jobs(), []);
  const cleanedUp = await cluster.engine('web', (now) => steps(now).includes('PodsDeleted'));
  assert.equal(steps(cleanedUp).filter((step) => step === 'JobDeleted').length, 1);
});

test('operator: an experiment that dies in an abort without a word has its result closed', async (context) => {
  const silent: Run = async (program) => {
    await storeResult(program, 'Running', 'Awaited', { 'pod/web-1': 'injected' });
    await untilAborted(program.signal);
    return 137;
  };
  const cluster = await startStandIn(context, { experiment: silent });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  await cluster.engine('web', ({ status }) => status?.experiments?.[0]?.status === 'Running');
  await cluster.podsWhen((pods) => pods.length === 2);
  await waitForResult(cluster.client, 'web-pod-delete');
  await cluster.patch('web', { spec: { engineState: 'stop' } });
  await cluster.ended('web', 'stopped');
  const { status } = await cluster.result('web-pod-delete');
  assert.equal(status?.experimentStatus?.phase, 'Stopped');
  assert.equal(status?.experimentStatus?.verdict, 'Stopped');
  assert.equal(status?.history?.stoppedRuns, 1);
  assert.deepEqual(status?.history?.targets, [{ kind: 'pod', name: 'web-1', chaosStatus: 'injected' }]);
});

async function waitForResult(client: KubeClient, name: string): Promise<void> {
  const { waitForObject } = await import('@turnsole/kube/runtime/index');
  const { CHAOS_RESULTS } = await import('../../api/index.ts');
  await waitForObject(client, CHAOS_RESULTS, name, (result) => result?.metadata.annotations !== undefined, {
    namespace: NAMESPACE,
    timeoutMs: PATIENCE_MS,
  });
}

test('operator: a vanished runner is replaced, and its successor resumes', async (context) => {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const gated: Run = async (program) => {
    await storeResult(program, 'Running', 'Awaited');
    await Promise.race([gate, untilAborted(program.signal)]);
    await storeResult(program, 'Completed', 'Pass');
    return 0;
  };
  const cluster = await startStandIn(context, { experiment: gated });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  await cluster.engine('web', ({ status }) => status?.experiments?.[0]?.status === 'Running');
  const [job] = await cluster.jobs();
  const runner = await cluster.client.get<Pod>(PODS, 'web-runner', { namespace: NAMESPACE });
  await cluster.client.delete(PODS, 'web-runner', { namespace: NAMESPACE, gracePeriodSeconds: 0 });
  await cluster.podsWhen((pods) =>
    pods.some(({ metadata }) => metadata.name === 'web-runner' && metadata.uid !== runner.metadata.uid),
  );
  release();
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), ['pod-delete: Completed, Pass']);
  assert.equal(engine.status?.runnerAttempts, 2);
  assert.equal(
    (await cluster.jobs())[0]?.metadata.uid,
    job?.metadata.uid,
    'the experiment did not run twice',
  );
  assert.equal(engine.status?.conditions?.[0]?.status, 'True');
});

test('operator: runners that keep failing end the run with a verdict', async (context) => {
  const cluster = await startStandIn(context, { runner: async () => 1 });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const engine = await cluster.ended('web', 'stopped');
  assert.deepEqual(summary(engine), ['pod-delete: Skipped, Error']);
  assert.equal(engine.status?.conditions?.[0]?.reason, 'RunnerLost');
  assert.match(
    engine.status?.experiments?.[0]?.reason ?? '',
    /Error with exit code 1.*runner pod 3 of at most 3/,
  );
});

test('operator: status and Event name a runner image that cannot be pulled', async (context) => {
  const cluster = await startStandIn(context, {
    podStatus: () => ({
      phase: 'Pending',
      containerStatuses: [
        {
          name: 'chaos-runner',
          image: 'nope',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { waiting: { reason: 'InvalidImageName', message: 'no such name' } },
        },
      ],
    }),
  });
  await cluster.apply(engineOf('web', ['pod-delete']));
  const engine = await cluster.ended('web', 'stopped');
  assert.equal(engine.status?.conditions?.[0]?.reason, 'ImageNameInvalid');
  assert.deepEqual(summary(engine), ['pod-delete: Skipped, Error']);
  const events = await cluster.events('web', 'ChaosResourcesOperationFailed', 'ChaosEngineStopped');
  assert.match(
    events.find((text) => text.includes('OperationFailed')) ?? '',
    /InvalidImageName: no such name/,
  );
  assert.deepEqual(await cluster.pods(), []);
});

test('operator: a missing service account is reported at once, and the run begins when it is made', async (context) => {
  let refusals = 0;
  const cluster = await startStandIn(context, {
    // The operator is patient for 5 s, which a busy machine may need for four attempts.
    operator: { clock: fastClock(1) },
    operatorClient: (client) =>
      wrapCreate(client, PODS.plural, () => {
        refusals += 1;
        if (refusals > 3) return;
        const message =
          'pods "web-runner" is forbidden: error looking up service account default/sa: serviceaccount "sa" not found';
        throw new ApiError('POST pods', 403, { code: 403, reason: 'Forbidden', message });
      }),
  });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const waiting = await cluster.engine('web', ({ status }) => (status?.conditions ?? []).length > 0);
  assert.equal(waiting.status?.conditions?.[0]?.reason, 'ServiceAccountNotFound');
  assert.match(waiting.status?.conditions?.[0]?.message ?? '', /create it or set spec\.chaosServiceAccount$/);
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), ['pod-delete: Completed, Pass']);
  const failures = (await cluster.events('web', 'ChaosEngineCompleted')).filter((text) =>
    /Failed/.test(text),
  );
  assert.equal(failures.length, 1, 'it is said once, not with every try');
});

test('operator: fifty engines are aborted at once without waiting for each other', async (context) => {
  const names = Array.from({ length: 50 }, (_, index) => `web-${index}`);
  // More than there are workers: these would keep the others waiting.
  const late = new Set(names.slice(0, 3));
  const released = Promise.withResolvers<void>();
  context.after(() => released.resolve());
  const experiment: Run = async (program) => {
    await storeResult(program, 'Running', 'Awaited');
    await untilAborted(program.signal);
    if (late.has(program.env.CHAOSENGINE ?? '')) await released.promise;
    await storeResult(program, 'Stopped', 'Stopped');
    return 1;
  };
  const cluster = await startStandIn(context, {
    experiment,
    isBinding: true,
    operator: { workers: 2 },
  });
  await cluster.experiment('pod-delete');
  // Else the operator would kill the three late experiments while it still stops the others.
  const patient = { terminationGracePeriodSeconds: 3_600 };
  await Promise.all(names.map((name) => cluster.apply(engineOf(name, ['pod-delete'], patient))));
  const isRunning = ({ status }: ChaosEngine): boolean => status?.experiments?.[0]?.status === 'Running';
  await Promise.all(names.map((name) => cluster.engine(name, isRunning)));
  await Promise.all(names.map((name) => cluster.patch(name, { spec: { engineState: 'stop' } })));
  const areStopped = (some: readonly string[]): Promise<ChaosEngine[]> =>
    Promise.all(some.map((name) => cluster.ended(name, 'stopped')));
  const others = await areStopped(names.filter((name) => !late.has(name)));
  for (const name of late) {
    const { status } = await cluster.engine(name, () => true);
    assert.notEqual(status?.engineStatus, 'stopped', name);
  }
  released.resolve();
  for (const engine of [...others, ...(await areStopped([...late]))])
    assert.deepEqual(summary(engine), ['pod-delete: Forcefully Aborted, Stopped']);
  assert.deepEqual([await cluster.pods(), await cluster.jobs()], [[], []]);
});

/** The client with one request intercepted. */
function wrapCreate(client: KubeClient, plural: string, before: () => void): KubeClient {
  return new Proxy(client, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      if (property !== 'create') return value.bind(target);
      const create: KubeClient['create'] = async (resource, object, options) => {
        if (resource.plural === plural) before();
        return target.create(resource, object, options);
      };
      return create;
    },
  });
}
