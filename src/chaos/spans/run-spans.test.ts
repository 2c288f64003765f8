import assert from 'node:assert/strict';
import test from 'node:test';
import type { ChaosEngine, ChaosResult, LedgerEntry, TimelineEntry } from '../../api/index.ts';
import type { SpanRecord, TraceRecord } from '../../tracing/trace-record.ts';
import { engineSpanId, helperSpanId, runnerSpanId } from '../run-trace.ts';
import { experimentTrace } from './experiment-spans.ts';
import { runSpans } from './run-spans.ts';

const RUN = 'f71644c9-470f-4fa5-8e81-02a3ab4a3408';
const START = Date.parse('2026-11-23T10:00:00.000Z');

/** A line so many milliseconds after the start. */
function line(atMs: number, actor: string, step: string, object?: string, runId = RUN): TimelineEntry {
  const time = new Date(START + atMs).toISOString();
  return {
    time,
    actor,
    step,
    message: `${step} of ${actor}`,
    runId,
    ...(object === undefined ? {} : { object }),
  };
}

const time = (atMs: number): string => new Date(START + atMs).toISOString();

function entry(id: string, pod: string, rest: Partial<LedgerEntry>): [string, LedgerEntry] {
  const target = { kind: 'pod', namespace: 'shop', name: pod };
  return [
    id,
    { id: `${RUN}.r1.${id}`, fault: 'pod-network-loss', target, state: 'reverted', ...rest } as LedgerEntry,
  ];
}

const ENGINE: ChaosEngine = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
  spec: { engineState: 'stop', experiments: [{ name: 'pod-network-loss' }] },
  status: {
    engineStatus: 'completed',
    runId: RUN,
    verdict: 'Fail',
    timeline: [
      line(-500, 'operator', 'EngineCompleted', undefined, 'an-earlier-run'),
      line(0, 'user', 'EngineCreated'),
      line(10, 'operator', 'EngineInitialized'),
      line(100, 'runner', 'RunnerStarted'),
      line(150, 'runner', 'JobCreated', 'job/shop/j'),
      line(9000, 'runner', 'ExperimentEnded'),
      line(9100, 'operator', 'EngineCompleted'),
    ],
  },
};

const POD = 'pod-network-loss-helper-abcdef';
const ACTOR = 'experiment/pod-network-loss';
const RESULT = {
  metadata: { name: 'web-pod-network-loss', namespace: 'shop', labels: { 'turnsole.io/run-id': RUN } },
  spec: { engine: 'web', experiment: 'pod-network-loss' },
  status: {
    experimentStatus: {
      phase: 'Completed',
      verdict: 'Fail',
      probeSuccessPercentage: '50',
      errorOutput: { reason: 'lost' },
    },
    probeStatuses: [
      { name: 'up', type: 'httpProbe', mode: 'Continuous', status: { verdict: 'Passed', description: '' } },
      { name: 'slow', type: 'httpProbe', mode: 'EOT', status: { verdict: 'Failed', description: '' } },
    ],
    timeline: [
      line(200, ACTOR, 'ExperimentStarted'),
      line(300, ACTOR, 'HelperCreated', `pod/shop/${POD}`),
      line(1000, ACTOR, 'ChaosStarted'),
      line(1000, `helper/${POD}`, 'Injected', 'pod/shop/web-1'),
      line(1010, `helper/${POD}`, 'Injected', 'pod/shop/web-2'),
      line(1500, 'probe/up', 'ProbePassed'),
      line(6000, `helper/${POD}`, 'Reverted', 'pod/shop/web-1'),
      line(6100, ACTOR, 'ChaosEnded'),
      line(6200, 'probe/up', 'ProbeEnded'),
      line(7000, 'probe/slow', 'ProbeFailed'),
      line(8000, ACTOR, 'Verdict'),
    ],
    ledger: Object.fromEntries([
      entry('a', 'web-1', {
        injectedAt: time(1003),
        revertedAt: time(6004),
        effect: { seen: true, message: '' },
      }),
      entry('b', 'web-2', { injectedAt: time(1012), state: 'injected' }),
      entry('c', 'web-3', { state: 'planned' }),
      ['old', { ...entry('x', 'web-9', { injectedAt: time(0) })[1], id: 'an-earlier-run.r1.x' }],
    ]),
  },
} as unknown as ChaosResult;

function spanNamed({ spans }: TraceRecord, name: string): SpanRecord {
  const found = spans.filter((span) => span.name === name);
  assert.equal(found.length, 1, `${name} among ${spans.map((span) => span.name).join()}`);
  return found[0] ?? assert.fail();
}

const trace = runSpans(ENGINE, [RESULT], RUN) ?? assert.fail('no trace');

/** Name, milliseconds from the start to begin and end, service, name of the parent. */
const TREE: readonly (readonly [
  name: string,
  from: number,
  to: number,
  service: string,
  parent: string | undefined,
])[] = [
  ['run', 0, 9100, 'chaos_operator', undefined],
  ['runner', 100, 9000, 'chaos_runner', 'run'],
  ['experiment pod-network-loss', 200, 8000, 'chaos_experiment_job', 'runner'],
  ['chaos', 1000, 6100, 'chaos_experiment_job', 'experiment pod-network-loss'],
  ['probe up', 1500, 6200, 'chaos_experiment_job', 'experiment pod-network-loss'],
  ['probe slow', 7000, 7000, 'chaos_experiment_job', 'experiment pod-network-loss'],
  ['helper', 300, 6000, 'chaos_experiment_job_helper', 'experiment pod-network-loss'],
];
for (const [name, from, to, service, parent] of TREE) {
  test(`spans of a run: ${name}`, () => {
    const span = spanNamed(trace, name);
    assert.deepEqual([span.startMs - START, span.endMs - START, span.service], [from, to, service]);
    assert.equal(span.parentId, parent === undefined ? undefined : spanNamed(trace, parent).id);
  });
}

test('injections: from their line to the line of their revert, or to the end where they are still in force', () => {
  const found = trace.spans.filter(({ name }) => name === 'inject pod-network-loss');
  assert.deepEqual(
    found.map(({ startMs, endMs, attributes, parentId, service }) => [
      startMs - START,
      endMs - START,
      attributes['turnsole.target.name'],
      attributes['turnsole.injection.state'],
      attributes['turnsole.injection.effect'],
      parentId === helperSpanId(RUN, POD),
      service,
    ]),
    [
      [1000, 6000, 'web-1', 'reverted', true, true, 'chaos_experiment_job_helper'],
      [1010, 8000, 'web-2', 'injected', undefined, true, 'chaos_experiment_job_helper'],
    ],
  );
});

test('every step of the timeline is an event once, with its time', () => {
  const steps = [...(ENGINE.status?.timeline ?? []).slice(1), ...(RESULT.status?.timeline ?? [])];
  const eventTexts = trace.spans.flatMap(({ events }) => events.map(({ atMs, name }) => `${atMs} ${name}`));
  assert.deepEqual(eventTexts.sort(), steps.map((one) => `${Date.parse(one.time)} ${one.step}`).sort());
});

test('what failed says why', () => {
  const failures = trace.spans.flatMap(({ name, failure }) =>
    failure === undefined ? [] : [[name, failure]],
  );
  assert.deepEqual(failures, [
    ['run', 'verdict Fail'],
    ['experiment pod-network-loss', 'verdict Fail: lost'],
    ['probe slow', 'ProbeFailed of probe/slow'],
  ]);
});

test('ids follow from the run: who hands them on beforehand and who sends them later agree', () => {
  assert.equal(trace.traceId, RUN.replaceAll('-', ''));
  assert.equal(spanNamed(trace, 'run').id, engineSpanId(RUN));
  assert.equal(spanNamed(trace, 'runner').id, runnerSpanId(RUN));
  const ids = trace.spans.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test('an engine that was made in a trace is part of it; one whose trace is not kept has none', () => {
  const made = (flags: string): TraceRecord | undefined => {
    const annotations = { 'turnsole.io/trace-parent': `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${flags}` };
    return runSpans({ ...ENGINE, metadata: { ...ENGINE.metadata, annotations } }, [], RUN);
  };
  assert.deepEqual([made('01')?.traceId, made('01')?.spans[0]?.parentId], ['a'.repeat(32), 'b'.repeat(16)]);
  assert.equal(made('00'), undefined);
});

test('iterations are experiments of their own', () => {
  const second = `${RUN}-i2`;
  const timeline = [
    ...(RESULT.status?.timeline ?? []),
    line(8500, ACTOR, 'ExperimentStarted', undefined, second),
  ];
  const again = { ...RESULT, status: { ...RESULT.status, timeline } } as ChaosResult;
  const found = runSpans(ENGINE, [again], RUN)?.spans.filter(({ name }) => name.startsWith('experiment '));
  assert.deepEqual(
    found?.map(({ startMs, attributes }) => [startMs - START, attributes['turnsole.run_id']]),
    [
      [200, RUN],
      [8500, second],
    ],
  );
});

test('an engine that was rejected is an error; without any step there is no trace', () => {
  const timeline = [line(5, 'operator', 'EngineRejected')];
  const rejected = runSpans({ ...ENGINE, status: { runId: RUN, timeline } }, [], RUN);
  assert.deepEqual(
    rejected?.spans.map(({ failure }) => failure),
    ['EngineRejected of operator'],
  );
  assert.equal(runSpans({ ...ENGINE, status: { runId: RUN } }, [RESULT], RUN), undefined);
});

test('a result of upstream, which has no timeline, has no spans here: its experiment sent them', () => {
  const foreign = { ...RESULT, status: { ...RESULT.status, timeline: undefined } } as ChaosResult;
  assert.deepEqual(
    runSpans(ENGINE, [foreign], RUN)?.spans.map(({ name }) => name),
    ['run', 'runner'],
  );
});

test('an experiment for itself belongs to the trace that it was started in', () => {
  const own = experimentTrace(RESULT, RUN, `{"traceparent":"00-${'a'.repeat(32)}-${'b'.repeat(16)}-01"}`);
  assert.equal(own?.traceId, 'a'.repeat(32));
  assert.deepEqual(
    [own?.spans[0]?.name, own?.spans[0]?.parentId],
    ['experiment pod-network-loss', 'b'.repeat(16)],
  );
  assert.equal(experimentTrace(RESULT, 'another', ''), undefined);
});
