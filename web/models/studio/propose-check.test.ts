import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CheckedService, proposeCheck } from './propose-check.ts';

const OLD: readonly CheckedService[] = [
  { name: 'other', labels: ['app=other'] },
  { name: 'front', labels: ['app=web', 'tier=1'], service: null },
  { name: 'web', labels: [] },
];
/** A service that tells whom it selects. */
function service(name: string, selector: readonly string[], ports: readonly [string, number][] = []) {
  return {
    name,
    labels: [],
    service: { selector, ports: ports.map(([portName, port]) => ({ name: portName, port })) },
  };
}
const PODS = [
  { name: 'web-1', labels: ['app=web', 'tier=front', 'pod-template-hash=1'] },
  { name: 'web-2', labels: ['app=web', 'tier=front', 'pod-template-hash=2'] },
  { name: 'db-1', labels: ['app=db'] },
];
const AT = 'svc.cluster.local';
const TABLE: readonly [what: string, label: string, services: readonly CheckedService[], url: string][] = [
  ['a service with the label', 'app=web', OLD, `http://front.shop.${AT}/`],
  ['a service with the name', 'app=web', OLD.slice(2), `http://web.shop.${AT}/`],
  ['no such service', 'app=web', [], ''],
  ['no label', '', OLD, ''],
  [
    'a service that selects them, rather than one that has their name',
    'app=web',
    [...OLD, service('gate', ['app=web', 'tier=front'], [['', 8080]])],
    `http://gate.shop.${AT}:8080/`,
  ],
  ['a service that selects others too', 'app=web', [service('gate', ['tier=back'])], ''],
  ['a service that selects nothing', 'app=web', [service('gate', [])], ''],
  ['a service that selects one version of them only', 'app=web', [service('g', ['pod-template-hash=1'])], ''],
  [
    'pods that are not there yet',
    'app=new',
    [service('new', ['app=new'], [['', 80]])],
    `http://new.shop.${AT}/`,
  ],
  [
    'several ports, of which one is named so',
    'app=db',
    [
      service(
        'db',
        ['app=db'],
        [
          ['metrics', 9090],
          ['tcp', 5432],
          ['http-api', 7000],
        ],
      ),
    ],
    `http://db.shop.${AT}:7000/`,
  ],
  [
    'the usual port of HTTPS',
    'app=db',
    [
      service(
        'db',
        ['app=db'],
        [
          ['tcp', 5432],
          ['', 443],
        ],
      ),
    ],
    `https://db.shop.${AT}/`,
  ],
];
for (const [what, label, services, url] of TABLE) {
  test(`the check that is proposed for pods of ${what}`, () =>
    assert.equal(proposeCheck({ namespace: 'shop', label }, services, PODS, []).url, url));
}

test('its name is the application and what it does, unless that name is taken or can be none', () => {
  const nameFor = (label: string, taken: readonly string[]): string =>
    proposeCheck({ namespace: 'shop', label }, [], [], taken).name;
  assert.equal(nameFor('app=web', []), 'web-answers');
  assert.equal(nameFor('app=web', ['web-answers', 'web-answers-2']), 'web-answers-3');
  assert.equal(nameFor('app=Web_1', []), '');
});

test('all ports of its service are offered, the likeliest first', () => {
  const ports: [string, number][] = [
    ['metrics', 9090],
    ['http', 8080],
  ];
  const { choices } = proposeCheck(
    { namespace: 'shop', label: 'app=web' },
    [service('web', ['app=web'], ports)],
    PODS,
    [],
  );
  assert.deepEqual(choices, [
    { words: '8080 (http)', url: `http://web.shop.${AT}:8080/` },
    { words: '9090 (metrics)', url: `http://web.shop.${AT}:9090/` },
  ]);
});
