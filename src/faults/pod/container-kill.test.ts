import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { type ExperimentCluster, shareExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import type { FaultContext } from '../../experiment/injection/fault.ts';
import { runHelperPod } from '../../experiment/injection/testing/stand-in-helper.ts';
import { runExperiment } from '../../experiment/run/run-experiment.ts';
import containerKill, { hasRestarted, restartProblem } from './container-kill.ts';

let cluster: ExperimentCluster;

/** Runs the container of an application pod as a real process and restarts it when it ends, as the node agent does. */
async function runContainer(pod: Pod, signal: AbortSignal): Promise<undefined> {
  const { name, namespace = '' } = pod.metadata;
  const [container] = pod.spec?.containers ?? [];
  for (let restartCount = 0; !signal.aborted; restartCount++) {
    const id = randomUUID();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {
      env: { ...process.env, TURNSOLE_CONTAINER_ID: id },
      stdio: 'ignore',
    });
    const kill = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', kill);
    const status = {
      name: container?.name,
      ready: true,
      restartCount,
      image: 'app',
      imageID: '',
      containerID: `turnsole://${id}`,
      state: { running: { startedAt: '2030-01-01T00:00:00Z' } },
    };
    const exited = once(child, 'exit');
    const patch = { status: { phase: 'Running', containerStatuses: [status] } };
    await cluster.client.patch<Pod>(PODS, name, 'merge', patch, { namespace, subresource: 'status' });
    await exited;
    signal.removeEventListener('abort', kill);
  }
  return undefined;
}

shareExperimentCluster(
  (started) => {
    cluster = started;
  },
  (pod, signal) =>
    pod.metadata.name.includes('-helper-')
      ? runHelperPod(cluster, () => containerKill, pod, signal)
      : runContainer(pod, signal),
);
test('containers are really killed, round after round, and really restarted', {
  skip: process.platform !== 'linux',
}, async () => {
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 2);
  const engine = await cluster.engine(namespace, 'container-kill');
  const outcome = await runExperiment({
    fault: containerKill,
    env: {
      CHAOSENGINE: 'eng',
      CHAOS_UID: engine.metadata.uid,
      CHAOS_NAMESPACE: namespace,
      TARGETS: `deployment:${namespace}:[app=web]`,
      PODS_AFFECTED_PERC: '100',
      // Time passes fifty times as fast as processes start: the first round has six seconds of the world, or there is no second one.
      TOTAL_CHAOS_DURATION: '300',
      CHAOS_INTERVAL: '200',
      STATUS_CHECK_TIMEOUT: '1500',
      // Ten seconds of the world: the experiment's signs of life are writes to a server in this process.
      LEASE_SECONDS: '500',
    },
    client: cluster.client,
    clock: fastClock(),
    random: () => 0,
    signal: new AbortController().signal,
    logger: silentLogger,
  });
  const result = await cluster.result(namespace, 'eng-container-kill');
  assert.equal(outcome.verdict, 'Pass', JSON.stringify(result.status?.experimentStatus));
  const pods = await cluster.readyPods(namespace, 'web', 2);
  assert.deepEqual(
    pods.map((pod) => pod.status?.containerStatuses?.[0]?.restartCount),
    [2, 2],
  );
  assert.deepEqual(
    result.status?.history?.targets?.map(({ kind, chaosStatus }) => `${kind} ${chaosStatus}`),
    ['pod targeted', 'pod targeted'],
  );
  const entries = Object.values(result.status?.ledger ?? {});
  assert.deepEqual(
    entries.map(({ state }) => state),
    ['done', 'done', 'done', 'done'],
  );
  assert.equal(new Set(entries.map(({ parameters }) => parameters.containerId)).size, 4);
});

const target = { kind: 'pod', namespace: 'shop', name: 'web', uid: 'u', container: 'app', node: 'n' };
const observed = { uid: 'u', restartPolicy: 'Always', containerId: 'turnsole://abcdef', restartCount: 3 };
const tunables = { TOTAL_CHAOS_DURATION: 1, CHAOS_INTERVAL: 1, SIGNAL: 'SIGTERM', CONTAINER_API_TIMEOUT: -1 };
const plan = (change: object) =>
  containerKill.plan({
    tunables,
    targets: [{ ...target, observed: { ...observed, ...change } }],
    round: 0,
    random: () => 0,
  });

test('the plan says which incarnation is killed by which signal', () => {
  assert.deepEqual(plan({}), [
    {
      id: 'shop.web.app',
      target,
      parameters: { signal: 'SIGTERM', containerId: 'turnsole://abcdef', restartCount: 3 },
    },
  ]);
});

test('why a killed container is no new one', () => {
  const before = { containerId: 'turnsole://abcdef', restartCount: 3, sent: 'SIGTERM' };
  const pod = (status: object, uid = 'u'): Pod => ({
    metadata: { name: 'web', namespace: 'shop', uid },
    status: {
      containerStatuses: [{ name: 'app', ready: true, restartCount: 3, image: '', imageID: '', ...status }],
    },
  });
  const running = { running: { startedAt: '2030-01-01T00:00:00Z' } };
  const rows: [string, Pod | undefined, RegExp][] = [
    [
      'it ignores the signal',
      pod({ containerID: 'turnsole://abcdef', state: running }),
      /^container app of pod shop\/web is still the same container 20 s after SIGTERM: .*; set SIGNAL to/,
    ],
    [
      'it ended, and was not started again',
      pod({ containerID: 'turnsole://abcdef', state: { waiting: { reason: 'CrashLoopBackOff' } } }),
      /has not recovered after 20 s: its restart count is still 3 \(CrashLoopBackOff\)/,
    ],
    [
      'a new one that is not ready',
      pod({ containerID: 'turnsole://new', restartCount: 4, state: running }),
      /has not recovered after 20 s: it was restarted but the pod is not ready/,
    ],
    ['another pod', pod({}, 'other'), /cannot be watched any more/],
    ['no pod', undefined, /cannot be watched any more/],
  ];
  for (const [name, seen, expected] of rows)
    assert.match(restartProblem(seen, target, before, 20_000), expected, name);
});

test('what would not come back, or is not there, is refused', () => {
  assert.throws(
    () => plan({ restartPolicy: 'Never' }),
    /container app of pod shop\/web: its restartPolicy is Never/,
  );
  assert.throws(
    () => plan({ containerId: undefined, waiting: 'CrashLoopBackOff' }),
    /it is not running \(CrashLoopBackOff\)/,
  );
  assert.throws(() => plan({ uid: 'other' }), /the pod was replaced by another one/);
});

test('a container that cannot be found is an error of the runtime', async () => {
  const [injection] = plan({ containerId: `turnsole://${randomUUID()}` });
  assert.ok(injection !== undefined);
  // The fault looks at processes only.
  await assert.rejects(containerKill.inject(injection, {} as FaultContext), {
    code: 'CONTAINER_RUNTIME_ERROR',
  });
});

test('when a container counts as restarted', () => {
  const before_ = { containerId: 'a', restartCount: 1 };
  const pod = (containerID: string, restartCount: number, ready = true): Pod => ({
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'app' }] },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'app', ready, restartCount, containerID, image: '', imageID: '' }],
    },
  });
  const cases: [Pod, boolean][] = [
    [pod('b', 2), true],
    [pod('a', 1), false],
    // The count is up but the status still shows the dead one.
    [pod('a', 2), false],
    [pod('b', 2, false), false],
  ];
  for (const [one, expected] of cases)
    assert.equal(hasRestarted(one, { container: 'app' }, before_), expected);
});
