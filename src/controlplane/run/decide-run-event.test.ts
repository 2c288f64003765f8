import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExecutionData } from '../../services/report/account/execution-data.ts';
import { decideRunEvent, type RunDecision, type RunEvent, type RunState } from './decide-run-event.ts';
import { execution } from './testing/execution.ts';

const FAULTS = [{ name: 'pod-delete', weight: 10 }];
const ENGINE = { engineName: 'pod-delete12345', experimentVerdict: 'Pass', probeSuccessPercentage: '80' };

const started = event(execution([]));
const halfway = event(execution([{ ...ENGINE, phase: 'Running' }]));
const ended = event(execution([ENGINE], { phase: 'Completed', finishedAt: '9' }), true);
const stoppedByAgent = event(execution([ENGINE], { phase: 'Stopped', finishedAt: '9' }), true);

function event(data: RunEvent['data'], isCompleted = false): RunEvent {
  return { runID: 'uid', data, isCompleted };
}

/** A run after these events, or queued. */
function after(...events: readonly RunEvent[]): RunState {
  let run: RunState = { runID: '', phase: 'Queued', endedBy: null, isFinal: false, progress: 0 };
  for (const one of events) {
    const decision = decideRunEvent(run, one, FAULTS);
    if (decision.kind !== 'discard') run = decision.change;
  }
  return run;
}

const stopped = (run: RunState): RunState => ({ ...run, phase: 'Stopped', endedBy: 'user' });
const timedOut = (run: RunState): RunState => ({ ...run, phase: 'Timeout', endedBy: 'server' });

interface Expected {
  readonly kind: RunDecision['kind'];
  readonly phase?: string;
  readonly endedBy?: RunState['endedBy'];
  readonly score?: number;
  readonly stopInCluster?: boolean;
  readonly why?: string;
}

const CASES: readonly [name: string, run: RunState | undefined, event: RunEvent, expected: Expected][] = [
  [
    'a run that a schedule began',
    undefined,
    started,
    { kind: 'insert', phase: 'Running', endedBy: null, score: 0 },
  ],
  [
    'a run whose last word comes first',
    undefined,
    ended,
    { kind: 'insert', phase: 'Completed', endedBy: 'agent', score: 80 },
  ],
  ['a queued run that begins', after(), started, { kind: 'update', phase: 'Running', endedBy: null }],
  ['a run that goes on', after(started), halfway, { kind: 'update', phase: 'Running' }],
  ['the same word again', after(started, halfway), halfway, { kind: 'update', phase: 'Running' }],
  ['an older word', after(started, halfway), started, { kind: 'discard', why: 'stale' }],
  [
    'the last word',
    after(started, halfway),
    ended,
    { kind: 'update', phase: 'Completed', endedBy: 'agent', score: 80 },
  ],
  ['the last word again', after(started, ended), ended, { kind: 'discard', why: 'duplicate' }],
  ['a late word', after(started, ended), halfway, { kind: 'discard', why: 'duplicate' }],
  [
    'a last word that says less, of an agent that restarted',
    after(started, halfway),
    event(execution([]), true),
    { kind: 'update', endedBy: 'agent', score: 0 },
  ],
  [
    'news of a run that a user has stopped',
    stopped(after(started)),
    halfway,
    { kind: 'update', phase: 'Stopped', endedBy: 'user', stopInCluster: false },
  ],
  [
    'the first word of a run that a user has stopped',
    stopped(after()),
    started,
    { kind: 'update', phase: 'Stopped', endedBy: 'user', stopInCluster: true },
  ],
  [
    'the last word of a run that a user has stopped',
    stopped(after(started)),
    stoppedByAgent,
    { kind: 'update', phase: 'Stopped', endedBy: 'user', score: 80, stopInCluster: false },
  ],
  [
    'a completion of a run that a user has stopped',
    stopped(after(started)),
    ended,
    { kind: 'update', phase: 'Stopped', endedBy: 'user', score: 80 },
  ],
  ['more after that', stopped(after(started, stoppedByAgent)), ended, { kind: 'discard', why: 'duplicate' }],
  [
    'a run that the server gave up',
    timedOut(after()),
    started,
    { kind: 'update', phase: 'Running', endedBy: null },
  ],
];

for (const [name, run, given, expected] of CASES) {
  test(`decides ${name}`, () => {
    const decision = decideRunEvent(run, given, FAULTS);
    assert.equal(decision.kind, expected.kind);
    if (decision.kind === 'discard') {
      assert.equal(decision.why, expected.why);
      return;
    }
    const { phase, endedBy, resiliencyScore, runID, isFinal } = decision.change;
    assert.equal(runID, 'uid');
    assert.equal(isFinal, given.isCompleted);
    const found = { phase, endedBy, score: resiliencyScore, stopInCluster: decision.stopInCluster };
    for (const [key, value] of Object.entries(expected)) {
      if (key !== 'kind') assert.equal(found[key as keyof typeof found], value, key);
    }
  });
}

test('in whatever order events come, the last word stands at the end', () => {
  const events = [started, halfway, ended];
  for (const order of permutations([...events, ...events])) {
    const run = after(...order);
    assert.deepEqual([run.phase, run.endedBy, run.isFinal], ['Completed', 'agent', true]);
  }
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}

/** An account with one engine. */
function engineAccount(phase: string, ofNode: string, experimentVerdict: string): string {
  const node = { type: 'ChaosEngine', phase: ofNode, chaosData: { experimentVerdict, chaosResult: null } };
  return JSON.stringify({ phase, nodes: { a: node } });
}

const PHASES: readonly [text: string, phase: string][] = [
  ['{"phase":"Pending"}', 'Pending'],
  ['{"phase":"Completed_With_Probe_Failure"}', 'Completed_With_Probe_Failure'],
  ['{"phase":"Succeeded","nodes":{}}', 'Completed'],
  [
    '{"phase":"Succeeded","nodes":{"a":{"type":"ChaosEngine","phase":"Completed_With_Probe_Failure"}}}',
    'Completed_With_Probe_Failure',
  ],
  ['{"phase":"Succeeded","nodes":{"a":{"type":"ChaosEngine","phase":"Error"}}}', 'Completed_With_Error'],
  // What agents say of an engine whose ChaosExperiment is missing: there is no result, so the node has the status of the engine.
  [engineAccount('Succeeded', 'completed', 'Fail'), 'Completed_With_Error'],
  [engineAccount('Completed', 'completed', 'Fail'), 'Completed_With_Error'],
  [engineAccount('Completed', 'initialized', ''), 'Completed_With_Error'],
  ['{"phase":"Completed","nodes":{"a":{"type":"ChaosEngine","phase":"Succeeded"}}}', 'Completed_With_Error'],
  // An engine with several experiments, of which LitmusChaos' agents read no result.
  [engineAccount('Completed', 'completed', 'Pass'), 'Completed'],
  [engineAccount('Completed', 'Completed', 'Fail'), 'Completed'],
  [engineAccount('Completed', 'Completed_With_Probe_Failure', 'Fail'), 'Completed_With_Probe_Failure'],
  ['{"phase":"Completed","nodes":{"a":{"type":"Pod","phase":"Failed"}}}', 'Completed'],
  [engineAccount('Stopped', 'stopped', 'Fail'), 'Stopped'],
  [engineAccount('Running', 'initialized', ''), 'Running'],
  ['{"phase":"Failed"}', 'Error'],
  ['{"phase":"<script>"}', 'NA'],
  ['{"phase":7,"nodes":[null]}', 'NA'],
];

for (const [text, phase] of PHASES) {
  test(`takes ${text} for ${phase}`, () => {
    const data = readExecutionData(text);
    assert.ok(data !== undefined);
    const decision = decideRunEvent(undefined, event(data), []);
    assert.ok(decision.kind === 'insert');
    assert.equal(decision.change.phase, phase);
  });
}

test('what is no JSON object is no account of a run', () => {
  assert.equal(readExecutionData('[]'), undefined);
  assert.equal(readExecutionData('{'), undefined);
});
