/** A run at each moment: what is in its boxes, what its probes have found, what is said; and how it is played. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { axisOf, type LaneRecord } from '../timeline/axis.ts';
import { eventBeside } from './events.ts';
import { momentAt } from './moment.ts';
import { played, stepMs } from './playback.ts';
import { replayOf } from './replay.ts';

type Bar = LaneRecord['bars'][number];
const bar = (kind: Bar['kind'], fromMs: number, toMs: number, label: string = kind): Bar => ({
  kind,
  fromMs,
  toMs,
  label,
});
const point = (kind: Bar['kind'], atMs: number, label: string = kind) => ({ kind, atMs, label });
const lane = (group: string, name: string, rest: Partial<LaneRecord> = {}): LaneRecord => ({
  ...{ group, name, bars: [], marks: [] },
  ...rest,
});

const WEB = 'deployment shop/web';
/** Two of three pods of web are deleted, one after the other; each is missing for a while. */
const DELETED: readonly LaneRecord[] = [
  lane('Probes', 'web-answers (Continuous)', {
    asks: 'GET http://web.shop.svc.cluster.local:8080/',
    bars: [
      bar('passed', 3000, 12_000),
      bar('failure', 12_000, 14_000, 'no answer'),
      bar('passed', 14_000, 20_000),
    ],
    curve: { what: 'response time', unit: 'ms', times: [3000, 9000, 20_000], values: [12, 300, 9] },
  }),
  lane('Probes', 'slo (EOT)', {
    asks: 'http://load.shop:8080/slo',
    marks: [point('error', 19_000, 'timed out')],
  }),
  lane('Workloads', WEB, {
    of: WEB,
    bars: [bar('unready', 6500, 8500, '2 s, then ready again'), bar('unready', 11_500, 13_000, '1.5 s')],
    marks: [
      point('injected', 6000, 'pod-delete hit pod web-a'),
      point('injected', 11_000, 'pod-delete hit pod web-b'),
    ],
    // The first number was counted before all pods had been seen.
    curve: {
      ...{ what: 'ready pods', unit: 'of 3' },
      times: [2900, 2950, 6500, 6500, 8500, 8500, 11_500, 11_500, 13_000, 13_000],
      values: [1, 3, 3, 2, 2, 3, 3, 2, 2, 3],
    },
  }),
  lane('Targets', 'pod shop/web-a', { of: WEB, marks: [point('injected', 6000)] }),
  lane('Targets', 'pod shop/web-b', { of: WEB, marks: [point('injected', 11_000)] }),
  lane('Pods', 'pod shop/web-a', {
    bars: [bar('life', 5900, 6500, 'web-a is ready'), bar('unready', 6500, 7500, 'web-a is being deleted')],
    marks: [point('step', 7500, 'web-a is gone')],
  }),
  lane('Pods', 'pod shop/web-b', {
    bars: [
      bar('life', 10_900, 11_500, 'web-b is ready'),
      bar('unready', 11_500, 20_000, 'web-b is being deleted'),
    ],
  }),
  lane('Experiments', 'pod-delete', {
    bars: [bar('life', 2000, 20_000), bar('chaos', 5000, 15_000)],
    marks: [point('step', 5000, 'ChaosStarted: 10 s of chaos begin')],
  }),
  lane('Run', 'operator and runner', { marks: [point('step', 0, 'EngineCreated: it was created.')] }),
];

const deleted = replayOf(axisOf({ startMs: 0, endMs: 20_000, lanes: DELETED }));

suite('a run whose pods are deleted', () => {
  const rows: readonly (readonly [atMs: number, dots: string, words: string, sentence: RegExp])[] = [
    [0, 'well well well', '3 of 3 pods ready', /^it was created\.$/],
    [2920, 'well well well', '3 of 3 pods ready', /^it was created, 2 s ago\.$/],
    [6200, 'hit well well', '3 of 3 pods ready', /^pod-delete hit pod web-a\.$/],
    [
      7000,
      'unready well well',
      '2 of 3 pods ready',
      /^web-a is being deleted; shop\/web has 2 of 3 pods ready\.$/,
    ],
    [8000, 'gone well well', '2 of 3 pods ready', /^web-a is gone; shop\/web has 2 of 3 pods ready\.$/],
    [9000, 'well well well', '3 of 3 pods ready', /^shop\/web: 2 s, then ready again\.$/],
    [11_200, 'well hit well', '3 of 3 pods ready', /^pod-delete hit pod web-b\.$/],
    [
      12_500,
      'well unready well',
      '2 of 3 pods ready',
      /^web-answers \(Continuous\) fails: no answer; shop\/web has 2 of/,
    ],
    // Another pod is ready, though the one that was hit is not gone yet.
    [16_000, 'well well well', '3 of 3 pods ready', /^web-answers \(Continuous\) holds, 2 s ago\.$/],
    [19_500, 'well well well', '3 of 3 pods ready', /^slo \(EOT\) fails: timed out\.$/],
  ];
  for (const [atMs, dots, words, sentence] of rows) {
    test(`after ${atMs} ms`, () => {
      const now = momentAt(deleted, atMs);
      assert.deepEqual(
        now.boxes.map((box) => [box.dots.join(' '), box.words]),
        [[dots, words]],
      );
      assert.match(now.sentence, sentence);
    });
  }

  test('its probes: which box they ask, what they have found, and whether they ask', () => {
    assert.deepEqual(
      deleted.askers.map(({ box }) => box),
      [0, undefined],
    );
    const found = (atMs: number): unknown =>
      momentAt(deleted, atMs).askers.map(
        (one) => `${one.found} ${one.isAsking ? 'asks' : 'rests'}: ${one.words}`,
      );
    assert.deepEqual(found(1000), ['nothing rests: has not asked yet', 'nothing rests: has not asked yet']);
    assert.deepEqual(found(9000), ['passed asks: holds, 300 ms', 'nothing rests: has not asked yet']);
    assert.deepEqual(found(12_000), ['failure asks: fails, 300 ms', 'nothing rests: has not asked yet']);
    assert.deepEqual(found(20_000), ['passed asks: holds, 9 ms', 'error rests: cannot be evaluated']);
  });

  test('chaos counts up, and is in force until it is over', () => {
    const words = [4999, 5000, 12_900, 15_000].map((atMs) => momentAt(deleted, atMs).chaos);
    assert.deepEqual(words, ['', 'pod-delete in force, 0 of 10 s', 'pod-delete in force, 7 of 10 s', '']);
  });
});

test('targets without a workload are a box by their kind; what is in force is hit, what is not reverted stays so', () => {
  const replay = replayOf(
    axisOf({
      ...{ startMs: 0, endMs: 10_000 },
      lanes: [
        lane('Targets', 'node n1', { bars: [bar('injected', 2000, 5000, 'node-drain was in force')] }),
        lane('Targets', 'node n2', { bars: [bar('open', 4000, 10_000, 'node-drain is in force')] }),
      ],
    }),
  );
  const at = (atMs: number): unknown =>
    momentAt(replay, atMs).boxes.map(({ dots, words, isHit }) => [dots.join(' '), words, isHit]);
  assert.deepEqual(at(1000), [['well well', '2 nodes', false]]);
  assert.deepEqual(at(3000), [['hit well', '1 of 2 nodes hit', true]]);
  assert.deepEqual(at(6000), [['well hit', '1 of 2 nodes hit', true]]);
  assert.deepEqual(at(9999), [['well hit', '1 of 2 nodes hit', true]]);
  assert.match(momentAt(replay, 5000).sentence, /^node n1 is as before\.$/);
});

test('a workload that grows has more pods than before; one whose lost pods nobody has named loses its last ones', () => {
  const curve = { what: 'ready pods', unit: 'of 2', times: [0, 1000, 2000], values: [2, 4, 1] };
  const replay = replayOf(
    axisOf({ startMs: 0, endMs: 3000, lanes: [lane('Workloads', WEB, { of: WEB, curve })] }),
  );
  const at = (atMs: number): unknown =>
    momentAt(replay, atMs).boxes.map(({ dots, words }) => [dots.join(' '), words]);
  assert.deepEqual(at(500), [['well well', '2 of 2 pods ready']]);
  assert.deepEqual(at(1500), [['well well well well', '4 pods ready']]);
  assert.deepEqual(at(2500), [['well gone', '1 of 2 pods ready']]);
});

test('a workload that several engines hit is one box, whose curve follows the one that watches it', () => {
  const curve = (times: number[], values: number[]) => ({ what: 'ready pods', unit: 'of 3', times, values });
  const replay = replayOf(
    axisOf({
      ...{ startMs: 0, endMs: 9000 },
      lanes: [
        lane('Workloads', `${WEB}, second`, { of: WEB, curve: curve([5000, 6000], [3, 1]) }),
        lane('Workloads', `${WEB}, first`, { of: WEB, curve: curve([1000, 2000, 3000], [3, 2, 3]) }),
      ],
    }),
  );
  assert.deepEqual(
    [500, 2500, 4000, 7000].map((atMs) =>
      momentAt(replay, atMs)
        .boxes.map(({ words }) => words)
        .join(),
    ),
    ['3 of 3 pods ready', '2 of 3 pods ready', '3 of 3 pods ready', '1 of 3 pods ready'],
  );
});

test('at any moment as many pods are ready as were counted, and all places are shown', () => {
  const moments = fc.integer({ min: 0, max: 20_000 });
  const values = fc.array(fc.nat(5), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(values, fc.array(moments, { maxLength: 9 }), moments, (pods, hits, atMs) => {
      const times = pods.map((_, index) => index * 2000);
      const lanes = [
        lane('Workloads', WEB, {
          of: WEB,
          curve: { what: '', unit: 'of 3', times: [0, ...times], values: [3, ...pods] },
        }),
        ...hits.map((hit, index) =>
          lane('Targets', `pod shop/p${index}`, { of: WEB, marks: [point('injected', hit)] }),
        ),
      ];
      const [box] = momentAt(replayOf(axisOf({ startMs: 0, endMs: 20_000, lanes })), atMs).boxes;
      const counted = pods[Math.min(pods.length - 1, Math.floor(atMs / 2000))] ?? 0;
      const ready = box?.dots.filter((dot) => dot === 'well' || dot === 'hit').length;
      assert.equal(ready, counted);
      assert.equal(box?.dots.length, Math.max(3, counted));
    }),
  );
});

test('events are walked one by one, both ways', () => {
  const times = Float64Array.from([0, 1000.4, 1000.4, 5000]);
  const next: (number | undefined)[] = [0, 1000.4, 1000, 4999, 5000].map((atMs) =>
    eventBeside(times, atMs, 'next'),
  );
  assert.deepEqual(next, [1000.4, 5000, 5000, 5000, undefined]);
  const previous = [0, 1000.4, 1000, 5000, 6000].map((atMs) => eventBeside(times, atMs, 'previous'));
  assert.deepEqual(previous, [undefined, 0, 0, 1000.4, 5000]);
});

test('it plays as fast as it is told to, through no pause of the browser, and to the end', () => {
  const rows = [
    [played(1000, 16, 1, 60_000), 1016],
    [played(1000, 16, 20, 60_000), 1320],
    [played(1000, 3_600_000, 2, 60_000), 3000],
    [played(59_900, 16, 20, 60_000), 60_000],
    [played(1000, -5, 20, 60_000), 1000],
    [stepMs(660_000), 1000],
    [stepMs(10_000), 200],
  ];
  for (const [is, wanted] of rows) assert.equal(is, wanted);
});
