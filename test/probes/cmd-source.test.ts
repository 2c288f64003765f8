/** A cmdProbe that runs its command in a pod of its own, on a real cluster. */
import assert from 'node:assert/strict';
import { readlinkSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { EmbeddedCluster } from '@turnsole/cluster/cluster/types';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Node, Pod, Secret } from '@turnsole/kube/kinds/core';
import { NODES, PODS, SECRETS } from '@turnsole/kube/kinds/resources';
import { type Clock, systemClock, waitForList } from '@turnsole/kube/runtime/index';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { Probe } from '../../src/api/schema/probe.ts';
import { startChaosCluster } from '../../src/embedded/index.ts';
import { createProbeRunner } from '../../src/experiment/probes/runner.ts';
import type { ProbeRunner } from '../../src/experiment/probes/runner-types.ts';
import { PassCounter } from '../../src/experiment/probes/testing/builders.ts';

const place = { namespace: 'default' };
const OF_RUN = { ...place, labelSelector: 'chaosUID=engine-uid', timeoutMs: PATIENCE_MS };
let cluster: EmbeddedCluster;
let client: KubeClient;

before(async () => {
  cluster = await startChaosCluster();
  client = createClient(cluster.adminConfig);
});

after(async () => {
  client.close();
  await cluster.close({ graceMs: 0 });
});

type Source = NonNullable<NonNullable<Probe['cmdProbe/inputs']>['source']>;

function probe(mode: Probe['mode'], command: string, value: string, source: Partial<Source> = {}): Probe {
  return {
    name: 'in-a-pod',
    type: 'cmdProbe',
    mode,
    'cmdProbe/inputs': {
      command,
      comparator: { type: 'string', criteria: 'equal', value },
      source: { image: 'busybox', ...source },
    },
    runProperties: { probeTimeout: '20s', interval: '0s', probePollingInterval: '50ms' },
  };
}

function runnerOf(
  probes: readonly Probe[],
  env: Record<string, string> = {},
  patience: { readonly timeoutSeconds: number; readonly clock: Clock } = {
    timeoutSeconds: 20,
    clock: systemClock,
  },
): ProbeRunner {
  return createProbeRunner({
    probes,
    client,
    clock: patience.clock,
    signal: new AbortController().signal,
    env: {
      CHAOS_NAMESPACE: 'default',
      EXPERIMENT_NAME: 'pod-delete',
      CHAOS_UID: 'engine-uid',
      LIB_IMAGE_PULL_POLICY: 'IfNotPresent',
      ...env,
    },
    statusCheckTimeoutSeconds: patience.timeoutSeconds,
    logger: passes.logger,
    onUpdate: () => {},
    onStop: () => {},
  });
}

const passes = new PassCounter();

/** Says that the fault is in force, and resolves when the probe has passed a run of that time. */
async function measuredInForce(runner: ProbeRunner): Promise<void> {
  runner.chaosBegan();
  await passes.newRuns(['in-a-pod']);
}

/** Resolves when no pod of the run is there any more. */
const allGone = (): Promise<unknown> => waitForList<Pod>(client, PODS, (pods) => pods.length === 0, OF_RUN);

test('the command runs in the pod that the source describes, which goes afterwards', async () => {
  const source = {
    env: [{ name: 'GREETING', value: 'hello' }],
    labels: { team: 'shop' },
    annotations: { why: 'probe' },
  };
  const runner = runnerOf([probe('SOT', 'echo $GREETING', 'hello', source)]);
  const seen = waitForList<Pod>(client, PODS, (pods) => pods.length === 1, OF_RUN);
  const outcome = await runner.preChaos();
  assert.equal(outcome.ok, true, JSON.stringify(outcome));
  const [pod] = await seen;
  assert.match(pod?.metadata.name ?? '', /^pod-delete-probe-[0-9a-f]{6}$/);
  assert.deepEqual(pod?.metadata.labels, { name: pod?.metadata.name, chaosUID: 'engine-uid', team: 'shop' });
  assert.equal(pod?.metadata.annotations?.why, 'probe');
  assert.equal(pod?.spec?.containers[0]?.name, 'pod-delete-probe');
  await allGone();
});

test('every field of the source reaches the pod and the command', async () => {
  const data = { token: Buffer.from('s3cret').toString('base64') };
  await client.create<Secret>(SECRETS, { metadata: { name: 'keys' }, data }, place);
  const [node] = (await client.list<Node>(NODES)).items;
  assert.ok(node);
  // Nobody else may run there, and the pod may run nowhere else.
  const taint = { key: 'kept-for', value: 'probes', effect: 'NoSchedule' };
  const change = (patch: object): Promise<unknown> =>
    client.patch<Node>(NODES, node.metadata.name, 'merge', patch);
  await change({ metadata: { labels: { 'probe-node': 'yes' } }, spec: { taints: [taint] } });
  const source: Source = {
    image: 'busybox:1.36',
    imagePullPolicy: 'Never',
    imagePullSecrets: [{ name: 'keys' }],
    hostNetwork: true,
    privileged: true,
    command: ['/bin/sh', '-c'],
    args: ['echo began > $HOME/began; exec sleep 1000'],
    env: [
      { name: 'PLAIN', value: 'one' },
      { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'keys', key: 'token' } } },
    ],
    labels: { team: 'shop', name: 'mine' },
    annotations: { why: 'probe' },
    nodeSelector: { 'probe-node': 'yes' },
    tolerations: [{ key: 'kept-for', operator: 'Equal', value: 'probes', effect: 'NoSchedule' }],
    volumes: [{ name: 'keys', secret: { secretName: 'keys' } }],
    volumeMount: [{ name: 'keys', mountPath: '/etc/keys', readOnly: true }],
  };
  try {
    const command =
      'echo $PLAIN $TOKEN $(cat $TURNSOLE_POD_ROOT/etc/keys/token) $(readlink /proc/self/ns/net)';
    const expected = `one s3cret s3cret ${readlinkSync('/proc/self/ns/net')}`;
    const runner = runnerOf([probe('Continuous', command, expected, source)]);
    const outcome = await runner.preChaos();
    assert.equal(outcome.ok, true, JSON.stringify(outcome));
    const { items } = await client.list<Pod>(PODS, OF_RUN);
    const { metadata, spec } = items[0] ?? { metadata: { name: '' } };
    assert.deepEqual(metadata.labels, { name: 'mine', chaosUID: 'engine-uid', team: 'shop' });
    assert.equal(metadata.annotations?.why, 'probe');
    assert.equal(spec?.hostNetwork, true);
    assert.equal(spec.restartPolicy, 'Never');
    assert.deepEqual(spec.imagePullSecrets, source.imagePullSecrets);
    assert.deepEqual(spec.nodeSelector, source.nodeSelector);
    const { image, imagePullPolicy, securityContext, args } = spec.containers[0] ?? {};
    assert.deepEqual(
      { image, imagePullPolicy, securityContext, args },
      {
        image: source.image,
        imagePullPolicy: 'Never',
        securityContext: { privileged: true },
        args: source.args,
      },
    );
    await measuredInForce(runner);
    const after = await runner.postChaos();
    assert.equal(after.ok, true, JSON.stringify(after));
  } finally {
    await change({ metadata: { labels: { 'probe-node': null } }, spec: { taints: null } });
    await client.delete(SECRETS, 'keys', place);
  }
  await allGone();
});

test('a command that hangs in the pod is given up at probeTimeout', async () => {
  const hanging = probe('SOT', 'sleep 1000', '');
  const limited = { ...hanging, runProperties: { ...hanging.runProperties, probeTimeout: '300ms' } };
  const outcome = await runnerOf([limited]).preChaos();
  assert.ok(!outcome.ok);
  assert.equal(`${outcome.kind} ${outcome.code}`, 'failure CMD_PROBE_FAILURE');
  assert.match(outcome.message, /probe failed due to timeout/);
  await allGone();
});

test('a background probe keeps one pod for all its runs, and gives it back', async () => {
  const runner = runnerOf([probe('Continuous', 'hostname > $HOME/name; wc -l < $HOME/name', '1')]);
  assert.equal((await runner.preChaos()).ok, true);
  const { items } = await client.list<Pod>(PODS, OF_RUN);
  assert.equal(items.length, 1);
  await measuredInForce(runner);
  const outcome = await runner.postChaos();
  assert.equal(outcome.ok, true, JSON.stringify(outcome));
  assert.equal(runner.statuses()[0]?.status.verdict, 'Passed');
  await allGone();
});

test('an abort removes the pod', async () => {
  const runner = runnerOf([probe('Continuous', 'sleep 100', '')]);
  assert.equal((await runner.preChaos()).ok, true);
  await runner.abort();
  await allGone();
});

test('what the command says and how it ends is judged as in the experiment pod', async () => {
  const failed = await runnerOf([probe('SOT', 'echo no', 'yes')]).preChaos();
  assert.ok(!failed.ok);
  assert.equal(failed.code, 'CMD_PROBE_FAILURE');
  const broken = await runnerOf([probe('SOT', 'echo oh; exit 3', 'oh')]).preChaos();
  assert.ok(!broken.ok);
  assert.match(broken.message, /ended with exit code 3; stdout: 'oh'/);
  await allGone();
});

test('a pod that cannot start ends the phase with the reason, and goes', async () => {
  const patience = { timeoutSeconds: 2, clock: fastClock(1) };
  const runner = runnerOf([probe('Continuous', 'true', '', { image: 'no/such-image' })], {}, patience);
  const outcome = await runner.preChaos();
  assert.ok(!outcome.ok);
  assert.match(
    outcome.message,
    /source pod default\/pod-delete-probe-\w+ is not ready after 2 s: .*no\/such-image/,
  );
  await allGone();
});

test('a pod of which nothing is known in time ends the phase with how far it is, and goes', async () => {
  const clock: Clock = { ...systemClock, setTimer: (_ms, callback) => systemClock.setTimer(0, callback) };
  const runner = runnerOf([probe('SOT', 'true', '')], {}, { timeoutSeconds: 20, clock });
  const outcome = await runner.preChaos();
  assert.ok(!outcome.ok);
  assert.match(
    outcome.message,
    /source pod default\/pod-delete-probe-\w+ is not ready after 20 s: it has no node yet/,
  );
  await allGone();
});

test('with inheritInputs it has the environment of the experiment, and goes with the experiment’s pod', async () => {
  await client.create<Pod>(
    PODS,
    {
      metadata: { name: 'experiment', namespace: 'default' },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'main',
            image: 'busybox',
            command: ['sleep', '1000'],
            env: [{ name: 'COLOUR', value: 'blue' }],
          },
        ],
      },
    },
    place,
  );
  const own = { POD_NAME: 'experiment' };
  const runner = runnerOf([probe('Continuous', 'echo $COLOUR', 'blue', { inheritInputs: true })], own);
  const outcome = await runner.preChaos();
  assert.equal(outcome.ok, true, JSON.stringify(outcome));
  await client.delete(PODS, 'experiment', { ...place, gracePeriodSeconds: 0 });
  await allGone();
  await runner.abort();
});
