import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ForceEnd, LedgerEntry } from '../api/ledger.ts';
import { type AskedForce, coverageOf, describeCoverage, describeLapses } from './coverage.ts';

const TWO: AskedForce = { targets: 2, kind: 'pod', durationMs: 20_000, atOnce: 2 };

/** Entries with one window each, in seconds. */
function entries(
  ...windows: readonly (readonly [from: number, to: number, ended?: ForceEnd])[]
): LedgerEntry[] {
  return windows.map(([from, to, ended = 'Reverted'], index) => ({
    id: `run.r0.web-${index}`,
    fault: 'pod-network-loss',
    target: { kind: 'pod', namespace: 'shop', name: `web-${index}` },
    parameters: {},
    state: 'reverted',
    inForce: [{ from: new Date(from * 1000).toISOString(), to: new Date(to * 1000).toISOString(), ended }],
  }));
}

const TABLE: readonly (readonly [
  what: string,
  asked: AskedForce,
  hit: readonly LedgerEntry[] | readonly LedgerEntry[][],
  percent: number,
  text: string,
])[] = [
  ['all the time', TWO, entries([0, 20], [0.5, 20.5]), 100, 'in force on 2 of 2 pods for 20 of 20 s'],
  ['longer than asked', TWO, entries([0, 21], [0, 22]), 100, 'in force on 2 of 2 pods for 20 of 20 s'],
  ['one pod went', TWO, entries([0, 20], [0, 10, 'PodGone']), 75, 'in force on 2 of 2 pods for 15 of 20 s'],
  [
    'both went',
    TWO,
    entries([0, 1, 'PodGone'], [0, 1, 'PodGone']),
    5,
    'in force on 2 of 2 pods for 1 of 20 s',
  ],
  ['one was never hit', TWO, entries([0, 20]), 50, 'in force on 1 of 2 pods for 10 of 20 s'],
  ['none was hit', TWO, [], 0, 'in force on 0 of 2 pods for 0 of 20 s'],
  [
    'a pod took the place of one',
    TWO,
    entries([0, 20], [0, 10, 'PodGone'], [11, 20]),
    97.5,
    'in force on 2 of 2 pods, and on 1 that came later, for 19.5 of 20 s',
  ],
  [
    'a pod that was hit beside the others counts for none',
    TWO,
    entries([0, 20], [0, 20], [0, 20]),
    100,
    'in force on 2 of 2 pods, and on 1 that came later, for 20 of 20 s',
  ],
  [
    'one after another',
    { ...TWO, atOnce: 1 },
    [entries([0, 20]), entries([21, 40])],
    97.5,
    'in force on 2 of 2 pods for 39 of 40 s',
  ],
  [
    'one after another, by clocks that differ',
    { ...TWO, atOnce: 1 },
    [entries([0, 20]), entries([5, 25])],
    100,
    'in force on 2 of 2 pods for 40 of 40 s',
  ],
  [
    'a single container',
    { ...TWO, targets: 1, atOnce: 1, kind: 'container' },
    entries([0, 19.96]),
    99.8,
    'in force on 1 of 1 container for 19.9 of 20 s',
  ],
];

for (const [what, asked, hit, percent, text] of TABLE) {
  test(`coverage: ${what}`, () => {
    const steps = hit.map((one) => (Array.isArray(one) ? one : [])).filter((step) => step.length > 0);
    // Without steps all are one.
    const coverage = coverageOf(steps.length > 0 ? steps : [hit as LedgerEntry[]], asked, 100_000);
    assert.equal(coverage.percent, percent);
    assert.equal(describeCoverage(coverage), text);
  });
}

test('coverage is what a clock that looks at every tenth of a second would count', () => {
  const TENTHS = fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 200 }));
  fc.assert(
    fc.property(fc.array(TENTHS, { maxLength: 6 }), fc.integer({ min: 1, max: 3 }), (windows, targets) => {
      const hit = entries(...windows.map(([from, length]) => [from / 10, (from + length) / 10] as const));
      let tenths = 0;
      for (let tick = 0; tick < 400; tick++) {
        tenths += Math.min(
          windows.filter(([from, length]) => from <= tick && tick < from + length).length,
          targets,
        );
      }
      const { percent, seconds } = coverageOf([hit], { ...TWO, targets, atOnce: targets }, 100_000);
      assert.ok(Math.abs(percent - Math.min(100, (tenths / targets / 200) * 100)) <= 0.1001);
      assert.ok(Math.abs(seconds - Math.min(20, tenths / targets / 10)) <= 0.1001);
    }),
  );
});

test('what ended early is said, a revert is not', () => {
  const hit = entries([0, 20], [0, 3.25, 'PodGone'], [0, 2, 'ContainerRestarted'], [0, 6, 'NotRenewed']);
  assert.deepEqual(describeLapses(hit), [
    'pod shop/web-1: the pod was gone after 3.2 s',
    'pod shop/web-2: the container restarted after 2 s',
    'pod shop/web-3: its machine was too busy to renew its rules after 6 s',
  ]);
});
