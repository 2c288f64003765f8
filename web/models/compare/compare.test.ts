/** Two runs side by side: which lanes belong together, what differs, and how that is said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { axisOf, type LaneRecord } from '../timeline/axis.ts';
import { KINDS, type Kind } from '../timeline/kinds.ts';
import { type ComparedRun, compareRuns } from './compare.ts';
import { interleave } from './interleave.ts';
import { laneFacts } from './lane-facts.ts';
import { pairLanes, stemOf } from './pair-lanes.ts';

type Marks = readonly (readonly [kind: Kind, from: number, to: number])[];
/** Marks that begin and end at once are points. */
const lane = (group: string, name: string, ...marks: Marks): LaneRecord => ({
  ...{ group, name },
  bars: marks
    .filter(([, from, to]) => from !== to)
    .map(([kind, fromMs, toMs]) => ({ kind, fromMs, toMs, label: '' })),
  marks: marks.filter(([, from, to]) => from === to).map(([kind, atMs]) => ({ kind, atMs, label: '' })),
});

const run = (
  name: string,
  state: string,
  lanes: readonly LaneRecord[],
  { endMs = 60_000, isExact = true, isRunning = false } = {},
): ComparedRun => ({ name, state, isRunning, axis: axisOf({ startMs: 0, endMs, isExact, lanes }) });

const web1 = lane(
  'Targets',
  'pod shop/web-6d9f7c5b8-tcldh',
  ['injected', 10_000, 10_000],
  ['recovered', 12_000, 12_000],
);
const web2 = lane(
  'Targets',
  'pod shop/web-6d9f7c5b8-rrdw5',
  ['injected', 10_000, 10_000],
  ['recovered', 19_000, 19_000],
);
const db = lane('Targets', 'pod shop/db-0', ['injected', 10_000, 20_000]);
const held = lane('Probes', 'alive', ['passed', 5000, 50_000]);
const fell = lane('Probes', 'alive', ['passed', 5000, 12_000], ['failure', 12_000, 50_000]);
const fellLater = lane('Probes', 'alive', ['passed', 5000, 40_000], ['failure', 40_000, 50_000]);
const before = run('run 41', 'Pass', [web1, held]);

const set = (name: string, score: number, seconds: string): ComparedRun => ({
  ...run(name, 'Pass', [web1, held]),
  ...{
    score,
    settings: new Map([
      ['FORCE', 'true'],
      ['TOTAL_CHAOS_DURATION', seconds],
    ]),
  },
});

const PAIRS: readonly [
  name: string,
  a: ComparedRun,
  b: ComparedRun,
  differences: string[],
  sentence: string,
][] = [
  [
    'score and settings',
    set('run 41', 100, '15'),
    set('run 42', 50, '30'),
    ['score score: 100 → 50', 'setting setting TOTAL_CHAOS_DURATION: 15 → 30'],
    'Both runs: Pass; score: 50 instead of 100; setting TOTAL_CHAOS_DURATION: 30 instead of 15.',
  ],
  ['the same', before, run('run 42', 'Pass', [web1, held]), [], 'Both runs: Pass; nothing else differs.'],
  [
    'a probe failed',
    before,
    run('run 42', 'Fail', [web1, fell]),
    ['verdict the run: Pass → Fail', 'probe probe alive: passed → failed'],
    'Run 42: Fail, run 41: Pass; probe alive: failed instead of passed.',
  ],
  [
    'a probe failed earlier',
    run('run 41', 'Fail', [web1, fellLater]),
    run('run 42', 'Fail', [web1, fell]),
    ['probe probe alive: failed at +40.000 s → failed at +12.000 s'],
    'Both runs: Fail; probe alive: failed at +12.000 s instead of failed at +40.000 s.',
  ],
  [
    'slower recovery of a pod of the same workload',
    before,
    run('run 42', 'Pass', [web2, held]),
    ['recovery slowest recovery: 2 s (pod shop/web-6d9f7c5b8-tcldh) → 9 s (pod shop/web-6d9f7c5b8-rrdw5)'],
    'Both runs: Pass; slowest recovery: 9 s (pod shop/web-6d9f7c5b8-rrdw5) instead of 2 s (pod shop/web-6d9f7c5b8-tcldh).',
  ],
  [
    'another target was hit',
    before,
    run('run 42', 'Pass', [web1, db, held]),
    ['target pod shop/db-0: not hit → hit'],
    'Both runs: Pass; pod shop/db-0: hit instead of not hit.',
  ],
  [
    'what was injected stays',
    run('run 41', 'Pass', [db]),
    run('run 42', 'Pass', [lane('Targets', 'pod shop/db-0', ['open', 10_000, Number.POSITIVE_INFINITY])]),
    ['target pod shop/db-0: hit → not reverted'],
    'Both runs: Pass; pod shop/db-0: not reverted instead of hit.',
  ],
  [
    'it took longer',
    before,
    run('run 42', 'Pass', [web1, held], { endMs: 90_000 }),
    ['duration duration: 1 min → 1 min 30 s'],
    'Both runs: Pass; duration: 1 min 30 s instead of 1 min.',
  ],
  [
    'it took a little longer',
    before,
    run('run 42', 'Pass', [web1, held], { endMs: 63_000 }),
    [],
    'Both runs: Pass; nothing else differs.',
  ],
  [
    'a probe is new and a step failed; of three differences two are named',
    run('run 41', 'Pass', [lane('Steps', 'a', ['passed', 0, 1000])]),
    run('run 42', 'Fail', [lane('Steps', 'a', ['failure', 0, 1000]), held, db]),
    [
      'verdict the run: Pass → Fail',
      'probe probe alive: not there → passed',
      'step step a: succeeded → failed',
      'target pod shop/db-0: not hit → hit',
    ],
    'Run 42: Fail, run 41: Pass; probe alive: passed instead of not there; step a: failed instead of succeeded; 1 more difference.',
  ],
  [
    'without exact times neither moments nor recovery are compared',
    run('run 41', 'Fail', [web1, fellLater], { isExact: false }),
    run('run 42', 'Fail', [web2, fell], { isExact: false }),
    [],
    'Both runs: Fail; nothing else differs.',
  ],
  [
    'while one is not over its duration is no difference',
    before,
    run('run 42', 'Running', [web1, held], { endMs: 20_000, isRunning: true }),
    ['verdict the run: Pass → Running'],
    'Run 42: Running, run 41: Pass; nothing else differs.',
  ],
];
for (const [name, a, b, differences, sentence] of PAIRS) {
  test(`two runs: ${name}`, () => {
    const comparison = compareRuns(a, b);
    assert.deepEqual(
      comparison.differences.map((one) => `${one.kind} ${one.subject}: ${one.a} → ${one.b}`),
      differences,
    );
    assert.equal(comparison.sentence, sentence);
  });
}

test('the comparison says what is not known', () => {
  const { unknown } = compareRuns(
    run('run 41', 'Pass', [], { isExact: false }),
    run('run 42', 'Running', [], { isRunning: true }),
  );
  assert.deepEqual(unknown, [
    'The agent of run 41 reports times of steps only, so when probes failed and how long recovery took is not compared.',
    'Run 42 is not over; what differs may still change.',
  ]);
});

test('lanes stand under each other, each counted from the start of its run, and a difference names its marks', () => {
  const { axis, differences } = compareRuns(before, run('run 42', 'Fail', [web2, fell]));
  assert.deepEqual(
    axis.lanes.map(({ group, name }) => `${group}: ${name}`),
    [
      'Targets: A pod shop/web-6d9f7c5b8-tcldh',
      'Targets: B pod shop/web-6d9f7c5b8-rrdw5',
      'Probes: A alive',
      'Probes: B alive',
    ],
  );
  const probe = differences.find(({ kind }) => kind === 'probe');
  assert.deepEqual(
    probe?.marks.map((id) => [
      axis.lanes[axis.marks[id]?.lane ?? -1]?.name,
      axis.marks[id]?.kind,
      axis.marks[id]?.startMs,
    ]),
    [
      ['A alive', 'passed', 5000],
      ['B alive', 'failure', 12_000],
    ],
  );
});

const STEMS: readonly [name: string, stem: string][] = [
  ['pod shop/web-6d9f7c5b8-tcldh', 'pod shop/web-*'],
  ['pod shop/db-0', 'pod shop/db-0'],
  ['node worker-2', 'node worker-2'],
  ['pod-delete, litmus/pod-delete-x4b2c', 'pod-delete, litmus/pod-delete-*'],
  ['night-1735689600', 'night-*'],
  ['checkout-service', 'checkout-service'],
];
for (const [name, stem] of STEMS) test(`the stem of ${name}`, () => assert.equal(stemOf(name), stem));

test('lanes of equal names are paired before lanes of similar names', () => {
  const { axis: a } = run('a', 'Pass', [web1, web2]);
  const { axis: b } = run('b', 'Pass', [web2, web1]);
  assert.deepEqual(
    pairLanes(a, b).map((pair) => [pair.a, pair.b]),
    [
      [0, 1],
      [1, 0],
    ],
  );
});

test('whatever two runs are, every lane of both is on the axis once, and every difference points at marks that are there', () => {
  const lanes = fc.array(
    fc.record({
      group: fc.constantFrom('Targets', 'Probes', 'Steps', 'Run'),
      name: fc.constantFrom('x', 'y', 'web-6d9f7c5b8-tcldh', 'web-6d9f7c5b8-rrdw5'),
      bars: fc.array(
        fc.record({
          kind: fc.constantFrom(...KINDS),
          fromMs: fc.nat(1000),
          toMs: fc.nat(1000),
          label: fc.string(),
        }),
      ),
      marks: fc.array(fc.record({ kind: fc.constantFrom(...KINDS), atMs: fc.nat(1000), label: fc.string() })),
    }),
  );
  fc.assert(
    fc.property(lanes, lanes, (one, other) => {
      const [a, b] = [run('a', 'Pass', one), run('b', 'Fail', other)];
      const { axis, differences } = compareRuns(a, b);
      assert.equal(axis.lanes.length, one.length + other.length);
      assert.equal(axis.marks.length, a.axis.marks.length + b.axis.marks.length);
      for (const id of differences.flatMap(({ marks }) => marks)) assert.ok(axis.marks[id] !== undefined);
    }),
  );
});

test('numbers of both runs are drawn on one scale where they have one unit', () => {
  const timed = (unit: string, ...values: readonly number[]): ComparedRun => {
    const curve = { what: 'response time', unit, times: values.map((_, index) => index * 1000), values };
    return run('run', 'Pass', [{ ...held, curve }]);
  };
  const scales = (a: ComparedRun, b: ComparedRun): unknown[] =>
    interleave(a.axis, b.axis, pairLanes(a.axis, b.axis)).axis.lanes.map(({ name, curve }) => [
      name,
      curve === undefined ? undefined : [curve.min, curve.max, curve.scale.min, curve.scale.max],
    ]);
  assert.deepEqual(scales(timed('ms', 12, 15), timed('ms', 11, 340)), [
    ['A alive', [12, 15, 11, 340]],
    ['B alive', [11, 340, 11, 340]],
  ]);
  assert.deepEqual(scales(timed('ms', 12, 15), timed('s', 1, 2)), [
    ['A alive', [12, 15, 12, 15]],
    ['B alive', [1, 2, 1, 2]],
  ]);
  assert.deepEqual(scales(timed('ms', 12, 15), before)[1], ['B alive', undefined]);
});

test('a step that had not ended is not over while its run lasts, and stopped afterwards', () => {
  const { axis } = run('run 1', 'Stopped', [lane('Steps', 'attack', ['life', 0, 900])]);
  assert.deepEqual(
    [true, false].map((isRunning) => laneFacts(axis, { isRunning })[0]?.outcome),
    ['not over', 'stopped'],
  );
});
