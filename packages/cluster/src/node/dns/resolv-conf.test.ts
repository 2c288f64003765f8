import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSpec } from '@turnsole/kube/kinds/core';
import { parseResolvConf } from '@turnsole/kube/text/resolv-conf';
import { formatResolvConf, podResolverConfig } from './resolv-conf.ts';

test('resolv.conf is read as resolvers read it', () => {
  const text = [
    '# nameserver 9.9.9.9',
    '; a comment',
    'domain old.example',
    'nameserver 10.0.0.2',
    '\tnameserver   fe80::1%eth0 ',
    'nameserver no-address',
    'search corp.example  example.com .',
    'options ndots:2 rotate',
    'sortlist 1.2.3.4',
    '',
  ].join('\n');
  assert.deepEqual(parseResolvConf(text), {
    nameservers: ['10.0.0.2', 'fe80::1%eth0'],
    searches: ['corp.example', 'example.com'],
    options: ['ndots:2', 'rotate'],
  });
  assert.deepEqual(parseResolvConf(''), { nameservers: [], searches: [], options: [] });
});

const cluster = {
  nameservers: ['10.0.0.10'],
  domain: 'cluster.local',
  host: { nameservers: ['192.168.1.1'], searches: ['lan'], options: ['rotate'] },
};
const host = 'search lan\nnameserver 192.168.1.1\noptions rotate\n';
const inCluster =
  'search shop.svc.cluster.local svc.cluster.local cluster.local lan\nnameserver 10.0.0.10\noptions ndots:5\n';

const pods: [name: string, spec: Partial<PodSpec>, text: string][] = [
  ['nothing said', {}, inCluster],
  ['the network of the host', { hostNetwork: true }, host],
  ['cluster first all the same', { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }, inCluster],
  ['Default', { dnsPolicy: 'Default' }, host],
  [
    'None',
    {
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['1.1.1.1'], searches: ['a.b'], options: [{ name: 'edns0' }] },
    },
    'search a.b\nnameserver 1.1.1.1\noptions edns0\n',
  ],
  [
    'added to',
    {
      dnsConfig: {
        nameservers: ['10.0.0.10', '1.1.1.1', '2.2.2.2', '3.3.3.3'],
        searches: ['lan', 'x'],
        options: [
          { name: 'ndots', value: '2' },
          { name: 'timeout', value: '1' },
        ],
      },
    },
    'search shop.svc.cluster.local svc.cluster.local cluster.local lan x\n' +
      'nameserver 10.0.0.10\nnameserver 1.1.1.1\nnameserver 2.2.2.2\noptions ndots:2 timeout:1\n',
  ],
];

for (const [name, spec, text] of pods) {
  test(`resolv.conf of a pod: ${name}`, () => {
    const config = podResolverConfig({ containers: [], ...spec }, 'shop', cluster);
    assert.equal(formatResolvConf(config), text);
  });
}
