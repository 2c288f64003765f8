/** The first line of a run, by what is known of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisOf, type LaneRecord } from './axis.ts';
import { explain, type RunFacts } from './explain.ts';
import type { Kind } from './kinds.ts';

type Spans = readonly (readonly [kind: Kind, from: number, to: number, label?: string])[];
const lane = (group: string, name: string, spans: Spans): LaneRecord => ({
  group,
  name,
  bars: spans.map(([kind, fromMs, toMs, label = '']) => ({ kind, fromMs, toMs, label })),
  marks: [],
});
const life = lane('Run', 'operator', [['life', 0, 60_000]]);
const hit = lane('Targets', 'pod web-1', [['injected', 10_000, 40_000]]);
const held = lane('Probes', 'alive', [['passed', 5000, 50_000]]);
const fell = lane('Probes', 'alive', [
  ['passed', 5000, 12_400],
  ['failure', 12_400, 50_000, '503 from http://web.'],
]);
const verdict = (word: string, detail = ''): RunFacts['verdicts'] => [
  { experiment: 'pod-delete', verdict: word, detail },
];

const RUNS: readonly [
  name: string,
  lanes: readonly LaneRecord[],
  verdicts: RunFacts['verdicts'],
  isRunning: boolean,
  sentence: string,
][] = [
  ['nothing yet', [], [], true, 'No step is recorded yet.'],
  ['begun', [life], verdict('Awaited'), true, 'Nothing has been injected yet; no probe has failed.'],
  [
    'in force',
    [life, lane('Targets', 'pod web-1', [['open', 10_000, Number.POSITIVE_INFINITY]]), held],
    verdict('Awaited'),
    true,
    'In force now on pod web-1; no probe has failed.',
  ],
  [
    'between rounds',
    [life, hit, fell],
    verdict('Awaited'),
    true,
    '1 injection so far, none in force now; alive failed first at +12.400 s.',
  ],
  ['passed', [life, hit, held], verdict('Pass'), false, '1 target was hit, and 1 probe held throughout.'],
  ['passed unchecked', [life, hit], verdict('Pass'), false, '1 target was hit, and it had no probes.'],
  [
    'a probe failed under chaos',
    [life, hit, fell],
    verdict('Fail'),
    false,
    'alive failed at +12.400 s, 2.4 s after pod web-1 was hit: 503 from http://web.',
  ],
  [
    'a probe failed before chaos',
    [life, lane('Probes', 'before', [['error', 100, 200, 'no such host']])],
    verdict('Error'),
    false,
    'before could not be evaluated at +0.100 s, before anything was injected: look at the application or the probe, not at the fault: no such host.',
  ],
  [
    'refused',
    [life],
    verdict('Error', 'service account litmus not found'),
    false,
    'pod-delete could not be carried out before anything was injected: service account litmus not found.',
  ],
  ['stopped', [life, hit, held], verdict('Stopped'), false, 'pod-delete was stopped.'],
  [
    'not reverted',
    [life, lane('Targets', 'node n1', [['open', 10_000, 60_000]]), held],
    verdict('Pass'),
    false,
    'The run is over, but what was injected into node n1 was not reverted.',
  ],
  [
    'a probe that fails in a run that passes',
    [life, hit, fell],
    verdict('Pass'),
    false,
    '1 target was hit, and 1 probe held throughout.',
  ],
];
for (const [name, lanes, verdicts, isRunning, sentence] of RUNS) {
  test(`a run: ${name}`, () => {
    const axis = axisOf({ startMs: 0, endMs: 60_000, lanes });
    const { sentence: said, evidence } = explain({ axis, verdicts, isRunning });
    assert.equal(said, sentence);
    assert.ok(evidence.every((id) => axis.marks[id] !== undefined));
  });
}

test('where no times of probes are known, none is told', () => {
  const axis = axisOf({ isExact: false, startMs: 0, endMs: 60_000, lanes: [life, hit, fell] });
  const over = explain({ axis, verdicts: verdict('Fail'), isRunning: false });
  assert.equal(over.sentence, 'alive failed while pod web-1 was hit: 503 from http://web.');
  const { sentence } = explain({ axis, verdicts: verdict('Awaited'), isRunning: true });
  assert.equal(sentence, '1 injection so far, none in force now; alive failed.');
});

test('the evidence of a failed probe is the probe, then what had been hit last', () => {
  const axis = axisOf({ startMs: 0, endMs: 60_000, lanes: [life, hit, fell] });
  const { evidence } = explain({ axis, verdicts: verdict('Fail'), isRunning: false });
  assert.deepEqual(
    evidence.map((id) => axis.marks[id]?.kind),
    ['failure', 'injected'],
  );
});
