import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proposeCheck } from './propose-check.ts';

const SERVICES = [
  { name: 'other', labels: ['app=other'] },
  { name: 'front', labels: ['app=web', 'tier=1'] },
  { name: 'web', labels: [] },
];
const TABLE: readonly [what: string, label: string, services: typeof SERVICES, name: string, url: string][] =
  [
    ['a service with the label', 'app=web', SERVICES, 'web-answers', 'http://front.shop.svc.cluster.local/'],
    [
      'a service with the name',
      'app=web',
      SERVICES.slice(2),
      'web-answers',
      'http://web.shop.svc.cluster.local/',
    ],
    ['no such service', 'app=web', [], 'web-answers', ''],
    ['no label', '', SERVICES, '', ''],
    ['a label that makes no name', 'app=Web_1', SERVICES, '', ''],
  ];
for (const [what, label, services, name, url] of TABLE) {
  test(`the check that is proposed for pods of ${what}`, () =>
    assert.deepEqual(proposeCheck({ namespace: 'shop', label }, services), { name, url }));
}
