import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ConfigMap, Container, ContainerStatus, Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, PODS } from '@turnsole/kube/kinds/resources';
import { until } from '@turnsole/kube/testing/until';
import { type NodeRig, startNodeRig } from './testing/node-rig.ts';

let rig: NodeRig;

before(async () => {
  rig = await startNodeRig();
});
after(() => rig.close());

const namespace = 'default';

function shell(name: string, script: string, change: Partial<Container> = {}): Container {
  return { name, image: 'busybox', command: ['/bin/sh', '-c', script], ...change };
}

const statusOf = (pod: Pod, name = 'c'): ContainerStatus | undefined =>
  [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].find(
    (status) => status.name === name,
  );
const isPhase = (phase: string) => (pod: Pod) => pod.status?.phase === phase;
const isReady = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
const isWaiting = (reason: string) => (pod: Pod) => statusOf(pod)?.state?.waiting?.reason === reason;

/** A limit that the clock of the tests does not reach: what real processes take is no time of that clock. */
const NEVER_SECONDS = 86_400;

/** A shell that stays, and ends on SIGTERM. Waits in steps: a shell runs its traps between commands only. */
const STAY = 'while :; do sleep 0.05; done';

test('a pod runs to its end: status, log, events', async () => {
  await rig.create('once', { restartPolicy: 'Never', containers: [shell('c', 'echo out; echo err >&2')] });
  const pod = await rig.until('once', 'Succeeded', isPhase('Succeeded'));
  assert.equal(await rig.client.log('once', { namespace }), 'out\nerr\n');
  const status = statusOf(pod);
  assert.partialDeepStrictEqual(status, {
    ready: false,
    restartCount: 0,
    image: 'busybox',
    state: { terminated: { exitCode: 0, reason: 'Completed' } },
  });
  assert.match(status?.containerID ?? '', /^turnsole:\/\/[0-9a-f]{64}$/);
  assert.equal(pod.status?.hostIP, pod.status?.hostIPs?.[0]?.ip);
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  assert.deepEqual([ready?.status, ready?.reason, ready?.message], ['False', 'PodCompleted', undefined]);
  await rig.event('once', 'Started');
  assert.deepEqual(await rig.events('once'), [
    'Pulled: Container image "busybox" already present on machine and can be accessed by the pod: a command of this machine stands for it',
    'Created: Container created',
    'Started: Container started',
  ]);
  await removed(join(rig.dataDir, 'pods', pod.metadata.uid ?? ''));
});

test('a crashing container restarts at once, then after 10 s; its logs are kept for two runs', async () => {
  await rig.create('crash', { containers: [shell('c', 'echo run; exit 3')] });
  const waiting = await rig.until('crash', 'backing off', isWaiting('CrashLoopBackOff'));
  assert.equal(statusOf(waiting)?.restartCount, 1, 'the first restart was immediate');
  assert.partialDeepStrictEqual(statusOf(waiting), {
    lastState: { terminated: { exitCode: 3, reason: 'Error' } },
  });
  assert.match(
    statusOf(waiting)?.state?.waiting?.message ?? '',
    /^back-off 10s restarting failed container=c pod=crash_/,
  );
  assert.match(
    await rig.event('crash', 'BackOff'),
    /^Back-off restarting failed container c in pod crash_default/,
  );
  assert.equal(waiting.status?.phase, 'Running');
  await rig.clock.advance(10_000);
  const again = await rig.until('crash', 'restarted', (pod) => statusOf(pod)?.restartCount === 2);
  assert.notEqual(statusOf(again)?.containerID, undefined);
  const longer = await rig.until('crash', 'backing off again', (pod) =>
    (statusOf(pod)?.state?.waiting?.message ?? '').startsWith('back-off 20s'),
  );
  assert.equal(statusOf(longer)?.restartCount, 2);
  assert.equal(await rig.client.log('crash', { namespace, previous: true }), 'run\n');
  await rig.client.delete<Pod>(PODS, 'crash', { namespace });
  await rig.gone('crash');
});

test('SIGTERM first; what ends in time ends in its own way', async () => {
  await rig.create('polite', { containers: [shell('c', `trap 'echo bye; exit 7' TERM; echo up; ${STAY}`)] });
  await rig.until('polite', 'ready', isReady);
  await seen('polite', 'up');
  const log = rig.client.logLines('polite', { namespace, follow: true });
  const collected: string[] = [];
  const reading = (async () => {
    for await (const line of log) collected.push(line);
  })();
  await rig.client.delete<Pod>(PODS, 'polite', { namespace });
  const last = await rig.gone('polite');
  await reading;
  assert.deepEqual(collected, ['up', 'bye'], 'a follower gets the last line and then the end');
  assert.partialDeepStrictEqual(statusOf(last), { state: { terminated: { exitCode: 7, reason: 'Error' } } });
  assert.equal(last.status?.phase, 'Failed');
  assert.equal(await rig.event('polite', 'Killing'), 'Stopping container c');
});

/** Resolves when the log of the pod holds the text: the program has come that far. */
async function seen(name: string, text: string): Promise<void> {
  for await (const line of rig.client.logLines(name, { namespace, follow: true })) {
    if (line.includes(text)) return;
  }
  throw new Error(`the log of ${name} ended without ${text}`);
}

test('SIGKILL after the grace period, to the whole process group', async () => {
  const script = `trap '' TERM; sh -c "trap '' TERM; ${STAY}" & echo up; ${STAY}`;
  await rig.create('stubborn', { terminationGracePeriodSeconds: 60, containers: [shell('c', script)] });
  await rig.until('stubborn', 'ready', isReady);
  await seen('stubborn', 'up');
  await rig.client.delete<Pod>(PODS, 'stubborn', { namespace });
  await rig.event('stubborn', 'Killing');
  await rig.clock.advance(59_000);
  assert.ok(await rig.client.find<Pod>(PODS, 'stubborn', { namespace }));
  await rig.clock.advance(1_000);
  const last = await rig.gone('stubborn');
  assert.partialDeepStrictEqual(statusOf(last), { state: { terminated: { exitCode: 137 } } });
});

test('a shorter grace period hurries; force removes the object at once and the processes soon', async () => {
  const script = `trap '' TERM; echo up; ${STAY}`;
  const pod = await rig.create('forced', { containers: [shell('c', script)] });
  await rig.until('forced', 'ready', isReady);
  await seen('forced', 'up');
  await rig.client.delete<Pod>(PODS, 'forced', { namespace });
  await rig.event('forced', 'Killing');
  await rig.client.delete<Pod>(PODS, 'forced', { namespace, gracePeriodSeconds: 0 });
  await rig.gone('forced');
  const folder = join(rig.dataDir, 'pods', pod.metadata.uid ?? '');
  assert.ok(existsSync(folder), 'the process may still run');
  await rig.create('again', { restartPolicy: 'Never', containers: [shell('c', 'true')] });
  await rig.until('again', 'Succeeded', isPhase('Succeeded'));
  await rig.clock.advance(30_000);
  await removed(folder);
});

/** Resolves when a folder is gone; only the folder itself shows it. */
async function removed(folder: string): Promise<void> {
  await until(() => !existsSync(folder), `${folder} is still there`);
}

test('init containers one by one, sidecars around the others, hooks inside', async () => {
  const note = (word: string): string => `echo ${word} >> $TURNSOLE_POD_ROOT/work/order`;
  const exec = (word: string) => ({ exec: { command: ['/bin/sh', '-c', note(word)] } });
  const mounts = { volumeMounts: [{ name: 'work', mountPath: '/work' }] };
  const stay = `trap 'exit 0' TERM; ${STAY}`;
  await rig.create('order', {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: NEVER_SECONDS,
    volumes: [{ name: 'work', hostPath: { path: join(rig.dataDir, 'order'), type: 'DirectoryOrCreate' } }],
    initContainers: [
      shell('i', note('init'), mounts),
      shell('s', `trap '${note('sidecar-end')}; exit 0' TERM; ${note('sidecar')}; ${STAY}`, {
        ...mounts,
        restartPolicy: 'Always',
        startupProbe: {
          exec: { command: ['/bin/sh', '-c', 'grep -q sidecar $TURNSOLE_POD_ROOT/work/order'] },
          timeoutSeconds: NEVER_SECONDS,
          failureThreshold: 1_000,
        },
      }),
      shell('j', note('last-init'), mounts),
    ],
    containers: [
      shell('c', stay, {
        ...mounts,
        lifecycle: { postStart: exec('post-start'), preStop: exec('pre-stop') },
      }),
    ],
  });
  // The sidecar is looked at again after some milliseconds until it is up.
  const ready = rig.until('order', 'ready', isReady);
  assert.equal(statusOf(await pass(20, ready), 's')?.started, true);
  await rig.client.delete<Pod>(PODS, 'order', { namespace });
  await rig.gone('order');
  assert.deepEqual(
    readFileSync(join(rig.dataDir, 'order', 'order'), 'utf8')
      .trim()
      .split('\n'),
    ['init', 'sidecar', 'last-init', 'post-start', 'pre-stop', 'sidecar-end'],
  );
});

test('a failed liveness probe restarts the container, a failed readiness probe takes it out', async () => {
  const has = (name: string) => ({
    exec: { command: ['/bin/sh', '-c', `test -e $TURNSOLE_POD_ROOT/work/${name}`] },
    timeoutSeconds: NEVER_SECONDS,
  });
  const script = `touch $TURNSOLE_POD_ROOT/work/live $TURNSOLE_POD_ROOT/work/ready; trap 'exit 1' TERM; ${STAY}`;
  const pod = await rig.create('probed', {
    terminationGracePeriodSeconds: NEVER_SECONDS,
    volumes: [{ name: 'work', emptyDir: {} }],
    containers: [
      shell('c', script, {
        volumeMounts: [{ name: 'work', mountPath: '/work' }],
        readinessProbe: { ...has('ready'), periodSeconds: 1, failureThreshold: 1 },
        livenessProbe: { ...has('live'), periodSeconds: 1, failureThreshold: 2 },
      }),
    ],
  });
  const work = join(rig.dataDir, 'pods', pod.metadata.uid ?? '', 'volumes', 'work');
  await pass(20, rig.until('probed', 'ready', isReady));
  rmSync(join(work, 'ready'));
  await pass(
    500,
    rig.until('probed', 'unready', (found) => !isReady(found)),
  );
  assert.match(await rig.event('probed', 'Unhealthy'), /^Readiness probe failed: /);
  rmSync(join(work, 'live'));
  const restarted = await pass(
    500,
    rig.until('probed', 'restarted', (found) => statusOf(found)?.restartCount === 1),
  );
  assert.partialDeepStrictEqual(statusOf(restarted), { lastState: { terminated: { exitCode: 1 } } });
  assert.equal(await rig.event('probed', 'Killing'), 'Container c failed liveness probe, will be restarted');
  await pass(20, rig.until('probed', 'ready again', isReady));
  await rig.client.delete<Pod>(PODS, 'probed', { namespace });
  await rig.gone('probed');
});

/** Lets time pass in steps until the promise settles; a process needs real time in between. */
async function pass<T>(stepMs: number, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  const advance = async (): Promise<boolean> => {
    if (!isSettled) await rig.clock.advance(stepMs);
    return isSettled;
  };
  await until(advance, 'what time was to bring has not come');
  return promise;
}

test('an unknown image: ErrImagePull, then ImagePullBackOff, and how to add it', async () => {
  await rig.create('unknown', { containers: [{ name: 'c', image: 'shop/api:2' }] });
  const first = await rig.until('unknown', 'failing', isWaiting('ErrImagePull'));
  assert.match(
    statusOf(first)?.state?.waiting?.message ?? '',
    /name a command for it: --image shop\/api=COMMAND/,
  );
  await assert.rejects(
    rig.client.log('unknown', { namespace }),
    /is waiting to start: image can't be pulled/,
  );
  await rig.clock.advance(1_000);
  await rig.until('unknown', 'backing off', isWaiting('ImagePullBackOff'));
  await rig.client.delete<Pod>(PODS, 'unknown', { namespace });
  await rig.gone('unknown');
});

test('a missing config map is waited for, and its creation starts the container', async () => {
  await rig.create('config', {
    restartPolicy: 'Never',
    containers: [shell('c', 'echo mode $MODE', { envFrom: [{ configMapRef: { name: 'settings' } }] })],
  });
  const waiting = await rig.until('config', 'waiting', isWaiting('CreateContainerConfigError'));
  assert.equal(statusOf(waiting)?.state?.waiting?.message, 'configmap "settings" not found');
  await rig.client.create<ConfigMap>(
    CONFIG_MAPS,
    { metadata: { name: 'settings' }, data: { MODE: 'fast' } },
    { namespace },
  );
  await rig.until('config', 'Succeeded', isPhase('Succeeded'));
  assert.equal(await rig.client.log('config', { namespace }), 'mode fast\n');
});

test('a missing config map of a volume keeps the pod in ContainerCreating until it is there', async () => {
  await rig.create('volume', {
    restartPolicy: 'Never',
    volumes: [{ name: 'v', configMap: { name: 'later' } }],
    containers: [
      shell('c', 'cat $TURNSOLE_POD_ROOT/v/key', { volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
    ],
  });
  assert.match(await rig.event('volume', 'FailedMount'), /volume "v" : configmap "later" not found/);
  const waiting = await rig.until('volume', 'waiting', isWaiting('ContainerCreating'));
  assert.equal(waiting.status?.phase, 'Pending');
  await assert.rejects(
    rig.client.log('volume', { namespace }),
    /container "c" in pod "volume" is waiting to start: ContainerCreating/,
  );
  await rig.client.create<ConfigMap>(
    CONFIG_MAPS,
    { metadata: { name: 'later' }, data: { key: 'v' } },
    { namespace },
  );
  await rig.until('volume', 'Succeeded', isPhase('Succeeded'));
  assert.equal(await rig.client.log('volume', { namespace }), 'v');
});

test('a pod whose volumes never come can be deleted, and leaves no folder', async () => {
  const pod = await rig.create('stuck', {
    volumes: [{ name: 'v', configMap: { name: 'none' } }],
    containers: [shell('c', 'true')],
  });
  await rig.event('stuck', 'FailedMount');
  await rig.client.delete<Pod>(PODS, 'stuck', { namespace });
  await rig.gone('stuck');
  assert.equal(existsSync(join(rig.dataDir, 'pods', pod.metadata.uid ?? '')), false);
});

test('a program that is not there is a StartError', async () => {
  await rig.create('absent', {
    restartPolicy: 'Never',
    containers: [{ name: 'c', image: 'busybox', command: ['turnsole-none'] }],
  });
  const pod = await rig.until('absent', 'Failed', isPhase('Failed'));
  assert.partialDeepStrictEqual(statusOf(pod), {
    state: { terminated: { exitCode: 128, reason: 'StartError' } },
  });
  assert.match(await rig.event('absent', 'Failed'), /executable file not found in \$PATH/);
});

test('a pod past its active deadline fails', async () => {
  await rig.create('late', {
    activeDeadlineSeconds: 5,
    containers: [shell('c', `trap 'exit 0' TERM; ${STAY}`)],
  });
  await rig.until('late', 'ready', isReady);
  await rig.clock.advance(5_000);
  const pod = await rig.until('late', 'stopped', (found) => statusOf(found)?.state?.terminated !== undefined);
  assert.deepEqual([pod.status?.phase, pod.status?.reason], ['Failed', 'DeadlineExceeded']);
});

test('a pod runs although the process runtime cannot give all it asks for, and an Event says what is missing', async () => {
  await rig.create('odd', {
    restartPolicy: 'Never',
    containers: [shell('c', 'true', { ports: [{ containerPort: 80, hostPort: 80 }] })],
  });
  assert.equal(
    await rig.event('odd', 'NotSupported'),
    'container c: hostPort 80: is not forwarded; use the pod IP',
  );
  await rig.until('odd', 'Succeeded', isPhase('Succeeded'));
});

test('environment: services, downward API, token files, folders of its own, nothing of the cluster’s', async () => {
  process.env.TURNSOLE_TEST_SECRET = 'secret';
  const script = `
    echo host=$HOSTNAME ip=$IP secret=$TURNSOLE_TEST_SECRET api=$KUBERNETES_SERVICE_HOST
    cd $TURNSOLE_POD_ROOT/var/run/secrets/kubernetes.io/serviceaccount
    cat namespace; echo; head -1 ca.crt; cut -c1-2 token
    touch "$HOME/x" "$TMPDIR/x" && echo wrote; command -v node`;
  await rig.create('env', {
    restartPolicy: 'Never',
    containers: [
      shell('c', script, { env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }] }),
    ],
  });
  const pod = await rig.until('env', 'Succeeded', isPhase('Succeeded'));
  delete process.env.TURNSOLE_TEST_SECRET;
  const lines = (await rig.client.log('env', { namespace })).split('\n');
  assert.deepEqual(lines.slice(0, 5), [
    `host=env ip=${pod.status?.podIP} secret= api=127.0.0.1`,
    'default',
    '-----BEGIN CERTIFICATE-----',
    'ey',
    'wrote',
  ]);
  assert.equal(lines[5], join(rig.dataDir, 'images', 'bin', 'node'));
});
