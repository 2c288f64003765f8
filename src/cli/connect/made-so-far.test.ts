import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Made, madeSoFar } from './made-so-far.ts';

const REGISTERED = { namespace: 'litmus', cluster: undefined, infra: { name: 'east', id: 'i-1' } };
const IS = 'infrastructure east (i-1) is registered, and ';
const UNDO =
  'Connect again to complete it; to undo it, delete the infrastructure (on the page, or deleteInfra)';

const ROWS: readonly [made: Made, sentence: string][] = [
  [
    { namespace: 'litmus', cluster: undefined, objects: 'none' },
    'nothing was registered, and nothing made in the cluster.',
  ],
  [
    { namespace: 'litmus', cluster: 'default', objects: 'none' },
    'nothing was registered, and nothing made in the cluster. The embedded cluster may run: "turnsole down" ends it.',
  ],
  [{ ...REGISTERED, objects: 'none' }, `${IS}nothing of its agent is in the cluster. ${UNDO}`],
  [
    { ...REGISTERED, objects: 'some' },
    `${IS}a part of the objects of its agent is in namespace litmus. ${UNDO}, then "turnsole uninstall --namespace litmus"`,
  ],
  [
    { ...REGISTERED, cluster: 'default', objects: 'all' },
    `${IS}the objects of its agent are in namespace litmus. ${UNDO}, then "turnsole down"`,
  ],
  [
    { ...REGISTERED, cluster: 'shop', objects: 'all' },
    `${IS}the objects of its agent are in namespace litmus. ${UNDO}, then "turnsole down --name shop"`,
  ],
];

for (const [made, sentence] of ROWS) {
  test(`stopped with ${JSON.stringify(made)}`, () => assert.equal(madeSoFar(made), sentence));
}
