import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Job, Pod } from '@turnsole/kube/kinds/core';
import {
  type ChaosEngine,
  type ChaosResult,
  ENGINE_FINALIZER,
  type LedgerEntry,
} from '../../../api/index.ts';
import { type RecoveryAttempt, recoveryLimitMs } from '../../../chaos/recovery/decide-recovery.ts';
import type { EngineAction } from './actions.ts';
import { decideEngine } from './decide-engine.ts';
import { heldUntilMs } from './observed-results.ts';
import { RECOVERY_REFUSED } from './recovery.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

function entry(id: string, change: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    id,
    fault: 'network-loss',
    target: { kind: 'pod', namespace: 'shop', name: 'web-1', node: 'n1' },
    parameters: {},
    state: 'injected',
    ...change,
  };
}

function result(entries: readonly LedgerEntry[], canRecover = true): ChaosResult {
  return {
    metadata: { name: 'eng-loss', namespace: 'shop', uid: 'r1' },
    status: {
      ledger: Object.fromEntries(entries.map((one) => [one.id, one])),
      ...(canRecover
        ? { recovery: { experiment: 'loss', labels: {}, container: { image: 'i' }, pod: {} } }
        : {}),
    },
  };
}

const tried = (attempt: number, finished: boolean, agoMs = 1000): RecoveryAttempt => ({
  attempt,
  finished,
  createdMs: NOW - agoMs,
});

const LEFT = 'network-loss on pod shop/web-1 (node n1)';

interface Case {
  readonly entries: readonly LedgerEntry[];
  readonly attempts?: readonly RecoveryAttempt[];
  readonly canRecover?: boolean;
  readonly refusal?: string;
  readonly recoveries?: number;
}

const TABLE: readonly (readonly [name: string, input: Case, expected: readonly string[]])[] = [
  ['a closed ledger: the abort ends', { entries: [entry('a', { state: 'reverted' })] }, ['finishAbort']],
  ['an open entry: the first attempt', { entries: [entry('a')] }, ['startRecovery 1', 'wait']],
  [
    'an attempt at work is waited for',
    { entries: [entry('a')], attempts: [tried(1, false)] },
    ['checkRecovery 1', 'wait'],
  ],
  [
    'an attempt that ended without it is followed by another',
    { entries: [entry('a')], attempts: [tried(1, true)] },
    ['startRecovery 2', 'wait'],
  ],
  [
    'after the last attempt the rest is named, and the run ends',
    { entries: [entry('a')], attempts: [tried(1, true), tried(2, true), tried(3, true)], recoveries: 3 },
    [`reportLeft ${LEFT}`, 'removeRecoveries', `finishAbort ${LEFT}`],
  ],
  [
    'after the limit as well, whatever is still at work',
    { entries: [entry('a')], attempts: [tried(1, false, recoveryLimitMs(undefined))], recoveries: 2 },
    [`reportLeft ${LEFT}`, 'removeRecoveries', `finishAbort ${LEFT}`],
  ],
  [
    'done: what the recovery was made of is removed first',
    { entries: [entry('a', { state: 'reverted' })], attempts: [tried(1, true)], recoveries: 2 },
    ['removeRecoveries', 'finishAbort'],
  ],
  [
    'without a template to start it: named at once',
    { entries: [entry('a')], canRecover: false },
    [`reportLeft ${LEFT}`, `finishAbort ${LEFT}`],
  ],
  [
    'the API server refuses it: named at once',
    { entries: [entry('a')], refusal: 'namespace shop is being terminated' },
    [`reportLeft ${LEFT}`, `finishAbort ${LEFT}`],
  ],
  [
    'an entry of which nothing stays in force is only closed',
    { entries: [entry('a', { state: 'planned', instant: true })] },
    ['closeEntries a', 'wait'],
  ],
];

function summary(action: EngineAction): string {
  switch (action.type) {
    case 'startRecovery':
    case 'checkRecovery':
      return `${action.type} ${action.attempt}`;
    case 'closeEntries':
      return `closeEntries ${action.ids.join(' ')}`;
    case 'reportLeft':
    case 'finishAbort':
      return [action.type, ...action.left].join(' ');
    default:
      return action.type;
  }
}

for (const [name, input, expected] of TABLE) {
  for (const how of ['stopped', 'deleted'] as const) {
    test(`recovery of an engine that is ${how}: ${name}`, () => {
      const refused = { type: 'Recovered', status: 'False', reason: RECOVERY_REFUSED } as const;
      const engine: ChaosEngine = {
        metadata: {
          name: 'eng',
          namespace: 'shop',
          uid: 'u1',
          finalizers: [ENGINE_FINALIZER],
          ...(how === 'deleted' ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
        },
        spec: { engineState: 'stop', experiments: [{ name: 'loss' }] },
        status: {
          engineStatus: 'initialized',
          runId: 'run',
          ...(input.refusal === undefined ? {} : { conditions: [{ ...refused, message: input.refusal }] }),
        },
      };
      const actions = decideEngine({
        nowMs: NOW,
        engine,
        problems: [],
        runner: { kind: 'absent' },
        children: [],
        recoveries: input.recoveries ?? 0,
        recoveriesHeldUntilMs: undefined,
        results: [{ result: result(input.entries, input.canRecover), attempts: input.attempts ?? [] }],
        isFresh: true,
      });
      assert.deepEqual(actions.map(summary), expected);
    });
  }
}

describe('how long recoveries belong to the program that began them', () => {
  const CREATED = '2026-01-01T00:00:00Z';
  const job = (name: string, type?: 'Complete' | 'Failed'): Job => ({
    metadata: { name, creationTimestamp: CREATED },
    status: type === undefined ? {} : { conditions: [{ type, status: 'True' }] },
  });
  const done: Pod = {
    metadata: { name: 'p', labels: { 'job-name': 'a' } },
    status: { phase: 'Succeeded' },
  };
  const limit = Date.parse(CREATED) + recoveryLimitMs(undefined);
  const cases: readonly [
    what: string,
    jobs: readonly Job[],
    pods: readonly Pod[],
    until: number | undefined,
  ][] = [
    ['none', [], [], undefined],
    ['done', [job('a', 'Complete')], [], undefined],
    ['done, as its pod tells', [job('a')], [done], undefined],
    ['at work', [job('a')], [], Number.POSITIVE_INFINITY],
    ['failed: others may follow', [job('a', 'Failed')], [], limit],
    ['failed, and the next one is at work', [job('b', 'Failed'), job('a')], [], Number.POSITIVE_INFINITY],
    ['failed, and the next one has done it', [job('b', 'Failed'), job('a')], [done], limit],
  ];
  for (const [what, jobs, pods, until] of cases) {
    test(what, () => assert.equal(heldUntilMs(jobs, pods), until));
  }
});
