import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockOfLink, bridgeName, deadLinksOf, linkAddress } from './pod-network.ts';
import { blockNetwork, claimPrivateBlock, isUsed, podShare, usedNetworks } from './private-block.ts';

const ROUTES = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU
eth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0
tun0\t0000320A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
`;

test('networks of the machine are left alone, the default route is none', () => {
  const used = usedNetworks(
    { eth0: [{ family: 'IPv4', address: '10.77.3.4', netmask: '255.255.255.0' }] },
    ROUTES,
  );
  const cases: [number, boolean][] = [
    [77, true],
    [50, true],
    [78, false],
    [0, false],
  ];
  for (const [block, expected] of cases)
    assert.equal(isUsed(blockNetwork(block), used), expected, String(block));
});

test('nodes share the addresses of pods', () => {
  assert.deepEqual([1, 3, 8, 100].map(podShare), [4096, 4096, 4096, 256]);
});

test('two clusters get two blocks, and the names of their links tell them', {
  skip: process.platform !== 'linux',
}, async () => {
  const [one, two] = await Promise.all([claimPrivateBlock(2), claimPrivateBlock(2)]);
  try {
    assert.notEqual(one.number, two.number);
    const first = one.leasePodAddress(1);
    const second = one.leasePodAddress(2);
    assert.match(first.address, new RegExp(`^10\\.${one.number}\\.128\\.2$`));
    assert.match(second.address, new RegExp(`^10\\.${one.number}\\.144\\.2$`));
    assert.equal(one.nodeOf(one.nodeAddress(2)), 2);
    first.release();
    assert.notEqual(one.leasePodAddress(1).address, first.address, 'not at once again');
  } finally {
    await Promise.all([one.release(), two.release()]);
  }
});

test('the links of a cluster that was killed stay for as long as one of its pods lives', () => {
  const others = ['lo', 'docker0', 'tsl98-c3d4', 'tsl98-c3d4-1'];
  const cases: [string, string[], string[]][] = [
    ['nothing of the block', [], []],
    ['a bridge alone', ['tsl97-a1b2'], ['tsl97-a1b2']],
    ['a bridge and a pod', ['tsl97-a1b2', 'tsl97-a1b2-3'], []],
    ['a pod of one owner, the bridge of another', ['tsl97-a1b2', 'tsl97-e5f6-1'], []],
  ];
  for (const [what, own, dead] of cases) assert.deepEqual(deadLinksOf(97, [...others, ...own]), dead, what);
});

test('links have names and addresses that follow from their block', () => {
  const bridge = bridgeName(254, 'a1b2');
  assert.equal(blockOfLink(bridge), 254);
  assert.equal(blockOfLink(`${bridge}-zz`), 254);
  assert.ok(`${bridge}-zzz`.length <= 15);
  assert.equal(blockOfLink('docker0'), undefined);
  assert.equal(linkAddress('10.141.128.2'), '0a:58:0a:8d:80:02');
});
