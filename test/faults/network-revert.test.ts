/** Whatever happens in between, reverting removes what was added and nothing else; in real network namespaces. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { contextOf, injectInto, planFor } from './support/network-run.ts';
import { noNetworks, type TwoNetworks, twoNetworks } from './support/two-networks.ts';

const skip = noNetworks();
const LOSS = { NETWORK_PACKET_LOSS_PERCENTAGE: '40', DESTINATION_IPS: '10.99.0.11,fd99::/64|80' };

/** The queues of the pod, without what they have counted: the kernel sends packets of its own. */
const queues = async ({ pod }: TwoNetworks): Promise<string> =>
  (await pod.run(['tc', 'qdisc', 'show', 'dev', 'eth0'])).replace(/ direct_packets_stat \d+/g, '');

test('reverting twice, before injecting, and by whoever has the ledger only', { skip }, async () => {
  await using networks = await twoNetworks();
  const before = await queues(networks);
  const { fault, injection } = await planFor(networks, 'pod-network-loss', LOSS);
  const context = contextOf(networks.podUid);
  await fault.revert(injection, context);
  await fault.inject(injection, context);
  assert.notEqual(await queues(networks), before);
  // The container was restarted: its id stands for nothing any more.
  const later = {
    ...injection,
    parameters: { ...injection.parameters, containerId: 'turnsole://0123456789' },
  };
  await fault.revert(later, context);
  await fault.revert(injection, context);
  assert.equal(await queues(networks), before);
});

test('an inject that stopped half way is reverted, and can be done again', { skip }, async () => {
  await using networks = await twoNetworks();
  const before = await queues(networks);
  const { fault, injection } = await planFor(networks, 'pod-network-loss', LOSS);
  const context = contextOf(networks.podUid);
  await fault.inject(injection, context);
  const whole = await queues(networks);
  const handle = /(7[0-9a-f]{3}:) root/.exec(whole)?.[1] ?? '';
  await networks.pod.run(['tc', 'filter', 'del', 'dev', 'eth0', 'parent', handle]);
  await fault.inject(injection, context);
  assert.equal(await queues(networks), whole);
  assert.match(await networks.pod.run(['tc', 'filter', 'show', 'dev', 'eth0', 'parent', handle]), /u32/);
  await networks.pod.run(['tc', 'filter', 'del', 'dev', 'eth0', 'parent', handle]);
  await fault.revert(injection, context);
  assert.equal(await queues(networks), before);
});

test("somebody else's queue is neither replaced nor removed", { skip }, async () => {
  await using networks = await twoNetworks();
  const { fault, injection } = await planFor(networks, 'pod-network-loss', {});
  const context = contextOf(networks.podUid);
  await networks.pod.run(
    'tc qdisc add dev eth0 root handle 1: tbf rate 900mbit burst 90kb limit 1mb'.split(' '),
  );
  const before = await queues(networks);
  await assert.rejects(
    fault.inject(injection, context),
    /eth0 of pod\/shop\/web has a queue tbf 1: that does not belong to this run and would be lost; remove it/,
  );
  await fault.revert(injection, context);
  assert.equal(await queues(networks), before);
});

test('two faults on one pod: the second is refused and the first stays', { skip }, async () => {
  await using networks = await twoNetworks();
  const first = await injectInto(networks, 'pod-network-loss', {});
  const before = await queues(networks);
  const { fault, injection } = await planFor(networks, 'pod-network-rate-limit', {});
  const other = { ...injection, id: 'run2.r0.shop.web' };
  await assert.rejects(fault.inject(other, first.context), /is under another network fault already/);
  await fault.revert(other, first.context);
  assert.equal(await queues(networks), before);
  await first.revert();
});

test('an interface that is not there is named, with those that are', { skip }, async () => {
  await using networks = await twoNetworks();
  await assert.rejects(
    injectInto(networks, 'pod-network-loss', { NETWORK_INTERFACE: 'net7' }),
    /pod\/shop\/web has no interface net7; it has .*eth0: set NETWORK_INTERFACE/,
  );
});

test('a pod that is gone needs no revert; one that is there but not to be seen stays open', {
  skip,
}, async () => {
  const networks = await twoNetworks();
  const { fault, injection } = await planFor(networks, 'pod-network-loss', {});
  await networks[Symbol.asyncDispose]();
  await fault.revert(injection, contextOf('another-incarnation'));
  await assert.rejects(
    fault.revert(injection, contextOf(networks.podUid)),
    /although the pod is there; .* hostPID/,
  );
});

test('a pod without a network of its own is never touched', { skip }, async () => {
  await using networks = await twoNetworks();
  const { fault, injection } = await planFor(networks, 'pod-network-loss', {});
  // A process with the node's network.
  const child = spawn('cat', { env: { ...process.env, TURNSOLE_POD_UID: 'shared-network' } });
  const shared = { ...injection, target: { ...injection.target, uid: 'shared-network' } };
  try {
    await assert.rejects(
      fault.inject(shared, contextOf('shared-network')),
      /it has none of its own, so that the whole node would be hit/,
    );
  } finally {
    child.kill('SIGKILL');
  }
});
