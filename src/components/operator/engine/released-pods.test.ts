import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { ChaosResult, LedgerEntry } from '../../../api/index.ts';
import { helperLabel } from '../../../chaos/helper-label.ts';
import { podsThatLetGo } from './released-pods.ts';

const RUN = 'r1';

const experiment = (name: string): Pod => ({ metadata: { name, labels: { 'turnsole.io/run-id': RUN } } });
const helper = (name: string, of: string, runId = RUN): Pod => ({
  metadata: { name, labels: { 'turnsole.io/run-id': runId, app: helperLabel(of, RUN) } },
});

function entry(state: LedgerEntry['state']): LedgerEntry {
  const target = { kind: 'pod', name: 'web-1' } as const;
  return { id: `${RUN}.r0.web-1`, fault: 'pod-cpu-hog', target, parameters: {}, state };
}

function result(of: string, status: NonNullable<ChaosResult['status']>): ChaosResult {
  return { metadata: { name: `web-${of}` }, spec: { engine: 'web', experiment: of }, status };
}

const STOPPED = {
  experimentStatus: { phase: 'Stopped', verdict: 'Stopped' },
  closed: { runId: RUN, pod: 'hog-x' },
} as const;
const PODS = [experiment('hog-x'), helper('hog-helper-1', 'pod-cpu-hog'), experiment('loss-x')];

describe('pods that have let go', () => {
  const table: readonly (readonly [string, readonly Pod[], readonly ChaosResult[], readonly string[]])[] = [
    ['none without results', PODS, [], []],
    [
      'an experiment that has closed its result, and its helpers',
      PODS,
      [result('pod-cpu-hog', STOPPED)],
      ['hog-x', 'hog-helper-1'],
    ],
    [
      'also with a ledger of which nothing is open',
      PODS,
      [result('pod-cpu-hog', { ...STOPPED, ledger: { a: entry('reverted') } })],
      ['hog-x', 'hog-helper-1'],
    ],
    [
      'not while something may be in force',
      PODS,
      [result('pod-cpu-hog', { ...STOPPED, ledger: { a: entry('reverted'), b: entry('planned') } })],
      [],
    ],
    [
      'not when another writer has closed the result',
      PODS,
      [result('pod-cpu-hog', { experimentStatus: STOPPED.experimentStatus })],
      [],
    ],
    [
      'not when the experiment came to its own end: its runner may complete the run',
      PODS,
      [result('pod-cpu-hog', { ...STOPPED, experimentStatus: { phase: 'Completed', verdict: 'Pass' } })],
      [],
    ],
    [
      'not by the last word of an earlier pod',
      PODS,
      [result('pod-cpu-hog', { ...STOPPED, closed: { runId: 'r0', pod: 'hog-w' } })],
      [],
    ],
    [
      'not helpers of another experiment, or of another run',
      [helper('loss-helper-1', 'pod-network-loss'), helper('hog-helper-0', 'pod-cpu-hog', 'r0')],
      [result('pod-cpu-hog', STOPPED)],
      [],
    ],
  ];
  for (const [name, pods, results, expected] of table) {
    test(name, () => assert.deepEqual([...podsThatLetGo(pods, results)], expected));
  }
});
