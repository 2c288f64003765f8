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
const whole = (phase: string, detail = ''): RunFacts['verdicts'] => [
  { experiment: 'workflow night', verdict: phase, detail },
];
const step = (label: string): LaneRecord => ({
  ...{ group: 'Experiments', name: 'pod-delete', bars: [] },
  marks: [{ kind: 'step', atMs: 20_000, label }],
});

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
    '1 injection so far, none in force now; alive failed first 12.4 s after the start.',
  ],
  ['passed', [life, hit, held], verdict('Pass'), false, '1 target was hit, and 1 probe held.'],
  [
    'passed unchecked',
    [life, hit],
    verdict('Pass'),
    false,
    '1 target was hit, and nothing judged what users saw.',
  ],
  [
    'a probe failed under chaos',
    [life, hit, fell],
    verdict('Fail'),
    false,
    'alive failed 12.4 s after the start, 2.4 s after pod web-1 was hit: 503 from http://web.',
  ],
  [
    'a probe failed before chaos',
    [life, lane('Probes', 'before', [['error', 100, 200, 'no such host']])],
    verdict('Error'),
    false,
    'before could not be evaluated 100 ms after the start, before anything was injected: look at the application or the probe, not at the fault: no such host.',
  ],
  [
    'refused',
    [life],
    verdict('Error', 'service account litmus not found'),
    false,
    'pod-delete could not run before anything was injected: service account litmus not found.',
  ],
  ['stopped', [life, hit, held], verdict('Stopped'), false, 'pod-delete was stopped.'],
  [
    'stopped by a person while a probe had failed',
    [step('Aborted: aborted: engineState is stop'), hit, fell],
    verdict('Stopped'),
    false,
    'pod-delete was stopped 20 s after the start: its engine was told to stop.',
  ],
  [
    'stopped by a probe',
    [life, hit, fell],
    verdict('Stopped', 'EXPERIMENT_ABORTED: probe alive failed and has stopOnFailure'),
    false,
    'alive failed 12.4 s after the start, 2.4 s after pod web-1 was hit: 503 from http://web.',
  ],
  [
    'no target',
    [life],
    verdict('Error', 'TARGET_SELECTION_ERROR: no pod has the label app=web'),
    false,
    'pod-delete found no target that it may hit before anything was injected: no pod has the label app=web.',
  ],
  [
    'no target, as an agent of LitmusChaos says it',
    [life],
    verdict(
      'Fail',
      'TARGET_SELECTION_ERROR : {"errorCode":"TARGET_SELECTION_ERROR","reason":"no pod found","target":"{app=web}"}',
    ),
    false,
    'pod-delete found no target that it may hit before anything was injected: no pod found (app=web).',
  ],
  [
    'a helper that died',
    [step('HelperLost: helper pod h1 is gone'), hit],
    verdict('Error', 'HELPER_POD_FAILED_ERROR: helper pod h1 was deleted while it was working'),
    false,
    "pod-delete lost its helper on a target's node: helper pod h1 was deleted while it was working.",
  ],
  [
    'a fault without effect that had to have one',
    [life, lane('Targets', 'pod web-1', [['ineffective', 10_000, 40_000]])],
    verdict('Fail', 'NO_EFFECT: no connection came to port 9999'),
    false,
    'pod-delete had no effect on its targets: no connection came to port 9999.',
  ],
  [
    'a fault without effect that nobody asked for',
    [life, lane('Targets', 'pod web-1', [['ineffective', 10_000, 40_000]]), held],
    verdict('Pass'),
    false,
    '1 target was hit without any effect, and 1 probe held.',
  ],
  [
    'out of time',
    [life, hit],
    verdict('Error', 'helper image was not pulled within 300 s'),
    false,
    'pod-delete ran out of time: helper image was not pulled within 300 s.',
  ],
  [
    'not healthy',
    [life],
    verdict('Error', 'STATUS_CHECKS_ERROR: 1 of 3 pods of deployment web is not ready'),
    false,
    'pod-delete found the application not healthy before anything was injected: 1 of 3 pods of deployment web is not ready.',
  ],
  [
    'a workflow whose engine failed: the engine says more',
    [life, hit, held],
    [...whole('Failed', 'child failed'), ...verdict('Fail', 'two pods did not come back')],
    false,
    'pod-delete failed: two pods did not come back.',
  ],
  [
    'a workflow that succeeded with its engine',
    [life, hit, held],
    [...whole('Succeeded'), ...verdict('Pass')],
    false,
    '1 target was hit, and 1 probe held.',
  ],
  [
    'a workflow of which a step failed',
    [life],
    whole('Failed', 'exit code 1'),
    false,
    'The run failed before anything was injected: exit code 1.',
  ],
  [
    'a workflow that was stopped',
    [life, hit],
    whole('Stopped', "Stopped with strategy 'Stop'"),
    false,
    'The run was stopped.',
  ],
  [
    'what the cluster says cannot turn the sentence',
    [life],
    verdict('Error', 'see \u202eeht'),
    false,
    'pod-delete could not run before anything was injected: see \\u202eeht.',
  ],
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
    '1 target was hit, and 1 probe held.',
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

test('where no times of probes are known, the sentence names none', () => {
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

const EVIDENCE: readonly [
  name: string,
  lanes: readonly LaneRecord[],
  verdicts: RunFacts['verdicts'],
  labels: string[],
][] = [
  [
    'of a stop, who did it',
    [step('Aborted: by the lever'), hit, fell],
    verdict('Stopped'),
    ['Aborted: by the lever'],
  ],
  [
    'of a helper, where it was lost',
    [step('HelperLost: gone'), hit],
    verdict('Error', 'HELPER_ERROR: tc failed'),
    ['HelperLost: gone'],
  ],
  [
    'of no effect, what had none',
    [life, lane('Targets', 'pod web-1', [['ineffective', 10_000, 40_000, 'nothing came']])],
    verdict('Fail', 'NO_EFFECT: nothing came'),
    ['nothing came'],
  ],
];
for (const [name, lanes, verdicts, labels] of EVIDENCE) {
  test(`the evidence ${name}`, () => {
    const axis = axisOf({ startMs: 0, endMs: 60_000, lanes });
    const { evidence } = explain({ axis, verdicts, isRunning: false });
    assert.deepEqual(
      evidence.map((id) => axis.marks[id]?.label),
      labels,
    );
  });
}

const OUTCOMES: readonly [
  name: string,
  lanes: readonly LaneRecord[],
  outcome: RunFacts['outcome'],
  said: string,
][] = [
  [
    'a step failed after chaos that passed',
    [life, hit],
    {
      word: 'Failed',
      by: 'run',
      reason: 'smoke-test ended with exit code 3; the application held through the chaos',
    },
    'Failed: smoke-test ended with exit code 3; the application held through the chaos.',
  ],
  [
    'a workflow was refused, and nothing is drawn',
    [],
    { word: 'Could not run', by: 'run', reason: 'the workflow was refused: x.' },
    'Could not run: the workflow was refused: x.',
  ],
  [
    'verdicts decided',
    [life, hit],
    { word: 'Passed', by: 'chaos', reason: 'nothing judged what users saw' },
    '1 target was hit, and nothing judged what users saw.',
  ],
];
for (const [name, lanes, outcome, said] of OUTCOMES) {
  test(`the outcome of a run, when ${name}`, () => {
    const axis = axisOf({ startMs: 0, endMs: 60_000, lanes });
    assert.equal(explain({ axis, verdicts: verdict('Pass'), isRunning: false, outcome }).sentence, said);
  });
}

test('a pass is told by what it has shown, and by what it has not', () => {
  const axis = axisOf({
    ...{ startMs: 0, endMs: 10 },
    lanes: [
      { group: 'Targets', name: 'pod web-1', bars: [], marks: [{ kind: 'injected', atMs: 5, label: '' }] },
    ],
  });
  const verdicts = [{ experiment: 'pod-delete', verdict: 'Pass', detail: '' }];
  const sentenceOf = (outcome: { survival: string; reason?: string }): string =>
    explain({ axis, verdicts, isRunning: false, outcome: { ...outcome, word: 'Passed', by: 'chaos' } })
      .sentence;
  assert.equal(
    sentenceOf({ survival: 'web survived: one pod was deleted' }),
    'web survived: one pod was deleted.',
  );
  assert.equal(
    sentenceOf({ survival: 'one pod was deleted', reason: 'nothing judged what users saw' }),
    'One pod was deleted; nothing judged what users saw.',
  );
});

test('a run that a user stopped was stopped, also where its verdict is that of a probe that had failed', () => {
  const axis = axisOf({
    startMs: 0,
    endMs: 60_000,
    lanes: [life, hit, fell, step('Aborted: aborted: received SIGTERM')],
  });
  const verdicts = verdict('Fail', 'received SIGTERM');
  const by = 'run' as const;
  const stopped = explain({
    axis,
    verdicts,
    isRunning: false,
    outcome: { state: 'stopped', word: 'Stopped', by },
  });
  assert.equal(stopped.sentence, 'pod-delete was stopped 20 s after the start: its pod was told to end.');
  const failed = explain({
    axis,
    verdicts,
    isRunning: false,
    outcome: { state: 'failedByProbe', word: 'Failed', by: 'chaos' },
  });
  assert.match(failed.sentence, /^alive failed 12\.4 s after the start/);
});
