import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LedgerEntry, TimelineEntry } from '../../../api/index.ts';
import { injectedStep, missingSteps } from './ledger-steps.ts';

/** A time of this second. */
const at = (second: number): string => `2030-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;

function entry(name: string, change: Partial<LedgerEntry>, container?: string): LedgerEntry {
  const target = { kind: 'pod', namespace: 'shop', name, ...(container === undefined ? {} : { container }) };
  return { id: `run.r0.${name}`, fault: 'loss', target, parameters: {}, state: 'reverted', ...change };
}

function line(step: string, name: string, second: number, message: string): TimelineEntry {
  return { time: at(second), actor: 'helper/h', step, object: `pod/shop/${name}`, message };
}

test('steps that the ledger knows and the timeline does not are added, with their times', () => {
  const both = { injectedAt: at(1), revertedAt: at(9) };
  const table: readonly [string, readonly LedgerEntry[], readonly TimelineEntry[], readonly string[]][] = [
    [
      'an abort cut the log of one helper, another was never heard',
      [entry('a', both), entry('b', both)],
      [line('Injected', 'a', 1, 'loss hit pod shop/a')],
      [
        `${at(1)} Injected pod/shop/b loss hit pod shop/b`,
        `${at(9)} Reverted pod/shop/a loss reverted on pod shop/a`,
        `${at(9)} Reverted pod/shop/b loss reverted on pod shop/b`,
      ],
    ],
    [
      'all is in the timeline, with the times of a helper that reports it a moment later',
      [entry('a', both)],
      [
        line('Injected', 'a', 2, 'loss hit pod shop/a'),
        line('Reverted', 'a', 10, 'loss reverted on pod shop/a'),
      ],
      [],
    ],
    ['what was never injected', [entry('a', { state: 'failed', message: 'nothing was injected' })], [], []],
    [
      'one of three rounds',
      [1, 5, 9].map((second) => entry('a', { state: 'done', injectedAt: at(second), instant: true })),
      [line('Injected', 'a', 1, 'loss hit pod shop/a'), line('Injected', 'a', 9, 'loss hit pod shop/a')],
      [`${at(5)} Injected pod/shop/a loss hit pod shop/a`],
    ],
    [
      'another container of the same pod',
      [entry('a', { injectedAt: at(1) }, 'x'), entry('a', { injectedAt: at(1) }, 'y')],
      [line('Injected', 'a', 1, 'loss hit container x of pod shop/a')],
      [`${at(1)} Injected pod/shop/a loss hit container y of pod shop/a`],
    ],
  ];
  for (const [name, entries, timeline, expected] of table) {
    const missing = missingSteps(entries, timeline);
    assert.deepEqual(
      missing.map(({ time, step, object, message }) => `${time} ${step} ${object} ${message}`),
      expected,
      name,
    );
  }
});

test('an object of the cluster has no namespace', () => {
  assert.deepEqual(injectedStep('node-restart', { kind: 'node', name: 'n1' }), {
    step: 'Injected',
    object: 'node/n1',
    message: 'node-restart hit node n1',
  });
});
