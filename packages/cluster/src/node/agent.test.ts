import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Lease, Node, Pod } from '@turnsole/kube/kinds/core';
import { LEASES, NODES, PODS } from '@turnsole/kube/kinds/resources';
import { until } from '@turnsole/kube/testing/until';
import { metaMicroTime } from '@turnsole/kube/text/time';
import { AGENT_ANNOTATION, AGENT_UNTIL_ANNOTATION, agentAnnotations } from './agent-mode.ts';
import { isAlive, NODE, type NodeRig, startNodeRig } from './testing/node-rig.ts';

let rig: NodeRig;

before(async () => {
  rig = await startNodeRig();
});
after(() => rig.close());

const namespace = 'default';
const STAY = {
  name: 'c',
  image: 'busybox',
  command: ['/bin/sh', '-c', 'echo $$$$; while :; do sleep 0.05; done'],
};

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;

async function running(name: string): Promise<{ pod: Pod; pid: number }> {
  const pod = await rig.until(name, 'ready', isReady);
  for await (const line of rig.client.logLines(name, { namespace, follow: true })) {
    return { pod, pid: Number(line) };
  }
  throw new Error(`pod ${name} wrote nothing`);
}

/** Switches the agent, and waits for the proof: what it does, or that a change passes it by. */
async function setMode(mode: 'stopped' | 'off' | 'runtime-stopped' | null): Promise<void> {
  await rig.client.patch<Node>(NODES, NODE, 'merge', {
    metadata: { annotations: { 'turnsole.io/node-agent': mode } },
  });
  await rig.agentMode(mode ?? 'running');
}

async function setReady(status: 'Unknown'): Promise<void> {
  const condition = { type: 'Ready', status, reason: 'NodeStatusUnknown' };
  await rig.client.patch<Node>(
    NODES,
    NODE,
    'strategic',
    { status: { conditions: [condition] } },
    { subresource: 'status' },
  );
}

test('a stopped agent leaves its pods alone, and makes good what it missed when it starts', async () => {
  await Promise.all(['stays', 'goes', 'forced'].map((name) => rig.create(name, { containers: [STAY] })));
  const [stays, goes, forced] = await Promise.all(['stays', 'goes', 'forced'].map(running));
  assert.ok(stays && goes && forced);
  await setMode('stopped');
  await rig.client.delete<Pod>(PODS, 'goes', { namespace });
  await rig.client.delete<Pod>(PODS, 'forced', { namespace, gracePeriodSeconds: 0 });
  await rig.gone('forced');
  await rig.create('new', { containers: [STAY] });
  await setReady('Unknown');
  for (const { pid, pod } of [stays, goes, forced]) {
    assert.ok(isAlive(pid), `running processes must not end: ${pod.metadata.name} (${pid})`);
  }
  assert.equal((await rig.client.get<Pod>(PODS, 'new', { namespace })).status?.phase, 'Pending');

  await setMode(null);
  await Promise.all([running('new'), rig.node('ready again', isNodeReady)]);
  await rig.gone('goes');
  await rig.until('stays', 'still there', (pod) => pod.status?.containerStatuses?.[0]?.restartCount === 0);
  assert.ok(isAlive(stays.pid), 'what was to stay was adopted');
  await rig.dead(goes.pid);
  await rig.dead(forced.pid);
});

test('a node without power loses its processes; with power they start again, which counts', async () => {
  await rig.create('lost', { containers: [STAY] });
  await rig.create('task', { restartPolicy: 'Never', containers: [STAY] });
  const [lost, task] = await Promise.all(['lost', 'task'].map(running));
  assert.ok(lost && task);
  await setMode('off');
  await Promise.all([rig.dead(lost.pid), rig.dead(task.pid)]);
  const before = await rig.client.get<Pod>(PODS, 'lost', { namespace });
  assert.ok(isReady(before), 'no one has reported it');

  await setMode(null);
  const again = await rig.until(
    'lost',
    'restarted',
    (pod) => isReady(pod) && pod.status?.containerStatuses?.[0]?.restartCount === 1,
  );
  assert.partialDeepStrictEqual(again.status?.containerStatuses?.[0], {
    lastState: { terminated: { exitCode: 255, reason: 'Unknown' } },
  });
  const failed = await rig.until('task', 'failed', ({ status }) => status?.phase === 'Failed');
  assert.equal(failed.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 255);
});

test('a false report that the node or a pod of it is not ready is corrected', async () => {
  await rig.create('good', { containers: [STAY] });
  await running('good');
  await setReady('Unknown');
  await rig.node('ready again', isNodeReady);
  const { status } = await rig.client.get<Pod>(PODS, 'good', { namespace });
  const conditions = (status?.conditions ?? []).map((condition) =>
    condition.type === 'Ready' ? { ...condition, status: 'False' } : condition,
  );
  await rig.client.patch<Pod>(
    PODS,
    'good',
    'strategic',
    { status: { conditions } },
    { namespace, subresource: 'status' },
  );
  await rig.until('good', 'ready again', isReady);
});

for (const resource of [NODES, LEASES]) {
  test(`an agent whose first patch of ${resource.plural} fails when it starts again makes that good by itself`, async () => {
    await setMode('stopped');
    await setReady('Unknown');
    rig.failNextPatch(resource);
    await setMode(null);
    await rig.clock.advance(1_000);
    const renewed = metaMicroTime(rig.clock.now());
    await rig.node('ready again', isNodeReady);
    await until(async () => (await lease()).spec?.renewTime === renewed, 'the lease is renewed');
    const isRenewedAgain = async (): Promise<boolean> => {
      await rig.clock.advance(10_000);
      return ((await lease()).spec?.renewTime ?? '') > renewed;
    };
    await until(isRenewedAgain, 'the lease goes on being renewed');
  });
}

test('a node without its container runtime says so also when that failed at first', async () => {
  rig.failNextPatch(NODES);
  await setMode('runtime-stopped');
  await rig.clock.advance(1_000);
  await rig.node('not ready', (one) => !isNodeReady(one));
  await setMode(null);
  await rig.node('ready again', isNodeReady);
});

test('without its container runtime a node says so, starts nothing, and what runs goes on', async () => {
  await rig.create('runs', { containers: [STAY] });
  const { pid } = await running('runs');
  await setMode('runtime-stopped');
  const node = await rig.node('not ready', (one) => !isNodeReady(one));
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  assert.deepEqual([ready?.status, ready?.message], ['False', 'container runtime is down']);
  await rig.create('waits', { containers: [STAY] });
  await rig.client.delete<Pod>(PODS, 'runs', { namespace });
  await rig.agentMode('runtime-stopped');
  assert.ok(isAlive(pid));
  assert.equal((await rig.client.get<Pod>(PODS, 'waits', { namespace })).status?.phase, 'Pending');

  await setMode(null);
  await Promise.all([running('waits'), rig.gone('runs'), rig.node('ready again', isNodeReady)]);
  await rig.dead(pid);
});

test('an agent that is stopped for a while runs again by itself, and not before it was put off', async () => {
  const stopFor = async (seconds: number): Promise<void> => {
    const annotations = agentAnnotations('off', rig.clock.now() + seconds * 1000);
    const { metadata } = await rig.client.patch<Node>(NODES, NODE, 'merge', { metadata: { annotations } });
    await rig.node('seen', ({ metadata: { annotations } }) =>
      isDeepStrictEqual(annotations, metadata.annotations),
    );
    await rig.agentMode('off');
  };
  const isMarked = ({ metadata }: Node): boolean => metadata.annotations?.[AGENT_ANNOTATION] === 'off';
  await stopFor(30);
  await rig.clock.advance(20_000);
  await stopFor(30);
  await rig.clock.advance(29_000);
  assert.ok(isMarked(await rig.client.get<Node>(NODES, NODE)), 'it was put off');
  await rig.clock.advance(1_000);
  const { metadata } = await rig.node('running again', (node) => !isMarked(node));
  assert.equal(metadata.annotations?.[AGENT_UNTIL_ANNOTATION], undefined);
  await rig.agentMode('running');
  await rig.node('ready', isNodeReady);
});

function lease(): Promise<Lease> {
  return rig.client.get<Lease>(LEASES, NODE, { namespace: 'kube-node-lease' });
}

function isNodeReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}
