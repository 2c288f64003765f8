import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ForceEnd, ForceWindow, LedgerEntry } from '../api/ledger.ts';
import {
  abandoned,
  closed,
  cut,
  interrupted,
  opened,
  type Span,
  spansOf,
  sumOf,
  unionOf,
} from './force-windows.ts';

const at = (ms: number): string => new Date(ms).toISOString();
const window = (from: number, to?: number, ended?: ForceEnd): ForceWindow => ({
  from: at(from),
  ...(to === undefined ? {} : { to: at(to) }),
  ...(ended === undefined ? {} : { ended }),
});

test('a window begins once, and again after it has ended', () => {
  const first = opened(undefined, 10);
  assert.deepEqual(first, [window(10)]);
  assert.equal(opened(first, 20), first);
  const over = closed(first, 30, 'ProcessEnded');
  assert.deepEqual(opened(over, 40), [window(10, 30, 'ProcessEnded'), window(40)]);
});

const CLOSINGS: readonly (readonly [
  what: string,
  before: readonly ForceWindow[],
  why: ForceEnd,
  after: readonly ForceWindow[],
])[] = [
  ['lasts', [window(10)], 'Reverted', [window(10, 50, 'Reverted')]],
  ['began later, by another clock', [window(70)], 'PodGone', [window(70, 70, 'PodGone')]],
  ['has ended', [window(10, 30, 'PodGone')], 'Reverted', [window(10, 30, 'PodGone')]],
  [
    'has ended with its process, because the container did',
    [window(10, 30, 'ProcessEnded')],
    'ContainerRestarted',
    [window(10, 30, 'ContainerRestarted')],
  ],
  [
    'has ended with its process, and is reverted',
    [window(10, 30, 'ProcessEnded')],
    'Reverted',
    [window(10, 30, 'ProcessEnded')],
  ],
];

for (const [what, before, why, after] of CLOSINGS) {
  test(`the end of a window that ${what}`, () => assert.deepEqual(closed(before, 50, why), after));
}

const CUTS: readonly (readonly [
  what: string,
  before: readonly ForceWindow[],
  after: readonly ForceWindow[],
])[] = [
  ['a window that lasts', [window(10)], [window(10, 50, 'PodGone')]],
  ['a window that was closed later', [window(10, 90, 'Reverted')], [window(10, 50, 'PodGone')]],
  ['a window that began later', [window(10, 20, 'ProcessEnded'), window(60)], [window(10, 20, 'PodGone')]],
  ['a window that had ended', [window(10, 20, 'ContainerRestarted')], [window(10, 20, 'ContainerRestarted')]],
];

for (const [what, before, after] of CUTS) {
  test(`a loss cuts ${what}`, () => assert.deepEqual(cut(before, 50, 'PodGone'), after));
}

const INTERRUPTIONS: readonly (readonly [
  what: string,
  before: readonly ForceWindow[],
  after: readonly ForceWindow[],
])[] = [
  ['a window that lasts', [window(10)], [window(10, 50, 'NotRenewed'), window(60)]],
  [
    'a window that has ended since',
    [window(10, 90, 'Reverted')],
    [window(10, 50, 'NotRenewed'), window(60, 90, 'Reverted')],
  ],
  ['a window that has ended in it', [window(10, 55, 'Reverted')], [window(10, 50, 'NotRenewed')]],
  ['a window that began in it', [window(55)], [window(60)]],
  ['a window within it', [window(52, 58, 'PodGone')], []],
  ['windows beside it', [window(10, 50, 'PodGone'), window(60)], [window(10, 50, 'PodGone'), window(60)]],
];
for (const [what, before, after] of INTERRUPTIONS) {
  test(`an interruption of ${what}`, () => {
    assert.deepEqual(interrupted(before, { fromMs: 50, toMs: 60 }, 'NotRenewed'), after);
  });
}

test('a lost helper leaves a window that lasts until then, and none that it has ended itself', () => {
  assert.deepEqual(abandoned([window(10)], 50), [window(10, 50, 'HelperLost')]);
  assert.deepEqual(abandoned([window(70)], 50), [window(70, 70, 'HelperLost')]);
  const over = [window(10, 90, 'Reverted')];
  assert.equal(abandoned(over, 50), over);
  assert.equal(abandoned(undefined, 50), undefined);
});

test('an entry without windows was in force from its injection to its revert', () => {
  const entry = { injectedAt: at(10), revertedAt: at(30) } as LedgerEntry;
  assert.deepEqual(spansOf(entry, 99), [{ fromMs: 10, toMs: 30 }]);
  assert.deepEqual(spansOf({ ...entry, revertedAt: undefined }, 99), [{ fromMs: 10, toMs: 99 }]);
  assert.deepEqual(spansOf({} as LedgerEntry, 99), []);
  assert.deepEqual(spansOf({ ...entry, inForce: [window(5, 5, 'PodGone')] }, 99), []);
});

const SPANS = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 30 }))
    .map(([fromMs, length]): Span => ({ fromMs, toMs: fromMs + length })),
  { maxLength: 8 },
);

/** How many last in each millisecond: the definition, counted out. */
function counts(spans: readonly Span[]): number[] {
  return Array.from(
    { length: 100 },
    (_, ms) => spans.filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs).length,
  );
}

test('the sum of spans counts each moment by the number that last, up to the most', () => {
  fc.assert(
    fc.property(SPANS, fc.integer({ min: 1, max: 4 }), (spans, most) => {
      assert.equal(
        sumOf(spans, most),
        counts(spans).reduce((sum, count) => sum + Math.min(count, most), 0),
      );
    }),
  );
});

test('the union of spans has each moment in which one lasts, in order and apart', () => {
  fc.assert(
    fc.property(SPANS, (spans) => {
      const union = unionOf(spans);
      assert.deepEqual(
        counts(union),
        counts(spans).map((count) => Math.min(count, 1)),
      );
      for (const [index, { fromMs }] of union.entries())
        assert.ok(index === 0 || fromMs > (union[index - 1]?.toMs ?? 0));
    }),
  );
});
