import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosEngine, ChaosResult, EngineExperimentStatus } from '../../../api/index.ts';
import { endExperiments, settleResult } from './results.ts';

const TIME = '2026-01-01T00:00:00Z';

function result(rest: Partial<ChaosResult> = {}, annotations?: Record<string, string>): ChaosResult {
  return {
    metadata: {
      name: 'e-pod-delete',
      labels: { 'turnsole.io/run-id': 'r1' },
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { engine: 'e', experiment: 'pod-delete' },
    ...rest,
  };
}

test('results: a result that its experiment closed is left alone', () => {
  const closed = result({ status: { experimentStatus: { phase: 'Stopped', verdict: 'Stopped' } } });
  assert.equal(settleResult(closed, undefined), undefined);
});

test('results: annotations of targets go to the history, others stay', () => {
  const patch = settleResult(
    result(
      {
        status: {
          experimentStatus: { phase: 'Stopped', verdict: 'Stopped' },
          history: {
            passedRuns: 1,
            failedRuns: 2,
            stoppedRuns: 3,
            targets: [
              { kind: 'pod', name: 'a', chaosStatus: 'injected' },
              { kind: 'node', name: 'a', chaosStatus: 'reverted' },
            ],
          },
        },
      },
      { 'pod/a': 'reverted', 'pod/b': 'injected', 'example.com/owner': 'me', note: 'injected' },
    ),
    undefined,
  );
  assert.deepEqual(patch, {
    metadata: { annotations: { 'pod/a': null, 'pod/b': null } },
    status: {
      history: {
        passedRuns: 1,
        failedRuns: 2,
        stoppedRuns: 3,
        targets: [
          { kind: 'pod', name: 'a', chaosStatus: 'reverted' },
          { kind: 'node', name: 'a', chaosStatus: 'reverted' },
          { kind: 'pod', name: 'b', chaosStatus: 'injected' },
        ],
      },
    },
  });
});

test('results: a result that was left running is stopped and counted', () => {
  const patch = settleResult(
    result({
      status: {
        experimentStatus: { phase: 'Running', verdict: 'Awaited', probeSuccessPercentage: 'Awaited' },
        probeStatuses: [
          { name: 'a', type: 'httpProbe', mode: 'SOT', status: { verdict: 'Passed' } },
          { name: 'b', type: 'httpProbe', mode: 'EOT', status: { verdict: 'Awaited' } },
          { name: 'c', type: 'httpProbe', mode: 'EOT', status: { verdict: 'Awaited' } },
        ],
      },
    }),
    undefined,
  );
  const notRun = { verdict: 'N/A', description: 'Either probe is not executed or not evaluated' };
  assert.deepEqual(patch, {
    status: {
      history: { passedRuns: 0, failedRuns: 0, stoppedRuns: 1, targets: [] },
      experimentStatus: { phase: 'Stopped', verdict: 'Stopped', probeSuccessPercentage: '33' },
      probeStatuses: [
        { name: 'a', type: 'httpProbe', mode: 'SOT', status: { verdict: 'Passed' } },
        { name: 'b', type: 'httpProbe', mode: 'EOT', status: notRun },
        { name: 'c', type: 'httpProbe', mode: 'EOT', status: notRun },
      ],
    },
  });
});

test('results: one of a run that could not go on is an error, with the reason', () => {
  const left = result({ status: { experimentStatus: { phase: 'Running', verdict: 'Awaited' } } });
  assert.deepEqual(settleResult(left, 'the account is gone')?.status, {
    history: { passedRuns: 0, failedRuns: 0, stoppedRuns: 0, targets: [] },
    experimentStatus: {
      phase: 'Error',
      verdict: 'Error',
      probeSuccessPercentage: '0',
      errorOutput: { errorCode: 'GENERIC_ERROR', reason: 'the account is gone' },
    },
    probeStatuses: [],
  });
});

function entry(
  name: string,
  status: EngineExperimentStatus['status'],
  verdict = 'Awaited',
): EngineExperimentStatus {
  // The verdicts used below are all of the vocabulary.
  return { name, runner: 'e-runner', experimentPod: 'p', status, verdict: verdict as 'Awaited' };
}

function engine(experiments: EngineExperimentStatus[]): ChaosEngine {
  return {
    metadata: { name: 'e' },
    spec: { experiments: [{ name: 'pod-delete' }, { name: 'container-kill' }] },
    status: { engineStatus: 'initialized', runId: 'r1', experiments },
  };
}

const summary = (entries: readonly EngineExperimentStatus[]): string[] =>
  entries.map(({ name, status, verdict, reason }) =>
    [name, status, verdict, reason].filter(Boolean).join(' | '),
  );

test('results: what ran or waited is aborted, what ended keeps its verdict', () => {
  const entries = endExperiments(
    engine([
      entry('done', 'Completed', 'Pass'),
      entry('pod-delete', 'Running'),
      entry('container-kill', 'Waiting for Job Creation', 'N/A'),
      entry('skipped', 'Skipped', 'Fail'),
    ]),
    [],
    { time: TIME },
  );
  assert.deepEqual(summary(entries), [
    'done | Completed | Pass',
    'pod-delete | Forcefully Aborted | Stopped',
    'container-kill | Forcefully Aborted | Stopped',
    'skipped | Skipped | Fail',
  ]);
  assert.equal(entries[1]?.lastUpdateTime, TIME);
});

test('results: an experiment that ended just before the abort keeps the verdict of its result', () => {
  const final = result({ status: { experimentStatus: { phase: 'Completed', verdict: 'Pass' } } });
  const running = engine([entry('pod-delete', 'Running')]);
  assert.deepEqual(summary(endExperiments(running, [final], { time: TIME })), [
    'pod-delete | Completed | Pass',
  ]);
  const older = { ...final, metadata: { ...final.metadata, labels: { 'turnsole.io/run-id': 'r0' } } };
  assert.deepEqual(summary(endExperiments(running, [older], { time: TIME })), [
    'pod-delete | Forcefully Aborted | Stopped',
  ]);
});

test('results: a run that could not go on ends in Error, for every experiment', () => {
  const ending = { time: TIME, failure: 'no account' };
  assert.deepEqual(summary(endExperiments(engine([]), [], ending)), [
    'pod-delete | Skipped | Error | no account',
    'container-kill | Skipped | Error | no account',
  ]);
  assert.deepEqual(summary(endExperiments(engine([entry('pod-delete', 'Running')]), [], ending)), [
    'pod-delete | Forcefully Aborted | Error | no account',
  ]);
});
