import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredRecord } from '../records/stored-record.ts';
import { hitServices } from './hit-services.ts';

function record(workloads: unknown, kind: StoredRecord['kind'] = 'ChaosResult'): StoredRecord {
  return {
    ...{ kind, namespace: 'shop', name: 'e', count: 0, leftOut: 0, steps: [] },
    object: { metadata: { name: 'e' }, status: { workloads } },
  };
}

/** Ready pods of web at seconds of a minute. */
function web(...ready: readonly [second: number, pods: number][]): object {
  const time = (second: number): string => `2026-11-29T10:00:${String(second).padStart(2, '0')}.000Z`;
  return {
    ...{ kind: 'deployment', namespace: 'shop', name: 'web', readyBefore: 3 },
    ready: ready.map(([second, pods]) => ({ time: time(second), pods })),
  };
}

const found = { kind: 'deployment', namespace: 'shop', name: 'web' };
const TABLE: readonly [what: string, records: readonly StoredRecord[], services: readonly object[]][] = [
  ['no record', [], []],
  ['a result without workloads', [record(undefined)], []],
  ['an engine', [record([web([0, 3])], 'ChaosEngine')], []],
  ['what is no workload', [record([1, { kind: 'deployment' }, { ...found, readyBefore: '3' }])], []],
  [
    'a workload that lost no pod',
    [record([{ ...found, readyBefore: 3 }])],
    [{ ...found, recoveriesMs: [], isBack: true }],
  ],
  [
    'a workload whose pods came back, hit by two faults',
    [record([web([0, 3], [5, 2], [7, 3])]), record([web([20, 3], [21, 2], [25, 3])])],
    [{ ...found, recoveriesMs: [2000, 4000], isBack: true }],
  ],
  [
    'a workload that still lacked a pod at the end',
    [record([web([0, 3], [5, 2])])],
    [{ ...found, recoveriesMs: [], isBack: false }],
  ],
];
for (const [what, records, services] of TABLE)
  test(`services that a run hit: ${what}`, () => assert.deepEqual(hitServices(records), services));
