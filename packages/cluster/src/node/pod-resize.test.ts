/** Pods that are resized, on a node whose clock the test moves. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Pod, PodSpec, ResourceRequirements } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { type NodeRig, startNodeRig } from './testing/node-rig.ts';

let rig: NodeRig;

before(async () => {
  rig = await startNodeRig();
});
after(() => rig.close());

const namespace = 'default';
const AMOUNTS = { requests: { cpu: '100m' }, limits: { cpu: '200m', memory: '128Mi' } };

function podSpec(resources: ResourceRequirements, more: object = {}): PodSpec {
  return {
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'main', image: 'busybox', command: ['sleep', '600'], resources, ...more }],
  };
}

async function resize(name: string, resources: ResourceRequirements): Promise<Pod> {
  const spec = { containers: [{ name: 'main', resources }] };
  return rig.client.patch<Pod>(PODS, name, 'strategic', { spec }, { namespace, subresource: 'resize' });
}

const main = ({ status }: Pod) => status?.containerStatuses?.[0];
const isReady = (pod: Pod): boolean => main(pod)?.ready === true;
const pending = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === 'PodResizePending');
const cpuOf = (pod: Pod): unknown => main(pod)?.resources?.requests?.cpu;

/** What the node has left for one more pod that takes everything. */
async function wholeNode(): Promise<string> {
  const { status } = await rig.node('there', () => true);
  return status?.allocatable?.cpu ?? '';
}

test('a running container gets what it is to have without a restart, and the status says so', async () => {
  await rig.create('grows', podSpec(AMOUNTS));
  const before = await rig.until('grows', 'ready', isReady);
  assert.deepEqual(main(before)?.resources, { ...AMOUNTS, requests: { cpu: '100m', memory: '128Mi' } });
  await resize('grows', { requests: { cpu: '150m' }, limits: { cpu: '300m' } });
  const grown = await rig.until('grows', 'resized', (pod) => cpuOf(pod) === '150m');
  assert.deepEqual(main(grown)?.resources, {
    limits: { cpu: '300m', memory: '128Mi' },
    requests: { cpu: '150m', memory: '128Mi' },
  });
  assert.deepEqual(main(grown)?.allocatedResources, { cpu: '150m', memory: '128Mi' });
  assert.equal(main(grown)?.restartCount, 0);
  assert.equal(main(grown)?.containerID, main(before)?.containerID);
  const summary =
    '{"containers":[{"name":"main","resources":{"limits":{"cpu":"300m","memory":"128Mi"},"requests":{"cpu":"150m","memory":"128Mi"}}}],"generation":2}';
  assert.equal(await rig.event('grows', 'ResizeStarted'), `Pod resize started: ${summary}`);
  assert.equal(await rig.event('grows', 'ResizeCompleted'), `Pod resize completed: ${summary}`);
});

test('what the node has no room for is deferred, and granted when another pod is gone', async () => {
  await rig.create('other', podSpec({ requests: { cpu: '100m' } }));
  await rig.create('waits', podSpec({ requests: { cpu: '100m' } }));
  await Promise.all(['other', 'waits'].map((name) => rig.until(name, 'ready', isReady)));
  await rig.client.delete<Pod>(PODS, 'grows', { namespace, gracePeriodSeconds: 0 });
  await rig.gone('grows');
  const all = await wholeNode();
  await resize('waits', { requests: { cpu: all } });
  const deferred = await rig.until('waits', 'deferred', (pod) => pending(pod) !== undefined);
  const { reason, status, message } = pending(deferred) ?? {};
  const words = `Node didn't have enough resource: cpu, requested: ${Number(all) * 1000}, used: 100, capacity: ${Number(all) * 1000}`;
  assert.deepEqual([reason, status, message], ['Deferred', 'True', words]);
  assert.deepEqual(main(deferred)?.allocatedResources, { cpu: '100m' });
  assert.equal(cpuOf(deferred), '100m');
  assert.match(
    await rig.event('waits', 'ResizeDeferred'),
    /^Pod resize Deferred: \{.*"error":"Node didn't have/,
  );

  await rig.client.delete<Pod>(PODS, 'other', { namespace, gracePeriodSeconds: 0 });
  const granted = await rig.until(
    'waits',
    'granted',
    (pod) => cpuOf(pod) === all && pending(pod) === undefined,
  );
  assert.deepEqual(main(granted)?.allocatedResources, { cpu: all });
  await rig.client.delete<Pod>(PODS, 'waits', { namespace, gracePeriodSeconds: 0 });
  await rig.gone('waits');
});

test('a container whose policy says so is started again with what it is to have, at once', async () => {
  const resizePolicy = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
  const spec = podSpec(AMOUNTS, { resizePolicy });
  await rig.create('restarts', { ...spec, restartPolicy: 'OnFailure' });
  await rig.until('restarts', 'ready', isReady);
  await resize('restarts', { limits: { cpu: '300m' } });
  const same = await rig.until('restarts', 'resized', (pod) => main(pod)?.resources?.limits?.cpu === '300m');
  assert.equal(main(same)?.restartCount, 0, 'the policy speaks of memory');
  await resize('restarts', { limits: { memory: '256Mi' } });
  const again = await rig.until(
    'restarts',
    'started again',
    (pod) => main(pod)?.restartCount === 1 && isReady(pod),
  );
  assert.equal(main(again)?.resources?.limits?.memory, '256Mi');
  assert.equal(await rig.event('restarts', 'Killing'), 'Container main resize requires restart');
  const completed = (await rig.events('restarts')).filter((event) => event.startsWith('ResizeCompleted'));
  assert.equal(completed.length, 2);
});
