/**
 * What the faults on packets do, measured from outside of the pod: in two network namespaces joined by a wire. Runs as root,
 * here with what this kernel has, and with everything in `npm run test:netem`.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '@turnsole/kube/text/environment';
import type { InjectionEffect } from '../../src/api/index.ts';
import { kernelHasQueue } from '../../src/faults/network/queue.ts';
import { binomialBounds } from './support/binomial.ts';
import { ECHO, KEPT_TRIPS, ROUND_TRIPS, SENDER, SINK, SOURCE } from './support/network-peers.ts';
import { type InForce, injectInto } from './support/network-run.ts';
import {
  type NetworkEnd,
  noNetworks,
  received,
  type TwoNetworks,
  twoNetworks,
} from './support/two-networks.ts';

const skip = noNetworks();
const withoutNetem =
  skip !== false
    ? skip
    : (await kernelHasQueue('netem'))
      ? false
      : 'this kernel has no netem; npm run test:netem boots one';

const withNetem =
  skip !== false ? skip : withoutNetem === false ? 'this kernel has netem, which does it' : false;

const COUNT = 3000;
/** Enough where all or nothing arrives. */
const FEW = 50;
const PORT = 4000;

/** A sender in the pod; `count` says how many of its datagrams of one go have reached the outside. */
async function datagrams({ pod, outside }: TwoNetworks, addresses: readonly string[], count = COUNT) {
  const sender = pod.start(SENDER, [String(count), String(PORT), ...addresses]);
  await sender.line();
  return {
    count: async () => {
      const before = received(outside);
      sender.child.stdin?.write('\n');
      await sender.line();
      const after = received(outside);
      return { v4: after.datagrams4 - before.datagrams4, v6: after.datagrams6 - before.datagrams6 };
    },
    stop: sender.stop,
  };
}

function assertWithin(found: number, [low, high]: readonly [number, number], what: string): void {
  assert.ok(found >= low && found <= high, `${what}: ${found}, expected ${low} to ${high}`);
}

test('loss: the share that is set is lost, of both families, and nothing afterwards', { skip }, async () => {
  await using networks = await twoNetworks();
  const { v4, v6 } = networks.outside.addresses;
  const sent = await datagrams(networks, [v4, v6]);
  assert.deepEqual(await sent.count(), { v4: COUNT, v6: COUNT });
  const fault = await injectInto(networks, 'pod-network-loss', { NETWORK_PACKET_LOSS_PERCENTAGE: '30' });
  const during = await sent.count();
  assertWithin(during.v4, binomialBounds(COUNT, 0.7), 'arrived of IPv4');
  assertWithin(during.v6, binomialBounds(COUNT, 0.7), 'arrived of IPv6');
  await fault.revert();
  assert.deepEqual(await sent.count(), { v4: COUNT, v6: COUNT });
  sent.stop();
});

test('loss of all packets to some destinations leaves the others alone', { skip }, async () => {
  await using networks = await twoNetworks();
  const { v4, other4, v6, other6 } = networks.outside.addresses;
  const cases: readonly (readonly [string, Environment, readonly string[], { v4: number; v6: number }])[] = [
    ['one IPv4 address', { DESTINATION_IPS: v4 }, [v4, other4, v6], { v4: FEW, v6: FEW }],
    ['one IPv6 address', { DESTINATION_IPS: v6 }, [v4, v6, other6], { v4: FEW, v6: FEW }],
    [
      'a CIDR of each family',
      { DESTINATION_IPS: `${other4}/30,fd99::/64` },
      [v4, other4, v6],
      { v4: FEW, v6: 0 },
    ],
    [
      'an address with another port',
      { DESTINATION_IPS: `${v4}|${PORT + 1}|80` },
      [v4, v6],
      { v4: FEW, v6: FEW },
    ],
    ['an address with this port', { DESTINATION_IPS: `${v4}|80|${PORT}` }, [v4, v6], { v4: 0, v6: FEW }],
    ['a range of ports', { DESTINATION_PORTS: `${PORT - 7}-${PORT + 3}` }, [v4, v6], { v4: 0, v6: 0 }],
    ['all but a port', { DESTINATION_PORTS: `!${PORT}` }, [v4, v6], { v4: FEW, v6: FEW }],
    ['all but other ports', { DESTINATION_PORTS: '!53,80' }, [v4, v6], { v4: 0, v6: 0 }],
    [
      'a port at an address, but for another port',
      { DESTINATION_IPS: v4, DESTINATION_PORTS: '!80' },
      [v4, other4],
      { v4: FEW, v6: 0 },
    ],
    ['the port of somebody else', { SOURCE_PORTS: '1' }, [v4], { v4: FEW, v6: 0 }],
    ['a host name', { DESTINATION_HOSTS: 'localhost' }, [v4], { v4: FEW, v6: 0 }],
  ];
  for (const [name, env, addresses, expected] of cases) {
    const sent = await datagrams(networks, addresses, FEW);
    const fault = await injectInto(networks, 'pod-network-loss', env);
    const found = await sent.count();
    await fault.revert();
    assert.deepEqual(found, expected, name);
    sent.stop();
  }
});

test('a share of the packets to one address', { skip }, async () => {
  await using networks = await twoNetworks();
  const { v4, other4, v6 } = networks.outside.addresses;
  const sent = await datagrams(networks, [other4, v6]);
  const env = { NETWORK_PACKET_LOSS_PERCENTAGE: '50', DESTINATION_IPS: `${v4},${v6}` };
  const fault = await injectInto(networks, 'pod-network-loss', env);
  const found = await sent.count();
  await fault.revert();
  assert.equal(found.v4, COUNT);
  assertWithin(found.v6, binomialBounds(COUNT, 0.5), 'arrived of IPv6');
  sent.stop();
});

test('rate limit: bytes leave at the rate that is set, others unhindered, and all of them afterwards', {
  skip,
}, async () => {
  await using networks = await twoNetworks();
  const { pod, outside } = networks;
  const source = pod.start(SOURCE, ['5000']);
  await source.line();
  const rateOf = async (address: string, ms: number, settleMs: number): Promise<number> => {
    const sink = outside.start(SINK, [address, '5000']);
    await sink.line();
    // The burst, which has to outlast the pauses of a busy machine, and what the sender's congestion control makes of the new rate.
    await delay(settleMs);
    const [start, before] = [performance.now(), received(outside).bytes];
    await delay(ms);
    const rate = ((received(outside).bytes - before) * 8) / ((performance.now() - start) / 1000);
    sink.stop();
    return rate;
  };
  const mbit = 1e6;
  // Far above the limit, and an emulated machine with a part of one processor still gets that through.
  const unhindered = async (): Promise<void> => {
    const rate = await rateOf(pod.addresses.v4, 1000, 200);
    assert.ok(rate > 20 * mbit, `only ${(rate / mbit).toFixed(1)} Mbit/s come through`);
  };
  for (const [env, address] of [
    [{}, pod.addresses.v4],
    [{ DESTINATION_IPS: outside.addresses.v6 }, pod.addresses.v6],
  ] as const) {
    const fault = await injectInto(networks, 'pod-network-rate-limit', {
      NETWORK_BANDWIDTH: '8mbit',
      BURST: '128kb',
      ...env,
    });
    assertWithin(await rateOf(address, 2500, 700), [7.2 * mbit, 8.8 * mbit], `bits per second to ${address}`);
    if ('DESTINATION_IPS' in env) await unhindered();
    await fault.revert();
  }
  await unhindered();
  source.stop();
});

/** Round trips from outside to an echo server in the pod, the shortest first. */
async function echo({ pod, outside }: { readonly pod: NetworkEnd; readonly outside: NetworkEnd }) {
  const server = pod.start(ECHO, ['6000']);
  await server.line();
  const client = outside.start(ROUND_TRIPS);
  await client.line();
  return {
    times: async (address: string, rounds = 9): Promise<number[]> => {
      client.child.stdin?.write(`${address} 6000 ${rounds}\n`);
      // The program writes a list of numbers.
      return (JSON.parse(await client.line()) as number[]).sort((a, b) => a - b);
    },
    stop: () => {
      server.stop();
      client.stop();
    },
  };
}

/** The effect of a fault in force, by its own count. */
async function effectOf({ fault, injection, context }: InForce): Promise<InjectionEffect | undefined> {
  assert.equal(fault.shape, 'sustained');
  return fault.shape === 'sustained' ? fault.effect?.(injection, context) : undefined;
}

/** Of trips that all take longer by a latency, the shortest is the one that this machine has held up least. */
const shortest = ([first = Number.NaN]: readonly number[]): number => first;

test('latency: a round trip takes that much longer, not to other addresses, and not afterwards', {
  skip: withoutNetem,
}, async () => {
  await using networks = await twoNetworks();
  const { pod, outside } = networks;
  const trips = await echo(networks);
  const without = shortest(await trips.times(pod.addresses.v4));
  for (const env of [{}, { DESTINATION_IPS: `${outside.addresses.v4},${outside.addresses.v6}` }]) {
    const fault = await injectInto(networks, 'pod-network-latency', { NETWORK_LATENCY: '200', ...env });
    for (const address of [pod.addresses.v4, pod.addresses.v6]) {
      assertWithin(shortest(await trips.times(address)) - without, [180, 220], `added ms at ${address}`);
    }
    await fault.revert();
  }
  const others = await injectInto(networks, 'pod-network-latency', {
    NETWORK_LATENCY: '200',
    DESTINATION_IPS: outside.addresses.other4,
  });
  assert.ok(shortest(await trips.times(pod.addresses.v4)) < 100);
  await others.revert();
  assert.ok(shortest(await trips.times(pod.addresses.v6)) < 100);
  trips.stop();
});

test("latency without netem: what the pod's TCP servers send is delayed by proxies", {
  skip: withNetem,
}, async () => {
  await using networks = await twoNetworks();
  const { pod } = networks;
  const trips = await echo(networks);
  const without = shortest(await trips.times(pod.addresses.v4));
  const env = { NETWORK_LATENCY: '300', SOURCE_PORTS: '!22' };
  const fault = await injectInto(networks, 'pod-network-latency', env);
  for (const address of [pod.addresses.v4, pod.addresses.v6]) {
    assertWithin(shortest(await trips.times(address, 5)) - without, [270, 330], `added ms at ${address}`);
  }
  await fault.revert();
  assert.ok(shortest(await trips.times(pod.addresses.v4)) < 150);
  assert.doesNotMatch(await pod.run(['nft', 'list', 'ruleset']), /turnsole/);
  await assert.rejects(
    injectInto(networks, 'pod-network-latency', { DESTINATION_IPS: '10.0.0.1', JITTER: '5' }),
    /with JITTER, DESTINATION_IPS: the kernel of this node has no netem queue \(module sch_netem/,
  );
  trips.stop();
});

for (const [latency, most] of [
  [400, 800],
  [50, 400],
] as const) {
  test(`latency of ${latency} ms without netem: a connection that is open is delayed, in whole answers, and not reset`, {
    skip: withNetem,
  }, async () => {
    await using networks = await twoNetworks();
    const { pod, outside } = networks;
    const server = pod.start(ECHO, ['6000']);
    await server.line();
    const clients = [pod.addresses.v4, pod.addresses.v6].map((address) =>
      outside.start(KEPT_TRIPS, [address, '6000']),
    );
    for (const client of clients) await client.line();
    const trips = async (
      client: (typeof clients)[number],
      bytes: number,
      rounds: number,
    ): Promise<number[]> => {
      client.child.stdin?.write(`${bytes} ${rounds}\n`);
      // The program writes a list of numbers, or how the connection ended.
      const found: unknown = JSON.parse(await client.line());
      assert.ok(Array.isArray(found), String(found));
      return (found as number[]).sort((a, b) => a - b);
    };
    const fault = await injectInto(networks, 'pod-network-latency', { NETWORK_LATENCY: String(latency) });
    for (const client of clients) {
      // Of a long answer more comes by itself; a short one is sent again after 200 ms at the earliest.
      for (const [bytes, least] of [
        [1, Math.max(latency, 200)],
        [400_000, latency],
      ] as const) {
        const times = await trips(client, bytes, 4);
        assert.ok(
          times.every((ms) => ms >= least * 0.95),
          `${bytes} bytes: ${times}`,
        );
        assert.ok(shortest(times) < most, `${bytes} bytes: ${times}`);
      }
    }
    const effect = await effectOf(fault);
    assert.match(
      `${effect?.seen} ${effect?.message}`,
      /^true answers on connections from before to .* were held back \d+ times$/,
    );
    await fault.revert();
    for (const client of clients) assert.ok(shortest(await trips(client, 1, 3)) < 150);
    for (const { stop } of [server, ...clients]) stop();
  });
}

test('latency without netem: open connections that are to be left alone, or reset', {
  skip: withNetem,
}, async () => {
  await using networks = await twoNetworks();
  const { pod, outside } = networks;
  const server = pod.start(ECHO, ['6000']);
  await server.line();
  const client = outside.start(KEPT_TRIPS, [pod.addresses.v4, '6000']);
  await client.line();
  const ask = async (): Promise<unknown> => {
    client.child.stdin?.write('1 3\n');
    return JSON.parse(await client.line());
  };
  const env = { NETWORK_LATENCY: '400' };
  const kept = await injectInto(networks, 'pod-network-latency', { ...env, OPEN_CONNECTIONS: 'keep' });
  const times = (await ask()) as number[];
  assert.ok(Math.min(...times) < 150, `${times}`);
  const effect = await effectOf(kept);
  assert.match(
    `${effect?.seen} ${effect?.message}`,
    /^false no new connection came to .*; 1 connection from before was left alone/,
  );
  await kept.revert();
  const reset = await injectInto(networks, 'pod-network-latency', { ...env, OPEN_CONNECTIONS: 'reset' });
  assert.equal(await ask(), 'ECONNRESET');
  await reset.revert();
  for (const { stop } of [server, client]) stop();
});

test('jitter: delays are spread around the latency', { skip: withoutNetem }, async () => {
  await using networks = await twoNetworks();
  const trips = await echo(networks);
  const fault = await injectInto(networks, 'pod-network-latency', { NETWORK_LATENCY: '100', JITTER: '60' });
  const times = await trips.times(networks.pod.addresses.v4, 60);
  await fault.revert();
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  assert.ok(first >= 35 && first < 80, `shortest ${first} ms`);
  assert.ok(last > 120, `longest ${last} ms`);
  trips.stop();
});

test('duplication: the share that is set comes twice', { skip: withoutNetem }, async () => {
  await using networks = await twoNetworks();
  const sent = await datagrams(networks, [networks.outside.addresses.v4]);
  const fault = await injectInto(networks, 'pod-network-duplication', {
    NETWORK_PACKET_DUPLICATION_PERCENTAGE: '40',
  });
  const { v4 } = await sent.count();
  await fault.revert();
  assertWithin(v4 - COUNT, binomialBounds(COUNT, 0.4), 'duplicates');
  assert.equal((await sent.count()).v4, COUNT);
  sent.stop();
});

test('corruption: the share that is set has a wrong bit, which the receiver refuses', {
  skip: withoutNetem,
}, async () => {
  await using networks = await twoNetworks();
  const sent = await datagrams(networks, [networks.outside.addresses.v4]);
  const fault = await injectInto(networks, 'pod-network-corruption', {
    NETWORK_PACKET_CORRUPTION_PERCENTAGE: '40',
  });
  const { v4 } = await sent.count();
  await fault.revert();
  // A few flips hit what no checksum covers, such as the addresses of the wire.
  const [low] = binomialBounds(COUNT, 0.6);
  const [, high] = binomialBounds(COUNT, 0.66);
  assertWithin(v4, [low, high], 'arrived whole');
  assert.equal((await sent.count()).v4, COUNT);
  sent.stop();
});
