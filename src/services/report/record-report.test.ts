import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { recordReport } from './record-report.ts';

const NAMED = { name: 'shop', namespace: 'default' };

function engine(engineStatus: string): ChaosEngine {
  return {
    metadata: NAMED,
    spec: { engineState: 'stop', experiments: [{ name: 'pod-delete' }] },
    status: { engineStatus },
  } as unknown as ChaosEngine;
}

/** A result of its experiment, with what its probe found, if it has one. */
function result(verdict: string, probe?: 'Passed' | 'Failed'): ChaosResult {
  const probeStatuses =
    probe === undefined
      ? []
      : [{ name: 'users', type: 'httpProbe', mode: 'Continuous', status: { verdict: probe } }];
  return {
    metadata: { name: 'shop-pod-delete', namespace: 'default' },
    spec: { engine: 'shop', experiment: 'pod-delete' },
    status: { experimentStatus: { phase: 'Stopped', verdict }, probeStatuses },
  } as unknown as ChaosResult;
}

const TABLE: readonly [what: string, ChaosEngine, ChaosResult[], state: string, exitCode: number][] = [
  ['a user stopped', engine('stopped'), [result('Stopped')], 'stopped', 130],
  ['a user stopped while its probe held', engine('stopped'), [result('Stopped', 'Passed')], 'stopped', 130],
  ['a user stopped before anything was at work', engine('stopped'), [], 'stopped', 130],
  [
    'a user stopped after its probe had failed',
    engine('stopped'),
    [result('Fail', 'Failed')],
    'stopped',
    130,
  ],
  ['a user stopped before the second of its faults', engine('stopped'), [result('Pass')], 'stopped', 130],
  ['the operator gave up', engine('stopped'), [result('Error')], 'error', 1],
  ['came to its end, and failed', engine('completed'), [result('Fail', 'Failed')], 'failedByProbe', 1],
  ['a probe stopped', engine('stopped'), [result('Stopped', 'Failed')], 'failedByProbe', 1],
  ['ended without a verdict', engine('completed'), [], 'error', 1],
];
for (const [what, of, results, state, exitCode] of TABLE) {
  test(`the outcome of an engine that ${what}`, () => {
    const { outcome } = recordReport({ ...NAMED, engine: of, results }, { turnsole: '', nowMs: 0 });
    assert.deepEqual([outcome?.state, outcome?.exitCode], [state, exitCode]);
  });
}
