import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, withLoads } from './page-addresses.ts';

const ADDRESSES = [
  '/project/:project/runs',
  '/project/:project/runs/:run',
  '/project/:project/settings/:part?',
  '/cluster',
  '/cluster/:kind/:namespace/:name',
].map((path) => ({ path }));

const FOUND: readonly (readonly [path: string, address: string | undefined])[] = [
  ['/cluster', '/cluster'],
  ['/cluster/ChaosResult/default/web', '/cluster/:kind/:namespace/:name'],
  ['/cluster/ChaosResult/default', undefined],
  ['/cluster/ChaosResult/default/', undefined],
  ['/cluster/ChaosResult/default/web/more', undefined],
  ['/project/p%2F1/runs', '/project/:project/runs'],
  ['/project/p1/runs/42', '/project/:project/runs/:run'],
  ['/project//runs', undefined],
  ['/project/p1/settings', '/project/:project/settings/:part?'],
  ['/project/p1/settings/members', '/project/:project/settings/:part?'],
  ['/', undefined],
  ['', undefined],
];

for (const [path, address] of FOUND) {
  test(`${path || 'no path'} is ${address ?? 'no address of the page'}`, () => {
    assert.equal(addressOf(ADDRESSES, path)?.path, address);
  });
}

test('scripts and style sheets of a view stand in the head of the document', () => {
  assert.equal(
    withLoads('<head><title>Turnsole</title></head>', ['/ui/assets/a.js', '/ui/assets/$&.css']),
    '<head><title>Turnsole</title><link rel="modulepreload" crossorigin href="/ui/assets/a.js"><link rel="stylesheet" crossorigin href="/ui/assets/$&.css"></head>',
  );
});
