import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hitByRun } from './hit-by-run.ts';
import type { StoredRecord } from './stored-record.ts';

const AT = '2026-01-01T00:00:00.000Z';

function result(name: string, ledger: Readonly<Record<string, object>>): StoredRecord {
  return {
    ...{ kind: 'ChaosResult', namespace: 'shop', name, count: 0, leftOut: 0, steps: [] },
    object: {
      metadata: { name, namespace: 'shop' },
      spec: { engine: name, experiment: name },
      status: { ledger },
    },
  };
}
const engine = (name: string): StoredRecord => ({
  ...{ kind: 'ChaosEngine', namespace: 'shop', name, count: 0, leftOut: 0, steps: [] },
  object: { metadata: { name, namespace: 'shop', uid: 'u' }, status: { runId: 'r' } },
});
const entry = (id: string, target: object, injectedAt: string | undefined = AT) => ({
  [id]: { id, fault: 'pod-delete', state: 'reverted', target, injectedAt },
});

test('what the engines of a run have hit, each name once, and nothing that was only planned or is of another run', () => {
  const records = [
    engine('e'),
    result('e', {
      ...entry('r.r1.a', { kind: 'pod', namespace: 'shop', name: 'web-2' }),
      ...entry('r.r2.a', { kind: 'pod', namespace: 'shop', name: 'web-1' }),
      ...entry('r.r3.a', { kind: 'pod', namespace: 'shop', name: 'web-1' }),
      'r.r4.a': {
        id: 'r.r4.a',
        target: { kind: 'pod', namespace: 'shop', name: 'planned' },
        state: 'planned',
      },
      ...entry('older.r1.a', { kind: 'pod', namespace: 'old', name: 'old' }),
    }),
    engine('f'),
    result('f', {
      ...entry('r.r1.b', { kind: 'deployment', namespace: 'pay', name: 'api' }),
      ...entry('r.r2.b', { kind: 'node', name: 'node-1' }),
    }),
  ];
  assert.deepEqual(hitByRun(records, '{}'), { namespaces: ['pay', 'shop'], pods: ['web-1', 'web-2'] });
});

test('a run without exact records has no known targets', () => {
  assert.deepEqual(hitByRun([], '{}'), { namespaces: [], pods: [] });
});
