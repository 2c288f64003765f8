import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { chaosDataOf } from './chaos-data.ts';
import type { ChaosData, RunEvent } from './run-event.ts';
import { workflowEvent } from './workflow-event.ts';

const TIME = '2026-01-01T00:00:00Z';
const SECONDS = '1767225600';

interface Shape {
  readonly phase?: string;
  readonly shutdown?: 'Stop';
  readonly isOver?: boolean;
  readonly nodes?: Readonly<Record<string, Partial<NodeStatus>>>;
  readonly engines?: Readonly<Record<string, ChaosData | undefined>>;
  readonly before?: RunEvent;
}

function event({
  phase = 'Running',
  shutdown,
  isOver = false,
  nodes = {},
  engines = {},
  before,
}: Shape): RunEvent {
  const workflow = {
    metadata: {
      name: 'run',
      namespace: 'litmus',
      uid: 'u-1',
      creationTimestamp: TIME,
      labels: { workflow_id: 'e-1' },
    },
    spec: { ...(shutdown && { shutdown }) },
    status: { phase, startedAt: TIME, ...(isOver && { finishedAt: TIME }) },
  } as unknown as Workflow;
  const full = Object.entries(nodes).map(([id, node]) => {
    const usual = { id, name: id, displayName: id, type: 'Pod', phase: 'Succeeded' };
    return [id, { ...usual, ...node } as NodeStatus] as const;
  });
  return workflowEvent({
    workflow,
    nodes: Object.fromEntries(full),
    engines: new Map(Object.entries(engines)),
    before,
  });
}

function data(status: string, verdict = 'Pass'): ChaosData {
  const engine = {
    metadata: { name: 'e' },
    spec: {},
    status: { engineStatus: 'completed', experiments: [{ name: 'x', verdict }] },
  };
  const result = { metadata: { name: 'e-x' }, status: { experimentStatus: { phase: status, verdict } } };
  const found = chaosDataOf({
    name: 'e',
    namespace: 'litmus',
    engine: engine as never,
    result: result as never,
  });
  assert.ok(found !== undefined);
  return found;
}

const PHASES: readonly (readonly [name: string, shape: Shape, phase: string])[] = [
  ['pending', { phase: 'Pending' }, 'Pending'],
  ['of no phase yet', { phase: '' }, 'Pending'],
  ['of an unknown phase', { phase: 'Paused' }, 'Pending'],
  ['running', { phase: 'Running' }, 'Running'],
  ['succeeded', { phase: 'Succeeded', isOver: true }, 'Completed'],
  ['failed', { phase: 'Failed', isOver: true }, 'Completed'],
  ['error', { phase: 'Error', isOver: true }, 'Error'],
  ['being stopped', { phase: 'Running', shutdown: 'Stop' }, 'Stopped'],
  ['stopped', { phase: 'Failed', shutdown: 'Stop', isOver: true }, 'Stopped'],
  [
    'over, with an engine that passed',
    {
      phase: 'Succeeded',
      isOver: true,
      nodes: { run: {}, 'run-1': {} },
      engines: { 'run-1': data('Completed') },
    },
    'Completed',
  ],
  [
    'over, with a failed probe',
    {
      phase: 'Succeeded',
      isOver: true,
      nodes: { 'run-1': {} },
      engines: { 'run-1': data('Completed_With_Probe_Failure', 'Fail') },
    },
    'Completed_With_Probe_Failure',
  ],
  [
    'over, with an engine that is not known',
    { phase: 'Succeeded', isOver: true, nodes: { 'run-1': {} }, engines: { 'run-1': undefined } },
    'Error',
  ],
  [
    'over, with a node in error',
    { phase: 'Succeeded', isOver: true, nodes: { 'run-1': { phase: 'Error' } } },
    'Error',
  ],
  [
    'going on, with an engine that is not known',
    { nodes: { 'run-1': {} }, engines: { 'run-1': undefined } },
    'Running',
  ],
];

for (const [name, shape, phase] of PHASES) {
  test(`a run that is ${name}: ${phase}`, () => {
    const found = event(shape);
    assert.equal(found.phase, phase);
    assert.equal(found.finishedAt, shape.isOver === true ? SECONDS : '');
  });
}

test('the phase of the workflow itself is sent beside that of LitmusChaos only where that hides a failure', () => {
  assert.equal(event({ phase: 'Failed', isOver: true }).workflowPhase, 'Failed');
  for (const phase of ['Succeeded', 'Error'])
    assert.equal('workflowPhase' in event({ phase, isOver: true }), false);
});

test('nodes stand in the order of their ids, so that the root is the first one', () => {
  const found = event({ nodes: { 'run-2': {}, run: {}, 'run-10': {} } });
  assert.deepEqual(Object.keys(found.nodes), ['run', 'run-10', 'run-2']);
});

test('what was known of an engine that has been cleaned up holds', () => {
  const before = event({
    nodes: { 'run-1': { phase: 'Running', message: 'm' } },
    engines: { 'run-1': data('Completed') },
  });
  const after = event({
    phase: 'Succeeded',
    isOver: true,
    nodes: { 'run-1': {} },
    engines: { 'run-1': undefined },
    before,
  });
  assert.equal(after.phase, 'Completed');
  assert.deepEqual(after.nodes['run-1'], { ...before.nodes['run-1'], startedAt: '', finishedAt: '' });
  assert.equal(after.eventType, 'UPDATE');
});

test('an engine says the phase of its node, but not in the moment in which the node begins', () => {
  const pending = event({ nodes: { 'run-1': { phase: 'Pending' } }, engines: { 'run-1': undefined } });
  const begun = event({
    nodes: { 'run-1': { phase: 'Running' } },
    engines: { 'run-1': data('Awaited') },
    before: pending,
  });
  assert.equal(begun.nodes['run-1']?.phase, 'Running');
  const later = event({
    nodes: { 'run-1': { phase: 'Running' } },
    engines: { 'run-1': data('Awaited') },
    before: begun,
  });
  assert.equal(later.nodes['run-1']?.phase, 'Awaited');
});

test('what a stop has kept from ending is stopped, with the time of the end', () => {
  const found = event({
    phase: 'Failed',
    shutdown: 'Stop',
    isOver: true,
    nodes: { run: { type: 'Steps' }, 'run-1': { phase: 'Running' }, 'run-2': {} },
  });
  assert.deepEqual(
    Object.values(found.nodes).map(({ phase }) => phase),
    ['Stopped', 'Stopped', 'Succeeded'],
  );
  assert.equal(found.nodes['run-1']?.finishedAt, SECONDS);
});

const SHARES: readonly (readonly [value: unknown, shown: string])[] = [
  ['100', '100'],
  ['66.6', '66.6'],
  ['Awaited', 'Awaited'],
  [50, '50'],
  [undefined, '0'],
  ['', '0'],
  ['NaN', '0'],
  ['1000', '0'],
  ['-1', '0'],
  [{ a: 1 }, '0'],
];

for (const [value, shown] of SHARES) {
  test(`a share of passed probes of ${JSON.stringify(value)} is ${shown}`, () => {
    const result = {
      metadata: { name: 'r' },
      status: { experimentStatus: { probeSuccessPercentage: value } },
    };
    const found = chaosDataOf({ name: 'e', namespace: 'n', engine: undefined, result: result as never });
    assert.equal(found?.probeSuccessPercentage, shown);
  });
}

test('a result is reported without the numbers of its probes, which may be many', () => {
  const probe = { name: 'p', type: 'httpProbe', mode: 'SOT', status: { verdict: 'Passed' } };
  const measured = { what: 'value', points: [{ time: '2026-01-01T00:00:00.000Z', value: 1 }] };
  const result = { metadata: { name: 'r' }, status: { probeStatuses: [{ ...probe, measured }, null] } };
  const found = chaosDataOf({ name: 'e', namespace: 'n', engine: undefined, result: result as never });
  assert.deepEqual(found?.chaosResult?.status, { probeStatuses: [probe, null] });
});

test('results without status and without history are reported', () => {
  const found = chaosDataOf({
    name: 'e',
    namespace: 'n',
    engine: undefined,
    result: { metadata: { name: 'r' } } as never,
  });
  assert.deepEqual(found?.chaosResult, { metadata: { name: 'r' }, status: {} });
});

const VERDICTS: readonly (readonly [
  engineStatus: string,
  engineState: string,
  verdict: string,
  shown: string,
])[] = [
  ['completed', 'stop', 'Pass', 'Pass'],
  ['completed', 'stop', 'Awaited', 'Fail'],
  ['completed', 'stop', 'Error', 'Fail'],
  ['stopped', 'stop', 'Pass', 'Fail'],
  ['initialized', 'active', 'Awaited', 'Awaited'],
];

for (const [engineStatus, engineState, verdict, shown] of VERDICTS) {
  test(`an engine that is ${engineStatus} with verdict ${verdict}: ${shown}`, () => {
    const engine = {
      metadata: { name: 'e' },
      spec: { engineState },
      status: { engineStatus, experiments: [{ name: 'x', verdict }] },
    };
    const found = chaosDataOf({ name: 'e', namespace: 'n', engine: engine as never, result: undefined });
    assert.equal(found?.experimentVerdict, shown);
  });
}

const NOT_FOUND = 'ChaosExperiment Not Found';
const FAIL_STEPS: readonly [engineStatus: string, status: string, verdict: string, failStep: string][] = [
  ['completed', NOT_FOUND, 'Fail', NOT_FOUND],
  ['completed', 'Skipped', 'N/A', 'Skipped'],
  ['completed', 'Completed', 'Pass', ''],
  ['initialized', NOT_FOUND, 'Fail', ''],
];

for (const [engineStatus, status, verdict, failStep] of FAIL_STEPS) {
  test(`an engine without a result that is ${engineStatus}, its experiment ${status}: ${failStep || 'no reason'}`, () => {
    const engine = {
      metadata: { name: 'e' },
      status: { engineStatus, experiments: [{ name: 'x', verdict, status }] },
    };
    const found = chaosDataOf({ name: 'e', namespace: 'n', engine: engine as never, result: undefined });
    assert.equal(found?.failStep, failStep);
  });
}
