import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimelineEntry } from '../../../api/timeline.ts';
import { runPage } from './run-page.ts';
import type { StoredRecord } from './stored-record.ts';

const BEGIN = Date.parse('2026-01-01T00:00:00Z');

function step(seconds: number, actor: string, name: string, object?: string): TimelineEntry {
  const time = new Date(BEGIN + seconds * 1000).toISOString();
  return {
    time,
    actor,
    step: name,
    message: `${name} of ${actor}`,
    runId: 'r',
    ...(object !== undefined && { object }),
  };
}

const ENGINE: StoredRecord = {
  ...{ kind: 'ChaosEngine', namespace: 'shop', name: 'e', count: 1, leftOut: 0 },
  object: {
    metadata: { name: 'e', namespace: 'shop', uid: 'u' },
    status: { runId: 'r', experiments: [{ name: 'pod-delete', verdict: 'Pass', status: 'Completed' }] },
  },
  steps: [step(0.25, 'operator', 'RunStarted')],
};
const RESULT: StoredRecord = {
  ...{ kind: 'ChaosResult', namespace: 'shop', name: 'e-pod-delete', count: 3, leftOut: 0 },
  object: {
    metadata: { name: 'e-pod-delete', namespace: 'shop' },
    spec: { engine: 'e', experiment: 'pod-delete' },
    status: {
      probeStatuses: [
        {
          ...{ name: 'web', type: 'httpProbe', mode: 'Continuous' },
          status: { verdict: 'Passed', description: '' },
        },
      ],
      ledger: {
        'r.r1.a': {
          ...{ id: 'r.r1.a', fault: 'pod-delete', state: 'done', instant: true },
          injectedAt: new Date(BEGIN + 1_123).toISOString(),
          target: { kind: 'pod', namespace: 'shop', name: 'web-1' },
        },
      },
    },
  },
  steps: [
    step(1, 'experiment/pod-delete', 'ChaosStarted'),
    step(1.5, 'probe/web', 'ProbePassed'),
    step(2.75, 'experiment/pod-delete', 'ChaosEnded'),
  ],
};

test('the page of an engine has the lanes of turnsole timeline, with exact times', () => {
  const page = runPage([RESULT, ENGINE], JSON.stringify({ experimentType: 'chaosengine', name: 'e' }));
  assert.deepEqual([page.title, page.startMs - BEGIN, page.endMs - BEGIN], ['shop/e', 250, 2_750]);
  assert.deepEqual(
    page.lanes.map(({ group, name }) => `${group}: ${name}`),
    [
      'Probes: web (Continuous)',
      'Targets: pod shop/web-1',
      'Experiments: pod-delete',
      'Run: operator and runner',
    ],
  );
  assert.deepEqual(
    page.lanes[1]?.marks.map(({ atMs }) => atMs - BEGIN),
    [1_123],
  );
  assert.deepEqual(page.verdicts, [{ experiment: 'pod-delete', verdict: 'Pass', detail: 'Completed' }]);
});

test('the page of a workflow has its steps as well, from the account of the agent', () => {
  const seconds = (offset: number): string => String(BEGIN / 1000 + offset);
  const nodes = {
    'flow-1': { name: 'flow-1', type: 'Steps', phase: 'Running', startedAt: seconds(0), finishedAt: '' },
    'flow-1-2': {
      ...{ name: 'chaos', type: 'ChaosEngine', phase: 'Completed_With_Probe_Failure' },
      ...{ startedAt: seconds(0), finishedAt: seconds(3) },
    },
    odd: null,
  };
  const data = {
    name: 'flow-1',
    namespace: 'litmus',
    phase: 'Running',
    startedAt: seconds(0),
    finishedAt: '',
    nodes,
  };
  const page = runPage([ENGINE, RESULT], JSON.stringify(data));
  assert.deepEqual(
    page.lanes.filter(({ group }) => group === 'Steps').map(({ name, bars }) => [name, bars[0]?.kind]),
    [['chaos', 'failure']],
  );
  assert.ok(page.lanes.some(({ name }) => name === 'pod shop/web-1'));
  assert.equal(page.verdicts[0]?.verdict, 'Running');
});

const OTHER: StoredRecord = {
  ...ENGINE,
  name: 'f',
  object: { ...(ENGINE.object as object), metadata: { name: 'f', namespace: 'shop', uid: 'v' } },
};

test('lanes of several engines say whose they are by the steps that made them', () => {
  const node = (step: string, engineName: string) => ({
    ...{ name: step, type: 'ChaosEngine', phase: 'Running', startedAt: '1', finishedAt: '' },
    chaosData: { engineName, namespace: 'shop' },
  });
  const nodes = { 'flow-1-1': node('first', 'e'), 'flow-1-2': node('second', 'f') };
  const flow = { name: 'flow-1', namespace: 'litmus', phase: 'Running', startedAt: '1', finishedAt: '' };
  const page = runPage([ENGINE, RESULT, OTHER], JSON.stringify({ ...flow, nodes }));
  assert.deepEqual(
    page.lanes.filter(({ group }) => group !== 'Steps').map(({ name }) => name),
    [
      'web (Continuous), first',
      'pod shop/web-1, first',
      'pod-delete, first',
      'operator and runner, first',
      'operator and runner, second',
    ],
  );
});

test('where these are not known, by their experiments, which the next run has as well', () => {
  const flow = { name: 'flow-1', namespace: 'litmus', phase: 'Running', startedAt: '1', finishedAt: '' };
  const node = { name: 'chaos', type: 'ChaosEngine', phase: 'Running', startedAt: '1', finishedAt: '' };
  const page = runPage([ENGINE, RESULT, OTHER], JSON.stringify({ ...flow, nodes: { 'flow-1-2': node } }));
  assert.deepEqual(
    page.lanes.filter(({ group }) => group === 'Run').map(({ name }) => name),
    ['operator and runner, pod-delete', 'operator and runner, pod-delete (2)'],
  );
  assert.ok(page.lanes.some(({ name }) => name === 'pod shop/web-1, pod-delete'));
});

test('a result without its engine has its lanes, and the page says which steps are not kept', () => {
  const page = runPage([{ ...RESULT, leftOut: 7 }], 'no account');
  assert.ok(page.lanes.some(({ group }) => group === 'Targets'));
  assert.match(page.warnings.join(), /^7 older steps/);
});
