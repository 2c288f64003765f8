import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NetworkPolicy } from '@turnsole/kube/kinds/core';
import type { ServicePort } from '../backends.ts';
import { policiesMissing } from './availability.ts';
import { isInside, lets, type PolicyPod, type Protocol, podRules } from './pod-rules.ts';
import { NO_RULES, policyTable } from './policy-table.ts';
import { blockedPorts, mayTalk, type Reach } from './reach.ts';

function pod(name: string, namespace: string, address: string, ports: PolicyPod['ports'] = []): PolicyPod {
  return { uid: name, namespace, labels: { app: name }, address, ports };
}

const web = pod('web', 'shop', '10.5.128.10', [{ name: 'http', protocol: 'TCP', port: 8080 }]);
const db = pod('db', 'shop', '10.5.128.11', [{ name: 'sql', protocol: 'TCP', port: 5432 }]);
const tool = pod('tool', 'ops', '10.5.128.12', [{ name: 'http', protocol: 'TCP', port: 9090 }]);
const pods = [web, db, tool];
const namespaces = new Map([
  ['shop', { team: 'a' }],
  ['ops', { team: 'b' }],
]);

type Spec = NonNullable<NetworkPolicy['spec']>;
type Peer = NonNullable<NonNullable<Spec['ingress']>[number]['from']>[number];

function policy(spec: Spec, namespace = 'shop', name = 'p'): NetworkPolicy {
  // As the API server fills it in.
  const policyTypes = (spec.egress ?? []).length === 0 ? ['Ingress'] : ['Ingress', 'Egress'];
  return { metadata: { name, namespace }, spec: { policyTypes, ...spec } };
}

const selectWeb = { podSelector: { matchLabels: { app: 'web' } } };
const from = (...peers: Peer[]): Spec => ({ ...selectWeb, ingress: [{ from: peers }] });

/** What may connect to the pod `web` at port 8080: by name of the pod, or by address. */
const INGRESS: readonly [what: string, policies: readonly NetworkPolicy[], allowed: readonly string[]][] = [
  ['no policies: everybody', [], ['db', 'tool', '1.1.1.1']],
  ['a policy of another namespace', [policy(selectWeb, 'ops')], ['db', 'tool', '1.1.1.1']],
  [
    'a policy for others',
    [policy({ podSelector: { matchLabels: { app: 'db' } } })],
    ['db', 'tool', '1.1.1.1'],
  ],
  ['a policy without rules: no peer', [policy(selectWeb)], []],
  ['an empty selector selects all of the namespace', [policy({ podSelector: {} })], []],
  ['an egress policy alone', [policy({ ...selectWeb, policyTypes: ['Egress'] })], ['db', 'tool', '1.1.1.1']],
  ['an empty rule: everybody', [policy({ ...selectWeb, ingress: [{}] })], ['db', 'tool', '1.1.1.1']],
  ['pods of the same namespace', [policy(from({ podSelector: {} }))], ['db']],
  ['pods by labels, not of others', [policy(from({ podSelector: { matchLabels: { app: 'tool' } } }))], []],
  ['namespaces', [policy(from({ namespaceSelector: { matchLabels: { team: 'b' } } }))], ['tool']],
  ['all namespaces', [policy(from({ namespaceSelector: {} }))], ['db', 'tool']],
  [
    'pods of namespaces',
    [
      policy(
        from({
          namespaceSelector: {},
          podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['db'] }] },
        }),
      ),
    ],
    ['db'],
  ],
  ['a block', [policy(from({ ipBlock: { cidr: '1.0.0.0/8' } }))], ['1.1.1.1']],
  [
    'a block with a hole',
    [policy(from({ ipBlock: { cidr: '0.0.0.0/0', except: ['1.1.0.0/16', '10.5.128.11/32'] } }))],
    ['tool'],
  ],
  ['a block of the other family', [policy(from({ ipBlock: { cidr: '::/0' } }))], []],
  [
    'policies add up',
    [
      policy(selectWeb),
      policy(from({ podSelector: {} }), 'shop', 'q'),
      policy(from({ ipBlock: { cidr: '1.1.1.1/32' } }), 'shop', 'r'),
    ],
    ['db', '1.1.1.1'],
  ],
  [
    'the right port',
    [policy({ ...selectWeb, ingress: [{ ports: [{ port: 8080 }] }] })],
    ['db', 'tool', '1.1.1.1'],
  ],
  ['another port', [policy({ ...selectWeb, ingress: [{ ports: [{ port: 80 }] }] })], []],
  [
    'a range',
    [policy({ ...selectWeb, ingress: [{ ports: [{ port: 8000, endPort: 8080 }] }] })],
    ['db', 'tool', '1.1.1.1'],
  ],
  [
    'another protocol',
    [policy({ ...selectWeb, ingress: [{ ports: [{ port: 8080, protocol: 'UDP' }] }] })],
    [],
  ],
  [
    'all ports of a protocol',
    [policy({ ...selectWeb, ingress: [{ ports: [{ protocol: 'TCP' }] }] })],
    ['db', 'tool', '1.1.1.1'],
  ],
  [
    'a port by name',
    [policy({ ...selectWeb, ingress: [{ ports: [{ port: 'http' }] }] })],
    ['db', 'tool', '1.1.1.1'],
  ],
  [
    'a name that the pod does not have',
    [policy({ ...selectWeb, ingress: [{ ports: [{ port: 'sql' }] }] })],
    [],
  ],
];
for (const [what, policies, allowed] of INGRESS) {
  test(`ingress: ${what}`, () => {
    const rules = podRules({ policies, pods, namespaces }).get('web');
    const found = Object.entries({ db: db.address, tool: tool.address, '1.1.1.1': '1.1.1.1' })
      .filter(([, address]) => lets(rules?.ingress, address, 'TCP', 8080))
      .map(([name]) => name);
    assert.deepEqual(found, allowed);
  });
}

/** What the pod `web` may connect to: `address port`. */
const EGRESS: readonly [what: string, spec: Spec, allowed: readonly string[]][] = [
  ['ingress alone', { ingress: [], podSelector: {} }, ['db 5432', 'tool 9090', 'tool 80', '1.1.1.1 443']],
  ['nothing', { podSelector: {}, policyTypes: ['Egress'] }, []],
  [
    'rules without types count',
    { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: '1.1.1.1/32' } }] }] },
    ['1.1.1.1 443'],
  ],
  [
    'a name means each pod’s own port',
    {
      podSelector: {},
      egress: [{ to: [{ namespaceSelector: {} }], ports: [{ port: 'http' }, { port: 'sql' }] }],
    },
    ['db 5432', 'tool 9090'],
  ],
  [
    'a name and a number',
    {
      podSelector: {},
      egress: [
        {
          to: [{ namespaceSelector: {} }, { ipBlock: { cidr: '1.1.1.1/32' } }],
          ports: [{ port: 'sql' }, { port: 443 }],
        },
      ],
    },
    ['db 5432', '1.1.1.1 443'],
  ],
  ['a port of everybody', { podSelector: {}, egress: [{ ports: [{ port: 80 }] }] }, ['tool 80']],
];
for (const [what, spec, allowed] of EGRESS) {
  test(`egress: ${what}`, () => {
    const rules = podRules({ policies: [policy(spec)], pods, namespaces }).get('web');
    const all: readonly [string, string, number][] = [
      ['db 5432', db.address, 5432],
      ['tool 9090', tool.address, 9090],
      ['tool 80', tool.address, 80],
      ['1.1.1.1 443', '1.1.1.1', 443],
    ];
    const found = all.filter(([, address, port]) => lets(rules?.egress, address, 'TCP', port));
    assert.deepEqual(
      found.map(([name]) => name),
      allowed,
    );
  });
}

test('a block contains its addresses and no others', () => {
  const cases: readonly [string, string, boolean][] = [
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['192.168.1.7/32', '192.168.1.7', true],
    ['192.168.1.7', '192.168.1.8', false],
    ['192.168.1.9/31', '192.168.1.8', true],
  ];
  for (const [cidr, address, inside] of cases)
    assert.equal(isInside(cidr, address), inside, `${cidr} ${address}`);
});

function reachOf(...policies: NetworkPolicy[]): Reach {
  return {
    rules: podRules({ policies, pods, namespaces }),
    byAddress: new Map(pods.map((one) => [one.address, one])),
  };
}

function service(clusterIP: string, ...backends: ServicePort['backends'][number][]): ServicePort {
  return { service: 'shop/s', clusterIP, port: 80, backends, affinityMs: 0 };
}

test('both ends have their say; the node, what is no pod, and a pod to itself are let through', () => {
  const closed = reachOf(policy({ ...selectWeb, policyTypes: ['Ingress', 'Egress'] }));
  const cases: readonly [from: string, to: string, allowed: boolean][] = [
    [db.address, web.address, false],
    [web.address, db.address, false],
    [web.address, '1.1.1.1', false],
    [web.address, web.address, true],
    [db.address, tool.address, true],
    ['10.5.128.1', web.address, true],
    [db.address, '1.1.1.1', true],
  ];
  for (const [one, address, allowed] of cases) {
    assert.equal(mayTalk(closed, one, { address, protocol: 'TCP', port: 80 }), allowed, `${one} ${address}`);
  }
});

test('a port of a service is blocked for a pod that may talk with none of its backends', () => {
  const services = [
    service('10.5.0.20', { ip: web.address, port: 8080 }),
    service('10.5.0.21', { ip: web.address, port: 8080 }, { ip: tool.address, port: 9090 }),
    service('10.5.0.22'),
    service('10.5.0.1', { ip: '127.0.0.1', port: 6443 }),
  ];
  const of = (reach: Reach, address: string): string[] =>
    blockedPorts(reach, address, services).map((blocked) => `${blocked.address}:${blocked.port}`);
  assert.deepEqual(of(reachOf(), db.address), []);
  const closed = reachOf(policy(selectWeb));
  assert.deepEqual(of(closed, db.address), ['10.5.0.20:80']);
  assert.deepEqual(of(closed, web.address), [], 'it reaches itself, and everybody else');
  const silent = reachOf(policy({ podSelector: { matchLabels: { app: 'db' } }, policyTypes: ['Egress'] }));
  assert.deepEqual(of(silent, db.address), ['10.5.0.20:80', '10.5.0.21:80', '10.5.0.1:80']);
  const apiOnly = policy({
    podSelector: { matchLabels: { app: 'db' } },
    policyTypes: ['Egress'],
    egress: [{ to: [{ ipBlock: { cidr: '10.5.0.1/32' } }], ports: [{ port: 80 }] }],
  });
  assert.deepEqual(of(reachOf(apiOnly), db.address), ['10.5.0.20:80', '10.5.0.21:80'], 'by its service');
});

const places = { node: ['10.5.128.1', '10.5.64.1'], serviceCidr: '10.5.0.0/18', dns: '10.5.0.10' };

test('rules of nft: none where nothing is restricted', () => {
  assert.equal(policyTable({ ingress: undefined, egress: undefined }, [], places), NO_RULES);
});

test('rules of nft: ends, holes, ports, services', () => {
  const table = policyTable(
    {
      ingress: [
        { addresses: ['10.5.128.12', '10.5.128.11', '10.5.128.12'], blocks: [], ports: 'any' },
        {
          addresses: [],
          blocks: [
            { cidr: '0.0.0.0/0', except: ['1.1.0.0/16', '1.2.0.0/16'] },
            { cidr: '10.0.0.0/8', except: [] },
          ],
          ports: [
            { protocol: 'TCP', low: 80, high: 80 },
            { protocol: 'UDP', low: 0, high: 65_535 },
          ],
        },
      ],
      egress: [{ addresses: 'any', blocks: [], ports: [{ protocol: 'SCTP', low: 7, high: 9 }] }],
    },
    [{ address: '10.5.0.20', protocol: 'TCP' as Protocol, port: 80 }],
    places,
  );
  const chain = (name: string): string[] =>
    (new RegExp(`chain ${name} \\{\\n([^}]*(?:\\{[^}]*\\}[^}]*)*)\\n  \\}`).exec(table)?.[1] ?? '')
      .split('\n')
      .map((line) => line.trim());
  assert.deepEqual(chain('to-pod'), [
    'ct original ip saddr { 10.5.128.1, 10.5.64.1 } accept',
    'ct original ip saddr { 10.5.128.11, 10.5.128.12 } accept',
    'meta nfproto ipv4 ct original ip saddr != 1.1.0.0/16 ct original ip saddr != 1.2.0.0/16 meta l4proto tcp ct original proto-dst 80 accept',
    'meta nfproto ipv4 ct original ip saddr != 1.1.0.0/16 ct original ip saddr != 1.2.0.0/16 meta l4proto udp accept',
    'ct original ip saddr 10.0.0.0/8 meta l4proto tcp ct original proto-dst 80 accept',
    'ct original ip saddr 10.0.0.0/8 meta l4proto udp accept',
    'drop',
  ]);
  assert.deepEqual(chain('from-pod'), [
    'ct original ip daddr 10.5.0.20 meta l4proto tcp ct original proto-dst 80 drop',
    'ct original ip daddr 10.5.0.0/18 ct original ip daddr != 10.5.0.10 accept',
    'ct original ip daddr { 10.5.128.1, 10.5.64.1 } accept',
    'meta l4proto sctp ct original proto-dst 7-9 accept',
    'drop',
  ]);
  assert.ok(table.startsWith(NO_RULES), 'in place of what is there');
});

test('the problem says why policies are not enforced', () => {
  assert.equal(
    policiesMissing('the cluster does not run as root'),
    'pods are not isolated: the cluster does not run as root',
  );
});
