import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSettings } from '../../experiment/injection/settings/compile-settings.ts';
import { parseTunables } from '../../experiment/injection/settings/parse-tunables.ts';
import { faultRegistry } from '../index.ts';
import { addressesOf } from './addresses.ts';
import { handleOf } from './network-fault.ts';
import { parseSelection, portMasks } from './packet-filter.ts';
import { isCgroupOfPod } from './pod-network.ts';
import { parseRate, parseSize } from './pod-network-rate-limit.ts';
import { parseRoot } from './queue.ts';
import { isOwnHandle, type QueueEffect, tcPlan } from './tc-plan.ts';

const none = { DESTINATION_IPS: [], DESTINATION_HOSTS: [], SOURCE_PORTS: [], DESTINATION_PORTS: [] };
const target = { kind: 'pod', namespace: 'shop', name: 'web', uid: 'u', container: 'app', node: 'n' };

async function planned(name: string, env: Record<string, string>, observed: object = {}) {
  const fault = await faultRegistry.get(name)?.();
  assert.ok(fault !== undefined);
  const { values } = parseTunables(fault.tunables, env, () => 0);
  return fault.plan({
    tunables: values,
    targets: [{ ...target, observed: { uid: 'u', containerId: 'c', ...observed } }],
    round: 0,
    random: () => 0,
  })[0];
}

const EFFECTS: readonly (readonly [string, Record<string, string>, string, string])[] = [
  ['pod-network-latency', {}, 'netem', 'limit 20000 delay 2000ms'],
  [
    'pod-network-latency',
    { NETWORK_LATENCY: '50', JITTER: '5', CORRELATION: '25' },
    'netem',
    'limit 20000 delay 50ms 5ms 25%',
  ],
  ['pod-network-latency', { NETWORK_LATENCY: '50', CORRELATION: '25' }, 'netem', 'limit 20000 delay 50ms'],
  ['pod-network-loss', {}, 'netem', 'loss 100%'],
  [
    'pod-network-loss',
    { NETWORK_PACKET_LOSS_PERCENTAGE: '20-40', CORRELATION: '10' },
    'netem',
    'loss 20% 10%',
  ],
  ['pod-network-corruption', { NETWORK_PACKET_CORRUPTION_PERCENTAGE: '0.5' }, 'netem', 'corrupt 0.5%'],
  ['pod-network-duplication', {}, 'netem', 'duplicate 100%'],
  ['pod-network-rate-limit', {}, 'tbf', 'rate 1mbit burst 32kb limit 2mb'],
  [
    'pod-network-rate-limit',
    { NETWORK_BANDWIDTH: '5mbit', PEAK_RATE: '10mbit', MIN_BURST: '1600' },
    'tbf',
    'rate 5mbit burst 32kb limit 2mb peakrate 10mbit mtu 1600',
  ],
];
for (const [name, env, kind, args] of EFFECTS) {
  test(`${name} with ${JSON.stringify(env)} is ${kind} ${args}`, async () => {
    // Made by the plan of these faults.
    const effect = (await planned(name, env))?.parameters.effect as QueueEffect;
    const input = {
      device: 'eth0',
      handle: '7abc:',
      splitter: 'prio',
      selection: { only: [], except: [] },
    } as const;
    assert.deepEqual(tcPlan({ ...input, effect }), [`qdisc add dev eth0 root handle 7abc: ${kind} ${args}`]);
  });
}

const WRONG: readonly (readonly [string, Record<string, string>, RegExp])[] = [
  ['pod-network-latency', { NETWORK_LATENCY: '2s' }, /NETWORK_LATENCY/],
  ['pod-network-latency', { JITTER: '-1' }, /JITTER/],
  ['pod-network-loss', { NETWORK_PACKET_LOSS_PERCENTAGE: '101' }, /NETWORK_PACKET_LOSS_PERCENTAGE/],
  ['pod-network-loss', { CORRELATION: '101' }, /CORRELATION/],
  ['pod-network-loss', { NETWORK_INTERFACE: 'eth0; reboot' }, /NETWORK_INTERFACE/],
  ['pod-network-rate-limit', { NETWORK_BANDWIDTH: 'fast' }, /NETWORK_BANDWIDTH/],
  ['pod-network-rate-limit', { BURST: '32 apples' }, /BURST/],
];
for (const [name, env, problem] of WRONG) {
  test(`${name} refuses ${JSON.stringify(env)} before anything is started`, async () => {
    const fault = await faultRegistry.get(name)?.();
    assert.ok(fault !== undefined);
    const { problems } = compileSettings(fault, env, () => 0);
    assert.deepEqual(
      problems.map(({ variable }) => problem.test(variable)),
      [true],
    );
  });
}

test('settings that do not fit each other are refused, all at once', async () => {
  const fault = await faultRegistry.get('pod-network-rate-limit')?.();
  assert.ok(fault !== undefined);
  const { problems } = compileSettings(
    fault,
    { NETWORK_BANDWIDTH: '2mbit', PEAK_RATE: '1mbit', DESTINATION_IPS: '1.2.3', SOURCE_PORTS: '0' },
    () => 0,
  );
  const variables = problems.map(({ variable }) => variable);
  assert.deepEqual(variables.sort(), ['DESTINATION_IPS', 'MIN_BURST', 'PEAK_RATE', 'SOURCE_PORTS']);
});

test('pods whose network is not their own, and pods that were replaced, are refused', async () => {
  await assert.rejects(planned('pod-network-loss', {}, { hostNetwork: true }), /has hostNetwork/);
  await assert.rejects(planned('pod-network-loss', {}, { uid: 'v' }), /was replaced/);
});

test('destinations and ports are read as users write them', () => {
  const port = (low: number, high = low) => ({ low, high });
  const { selection, problems } = parseSelection({
    DESTINATION_IPS: ['10.0.0.1|80|443', 'fd00::/8', '10.1.0.0/16'],
    DESTINATION_HOSTS: ['db.shop.svc.cluster.local|5432', '10.9.9.9|1'],
    SOURCE_PORTS: ['!22', '8000-8010'],
    DESTINATION_PORTS: ['53'],
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(selection, {
    only: [
      { destination: '10.0.0.1', destinationPort: port(80) },
      { destination: '10.0.0.1', destinationPort: port(443) },
      { destination: 'fd00::/8' },
      { destination: '10.1.0.0/16' },
      { destination: '10.9.9.9', destinationPort: port(1) },
      { destinationPort: port(53) },
    ],
    hosts: [{ host: 'db.shop.svc.cluster.local', ports: [port(5432)] }],
    except: [{ sourcePort: port(22) }, { sourcePort: port(8000, 8010) }],
  });
});

test('what cannot be a destination or port is named', () => {
  const wrong = {
    DESTINATION_IPS: ['10.0.0.1/33', 'x', '1.1.1.1|99999'],
    DESTINATION_HOSTS: ['a b'],
    SOURCE_PORTS: ['9-3'],
  };
  assert.equal(parseSelection({ ...none, ...wrong }).problems.length, 5);
});

test('a range of ports becomes masks that cover it and nothing else', () => {
  for (const [low, high] of [
    [80, 80],
    [1, 65535],
    [8000, 8010],
    [1023, 1025],
    [65535, 65535],
  ] as const) {
    const masks = portMasks({ low, high });
    for (let port = 0; port <= 65535; port += 1) {
      const hits = masks.filter(({ value, mask }) => (port & mask) === value).length;
      assert.equal(hits, port >= low && port <= high ? 1 : 0, `${port} in ${low}-${high}`);
    }
  }
});

test('without a selection the queue is the root; with one, packets are parted first', () => {
  const input = { device: 'eth0', handle: '7abc:', splitter: 'prio' } as const;
  const netem = { kind: 'loss', percent: 5, correlation: 0 } as const;
  assert.deepEqual(tcPlan({ ...input, effect: netem, selection: { only: [], except: [] } }), [
    'qdisc add dev eth0 root handle 7abc: netem loss 5%',
  ]);
  const selection = {
    only: [{ destination: 'fd00::1', destinationPort: { low: 80, high: 80 } }],
    except: [],
  };
  const lines = tcPlan({ ...input, effect: netem, selection });
  assert.deepEqual(lines.slice(0, 3), [
    'qdisc add dev eth0 root handle 7abc: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0',
    'qdisc add dev eth0 parent 7abc:1 handle 7f03: pfifo limit 1000',
    'qdisc add dev eth0 parent 7abc:2 handle 7f01: netem loss 5%',
  ]);
  assert.equal(
    lines[3],
    'filter add dev eth0 parent 7abc: protocol ipv6 prio 4 u32 match ip6 dst fd00::1 match ip6 protocol 6 0xff match ip6 dport 80 0xffff flowid 7abc:2',
  );
  const htb = tcPlan({ ...input, splitter: 'htb', effect: { kind: 'drop', probability: 1 }, selection });
  assert.ok(htb.includes('qdisc add dev eth0 parent 7abc:2 handle 7f01: blackhole'));
});

test('no two queues of a plan have one handle', () => {
  const effects = [
    { kind: 'drop', probability: 0.5 },
    { kind: 'drop', probability: 1 },
    { kind: 'rate', rate: '1mbit', burst: '32kb', limit: '2mb', peakRate: '', minBurst: '' },
  ] as const;
  for (const effect of effects) {
    for (const splitter of ['prio', 'htb'] as const) {
      for (const only of [[], [{ destination: '10.0.0.1' }]]) {
        const lines = tcPlan({
          device: 'eth0',
          handle: '7abc:',
          effect,
          selection: { only, except: [] },
          splitter,
        });
        const handles = lines.flatMap((line) => /^qdisc .* handle (\S+)/.exec(line)?.[1] ?? []);
        assert.equal(new Set(handles).size, handles.length, lines.join('\n'));
      }
    }
  }
});

test('handles follow from the injection and differ from those of others', () => {
  for (let run = 0; run < 500; run += 1) assert.ok(isOwnHandle(handleOf(`run${run}.r0.shop.web`)));
  for (const handle of ['1:', '8001:', '7f01:', 'ffff:']) assert.ok(!isOwnHandle(handle));
});

test('the root queue is read, but not those the kernel makes by itself', () => {
  assert.equal(parseRoot('qdisc noqueue 0: root refcnt 2 '), undefined);
  assert.equal(parseRoot('qdisc mq 0: root \nqdisc fq_codel 0: parent :1 limit 10'), undefined);
  assert.deepEqual(parseRoot('qdisc htb 7abc: root refcnt 3 r2q 10\nqdisc netem 7f01: parent 7abc:2'), {
    kind: 'htb',
    handle: '7abc:',
  });
});

test('rates and sizes are read as tc reads them', () => {
  const rates = [
    ['1mbit', 1e6],
    ['1024', 1024],
    ['2kbps', 16_000],
    ['1gibit', 2 ** 30],
    ['1.5Mbit', 1.5e6],
    ['x', undefined],
  ] as const;
  for (const [text, expected] of rates) assert.equal(parseRate(text), expected, text);
  const sizes = [
    ['32kb', 32_768],
    ['2mb', 2 ** 21],
    ['1600', 1600],
    ['8kbit', 1024],
    ['-1', undefined],
  ] as const;
  for (const [text, expected] of sizes) assert.equal(parseSize(text), expected, text);
});

test('processes of a pod are found by its cgroup under every driver', () => {
  const uid = '0f1e2d3c-aaaa-bbbb-cccc-0123456789ab';
  for (const line of [
    `0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${uid.replaceAll('-', '_')}.slice/cri-containerd-12.scope`,
    `11:memory:/kubepods/besteffort/pod${uid}/9abc`,
    `4:cpu:/kubepods/pod${uid}`,
  ]) {
    assert.ok(isCgroupOfPod(line, uid), line);
  }
  assert.ok(!isCgroupOfPod(`0::/kubepods/podx${uid}y/1`, uid));
});

test('hosts become addresses; unknown ones are left out, and none at all is refused', async () => {
  const notes: string[] = [];
  const options = {
    mesh: false,
    object: 'pod/shop/web',
    context: { note: (...words: readonly unknown[]) => void notes.push(words.join(' ')) },
    resolve: async (host: string) => {
      if (host !== 'db') throw new Error('ENOTFOUND');
      return ['10.0.0.9', 'fd00::9'];
    },
  };
  // The client is not used without a mesh.
  const resolve = (hosts: readonly string[]) =>
    addressesOf(
      hosts.map((host) => ({ host, ports: [] })),
      options as unknown as Parameters<typeof addressesOf>[1],
    );
  assert.deepEqual(await resolve(['db', 'gone']), [{ destination: '10.0.0.9' }, { destination: 'fd00::9' }]);
  assert.deepEqual(notes, ['HostsSkipped pod/shop/web cannot resolve gone; the other destinations are hit']);
  await assert.rejects(resolve(['gone', 'lost']), /none of gone, lost can be resolved/);
});
