/** The runner against the embedded API server, started by the operator, with stand-in experiments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap, Pod, PodStatus } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, PODS } from '@turnsole/kube/kinds/resources';
import { silentLogger } from '@turnsole/kube/runtime/index';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { changedClient } from '@turnsole/kube/testing/changed-client';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  engineOf,
  NAMESPACE,
  passingExperiment,
  type Run,
  startStandIn,
  storeResult,
  untilAborted,
} from '../../../test/support/stand-in-cluster.ts';
import { CHAOS_RESULTS, type ChaosEngine, LABEL_RUN_ID } from '../../api/index.ts';
import { helperLabel } from '../../chaos/helper-label.ts';
import { podHasEnded } from '../../chaos/pod-end.ts';
import { runRunner } from './run-runner.ts';

const summary = ({ status }: ChaosEngine): string[] =>
  (status?.experiments ?? []).map(({ name, status: word, verdict }) => `${name}: ${word}, ${verdict}`);

test('runner: experiments run one after the other; one that does not exist does not stop the next', async (context) => {
  let atATime = 0;
  const order: string[] = [];
  const experiment: Run = async (program) => {
    atATime += 1;
    assert.equal(atATime, 1);
    order.push(program.env.EXPERIMENT_NAME ?? '');
    await passingExperiment(program);
    atATime -= 1;
    return 0;
  };
  const cluster = await startStandIn(context, { experiment });
  await cluster.experiment('first');
  await cluster.experiment('third');
  await cluster.apply(engineOf('web', ['first', 'second', 'third']));
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), [
    'first: Completed, Pass',
    'second: ChaosExperiment Not Found, Fail',
    'third: Completed, Pass',
  ]);
  assert.deepEqual(order, ['first', 'third']);
  assert.equal(engine.status?.experiments?.[1]?.experimentPod, 'N/A');
  assert.match(engine.status?.experiments?.[1]?.reason ?? '', /ChaosExperiment default\/second not found/);
  const events = await cluster.events('web', 'ExperimentNotFound');
  assert.ok(
    events.some((text) =>
      text.startsWith(
        'web-runner ExperimentNotFound: Experiment Job creation failed, skipping Chaos Experiment: second',
      ),
    ),
  );
});

test('runner: an experiment that cannot be planned is skipped with the path of the field', async (context) => {
  const cluster = await startStandIn(context);
  await cluster.experiment('bad', { configMaps: [{ name: 'settings' }] });
  await cluster.experiment('missing', { configMaps: [{ name: 'nowhere', mountPath: '/x' }] });
  await cluster.experiment('good');
  await cluster.apply(engineOf('web', ['bad', 'missing', 'good']));
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), [
    'bad: Skipped, Fail',
    'missing: Skipped, Fail',
    'good: Completed, Pass',
  ]);
  const [bad, missing] = engine.status?.experiments ?? [];
  assert.match(bad?.reason ?? '', /configMaps\[0\]\.mountPath: Required value/);
  assert.match(missing?.reason ?? '', /config map default\/nowhere not found/);
});

test('runner: a missing config map with data is created and owned by the engine', async (context) => {
  const cluster = await startStandIn(context);
  await cluster.experiment('with-data', {
    configMaps: [{ name: 'made', mountPath: '/x', data: { key: 'value' } }],
  });
  const { metadata } = await cluster.apply(engineOf('web', ['with-data']));
  await cluster.ended('web', 'completed');
  const made = await cluster.client.get<ConfigMap>(CONFIG_MAPS, 'made', { namespace: NAMESPACE });
  assert.deepEqual(made.data, { key: 'value' });
  assert.equal(made.metadata.ownerReferences?.[0]?.uid, metadata.uid);
});

test('runner: an experiment that dies without a verdict ends in Error, in engine and result', async (context) => {
  const experiment: Run = async (program) => {
    await storeResult(program, 'Running', 'Awaited');
    return 137;
  };
  const cluster = await startStandIn(context, { experiment });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), ['pod-delete: Completed, Error']);
  assert.match(engine.status?.experiments?.[0]?.reason ?? '', /before it stored a verdict.*exit code 137/);
  const { status } = await cluster.result('web-pod-delete');
  assert.equal(status?.experimentStatus?.phase, 'Error');
  assert.equal(status?.experimentStatus?.verdict, 'Error');
});

test('runner: helpers of an experiment that died have ended, and what they noted last is closed, before its run is', async (context) => {
  let helpers = 0;
  const helper: Run = async ({ client, signal }) => {
    helpers += 1;
    await untilAborted(signal);
    // It was stopped while it was planning its next round, and could not record the outcome.
    const entry = {
      id: 'a',
      fault: 'container-kill',
      state: 'planned',
      instant: true,
      target: { kind: 'pod' },
    };
    const patch = { status: { ledger: { a: entry } } };
    await client.patch(CHAOS_RESULTS, 'web-container-kill', 'merge', patch, { namespace: NAMESPACE });
    helpers -= 1;
    return 1;
  };
  const experiment: Run = async (program) => {
    if (program.container === 'helper') return helper(program);
    const { client, pod } = program;
    await storeResult(program, 'Running', 'Awaited');
    const runId = pod.metadata.labels?.[LABEL_RUN_ID] ?? '';
    const app = helperLabel('container-kill', runId);
    const body = {
      metadata: { name: 'container-kill-helper', labels: { [LABEL_RUN_ID]: runId, app } },
      spec: { containers: [{ name: 'helper', image: 'helper' }], nodeName: 'n' },
    };
    await client.create<Pod>(PODS, body, { namespace: NAMESPACE });
    while (helpers === 0) await delay(5);
    return 137;
  };
  const cluster = await startStandIn(context, { experiment });
  await cluster.experiment('container-kill');
  await cluster.apply(engineOf('web', ['container-kill']));
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), ['container-kill: Completed, Error']);
  assert.equal(helpers, 0, 'the helper has ended');
  const { status } = await cluster.result('web-container-kill');
  assert.equal(status?.ledger?.a?.state, 'failed');
  const line = engine.status?.timeline?.find(({ step }) => step === 'HelpersEnded');
  assert.equal(line?.message, '1 helper(s) that container-kill left at work have ended');
});

test('runner: what a helper noted that died by itself, after its experiment, is closed as well', async (context) => {
  const experiment: Run = async (program) => {
    await storeResult(program, 'Running', 'Awaited');
    return 137;
  };
  let noted = 0;
  const cluster = await startStandIn(context, {
    experiment,
    // The helper is at work when the result is read, and is killed before anybody asks for helpers.
    runnerClient: (client) =>
      intercept(client, 'list', async ({ plural }, options) => {
        if (plural !== 'pods' || !JSON.stringify(options).includes('container-kill-helper')) return;
        noted += 1;
        const target = { kind: 'pod' };
        const entry = { id: 'a', fault: 'container-kill', state: 'planned', instant: true, target };
        const patch = { status: { ledger: { a: entry } } };
        await client.patch(CHAOS_RESULTS, 'web-container-kill', 'merge', patch, { namespace: NAMESPACE });
      }),
  });
  await cluster.experiment('container-kill');
  await cluster.apply(engineOf('web', ['container-kill']));
  await cluster.ended('web', 'completed');
  assert.equal(noted, 1);
  const { status } = await cluster.result('web-container-kill');
  assert.equal(status?.ledger?.a?.state, 'failed');
});

test('runner: an experiment without any result ends in Error', async (context) => {
  const cluster = await startStandIn(context, { experiment: async () => 0 });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), ['pod-delete: Completed, Error']);
});

test('runner: an image that cannot be pulled is reported in the status, and skips the experiment in the end', async (context) => {
  const cluster = await startStandIn(context, {
    podStatus: ({ spec }): PodStatus | undefined => {
      const name = spec?.containers[0]?.name ?? '';
      if (name === 'chaos-runner') return undefined;
      const state = { waiting: { reason: 'InvalidImageName', message: 'no such image' } };
      return {
        phase: 'Pending',
        containerStatuses: [{ name, image: 'nope', imageID: '', ready: false, restartCount: 0, state }],
      };
    },
  });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), ['pod-delete: Skipped, Fail']);
  assert.match(engine.status?.experiments?.[0]?.reason ?? '', /InvalidImageName: no such image/);
  assert.deepEqual(await cluster.jobs(), []);
  await cluster.events('web', 'ExperimentPodNotStarting', 'ExperimentChaosContainerWatchError');
});

test('runner: a Job that cannot make its pod is reported, and goes on when it can', async (context) => {
  let isFull = true;
  const cluster = await startStandIn(context, {
    controllerClient: (client) =>
      intercept(client, 'create', (resource) => {
        if (resource.plural !== 'pods' || !isFull) return;
        const message =
          'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1';
        throw new ApiError('POST pods', 403, { code: 403, reason: 'Forbidden', message });
      }),
  });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const waiting = await cluster.engine('web', ({ status }) => status?.experiments?.[0]?.reason !== undefined);
  assert.match(waiting.status?.experiments?.[0]?.reason ?? '', /cannot create its pod: .*exceeded quota: q/);
  isFull = false;
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), ['pod-delete: Completed, Pass']);
  assert.equal(engine.status?.experiments?.[0]?.reason, undefined);
});

test('runner: a service account without the watch verb is enough', async (context) => {
  const cluster = await startStandIn(context, {
    runnerClient: (client) =>
      intercept(client, 'watch', () => {
        throw new ApiError('GET pods?watch', 403, { code: 403, reason: 'Forbidden', message: 'no watch' });
      }),
  });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  assert.deepEqual(summary(await cluster.ended('web', 'completed')), ['pod-delete: Completed, Pass']);
});

test('runner: a pod that comes and ends between two looks is in the timeline', async (context) => {
  const cluster = await startStandIn(context, {
    runnerClient: (client) => {
      const blind = intercept(client, 'watch', () => {
        throw new ApiError('GET pods?watch', 403, { code: 403, reason: 'Forbidden', message: 'no watch' });
      });
      return intercept(blind, 'list', async ({ plural }) => {
        if (plural !== PODS.plural) return;
        const hasEnded = (pods: readonly Pod[]): boolean =>
          pods.some((pod) => pod.metadata.labels?.['job-name'] !== undefined && podHasEnded(pod));
        await waitForList<Pod>(client, PODS, hasEnded, { namespace: NAMESPACE, timeoutMs: PATIENCE_MS });
      });
    },
  });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const { status } = await cluster.ended('web', 'completed');
  assert.deepEqual(
    status?.timeline?.map(({ step }) => step).filter((step) => step.startsWith('Experiment')),
    ['ExperimentPodCreated', 'ExperimentEnded'],
  );
});

test('runner: a Job that the API server refuses skips the experiment with the reason of the server', async (context) => {
  const cluster = await startStandIn(context, {
    runnerClient: (client) =>
      intercept(client, 'create', (resource) => {
        if (resource.plural !== 'jobs') return;
        const message = 'exceeded quota: q, requested: count/jobs.batch=1';
        throw new ApiError('POST jobs', 403, { code: 403, reason: 'Forbidden', message });
      }),
  });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const engine = await cluster.ended('web', 'completed');
  assert.deepEqual(summary(engine), ['pod-delete: Skipped, Fail']);
  assert.match(
    engine.status?.experiments?.[0]?.reason ?? '',
    /cannot create Job pod-delete-\w{6}: exceeded quota/,
  );
});

test('runner: it leaves an engine alone that is in another run, stopped or gone', async (context) => {
  const cluster = await startStandIn(context, { runner: ({ signal }) => untilAborted(signal).then(() => 1) });
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  const engine = await cluster.engine('web', ({ status }) => status?.runId !== undefined);
  const env = { CHAOSENGINE: 'web', CHAOS_NAMESPACE: NAMESPACE, EXPERIMENT_LIST: 'pod-delete' };
  const clock = new FakeClock();
  const end = new AbortController();
  const io = { client: cluster.client, logger: silentLogger, signal: end.signal, clock };
  const another = runRunner([], { ...env, RUN_ID: 'another' }, io);
  const gone = runRunner([], { ...env, CHAOSENGINE: 'gone', RUN_ID: 'x' }, io);
  // Both wait for the end of their pod, of which the kubelet may not know yet: one gets a stop signal, the other does not.
  await clock.untilPending(2);
  await clock.advance(5_000);
  assert.equal(await another, 143);
  const signalled = runRunner([], { ...env, RUN_ID: 'another' }, io);
  await clock.untilPending(1);
  end.abort();
  assert.deepEqual([await gone, await signalled], [143, 143]);
  assert.deepEqual(await cluster.jobs(), []);
  assert.equal((await cluster.engine('web', () => true)).status?.experiments, undefined);
  assert.equal(engine.status?.engineStatus, 'initialized');
});

test('runner: one whose pod is being deleted already does not wait for a signal that may have come', async (context) => {
  const cluster = await startStandIn(context, { operator: false });
  const place = { namespace: NAMESPACE };
  // Without the node's word, a pod that is bound to one stays while it is being deleted.
  const pod = {
    metadata: { name: 'gone-runner' },
    spec: { nodeName: 'n', containers: [{ name: 'a', image: 'a' }] },
  };
  await cluster.client.create<Pod>(PODS, pod, place);
  await cluster.client.delete(PODS, 'gone-runner', { ...place, gracePeriodSeconds: 30 });
  const env = { CHAOSENGINE: 'gone', CHAOS_NAMESPACE: NAMESPACE, EXPERIMENT_LIST: 'pod-delete' };
  const clock = new FakeClock();
  const { signal } = new AbortController();
  const over = runRunner([], env, { client: cluster.client, logger: silentLogger, signal, clock });
  await clock.untilPending(1);
  assert.equal(clock.nextInMs, 1_000);
  await clock.advance(1_000);
  assert.equal(await over, 143);
});

test('runner: a wrong environment is an error of the process', async () => {
  assert.equal(await runRunner([], {}, { logger: silentLogger, signal: new AbortController().signal }), 1);
});

/** The client with one method preceded by a check. */
function intercept(
  client: KubeClient,
  method: 'create' | 'watch' | 'list',
  before: (resource: { readonly plural: string }, options: unknown) => void | Promise<void>,
): KubeClient {
  return changedClient(client, {
    [method]: (...parameters: [resource: { readonly plural: string }, options: unknown]) => {
      const go = (): unknown => Reflect.apply(client[method], client, parameters);
      const checked = before(...parameters);
      return checked === undefined ? go() : checked.then(go);
    },
  });
}
