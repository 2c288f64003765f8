import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { runDetails } from './run-details.ts';

const engine = {
  metadata: { name: 'e', namespace: 'shop' },
  spec: {
    experiments: [
      {
        name: 'pod-delete',
        spec: {
          components: {
            env: [
              { name: 'TOTAL_CHAOS_DURATION', value: '30' },
              { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
            ],
          },
        },
      },
      { name: 'node-drain' },
    ],
  },
  status: { runId: 'r2' },
} as unknown as ChaosEngine;
const entry = (id: string, at: string) => ({
  ...{
    id,
    fault: 'pod-delete',
    target: { kind: 'pod', namespace: 'shop', name: 'web-1' },
    parameters: { secret: 1 },
  },
  ...{ state: 'reverted', injectedAt: at, revertedAt: '2030-01-01T00:00:09Z' },
});
const result = {
  metadata: { name: 'e-pod-delete', namespace: 'shop' },
  spec: { engine: 'e', experiment: 'pod-delete' },
  status: {
    experimentStatus: { verdict: 'Pass' },
    probeStatuses: [{ name: 'alive', type: 'httpProbe', mode: 'SOT', status: { verdict: 'Passed' } }],
    ledger: {
      b: entry('r2.r1.b', '2030-01-01T00:00:05Z'),
      a: entry('r2.r0.a', '2030-01-01T00:00:01Z'),
      old: entry('r1.r0.x', '2029-01-01T00:00:01Z'),
    },
  },
} as unknown as ChaosResult;
const record = { name: 'e', namespace: 'shop', engine, results: [result], runId: 'r2' };

test('settings are those that the engine sets; what comes from a Secret is named, not read', () => {
  const [first, second] = runDetails([record]);
  assert.deepEqual(first?.settings, [
    { name: 'TOTAL_CHAOS_DURATION', value: '30' },
    { name: 'PASSWORD', value: 'from {"secretKeyRef":{"name":"s","key":"k"}}' },
  ]);
  assert.deepEqual([second?.experiment, second?.settings, second?.verdict], ['node-drain', [], 'Awaited']);
});

test('the ledger is that of this run, in order, without what inject and revert need', () => {
  const [first] = runDetails([record]);
  assert.deepEqual(
    first?.ledger.map(({ id, target }) => `${id} ${target}`),
    ['r2.r0.a pod shop/web-1', 'r2.r1.b pod shop/web-1'],
  );
  assert.doesNotMatch(JSON.stringify(first), /secret":1/);
  assert.deepEqual(
    [first?.ledger[0]?.leaseExpiresAt, first?.ledger[0]?.revertedAt],
    [null, '2030-01-01T00:00:09Z'],
  );
});

test('of an engine that is gone its results tell, and its settings are not known', () => {
  const [only, ...others] = runDetails([{ ...record, engine: undefined, runId: undefined }]);
  assert.deepEqual(
    [only?.experiment, only?.settings, only?.verdict, others],
    ['pod-delete', null, 'Pass', []],
  );
  assert.equal(only?.ledger.length, 3);
});
