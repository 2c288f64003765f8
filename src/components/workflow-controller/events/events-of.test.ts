import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeStatus, WorkflowPhase } from '@turnsole/workflows/kinds/status';
import type { NodeChange, StoredChange } from '../ports.ts';
import { type EventSettings, eventsOf } from './events-of.ts';

const WORKFLOW = {
  metadata: {
    name: 'wf',
    namespace: 'shop',
    uid: 'u-wf',
    annotations: { 'workflows.argoproj.io/pod-name-format': 'v2' },
  },
  spec: {},
};

function node(phase: NodeStatus['phase'], change: Partial<NodeStatus> = {}): NodeStatus {
  return {
    id: 'wf-1',
    name: 'wf[0].a',
    displayName: 'a',
    type: 'Pod',
    phase,
    templateName: 'main',
    ...change,
  };
}

function change(
  phaseBefore: WorkflowPhase,
  phase: WorkflowPhase,
  changes: readonly NodeChange[],
  message?: string,
): StoredChange {
  const nodes = new Map(changes.map(({ after }) => [after.id, after]));
  const status = { phase, storedTemplates: {}, ...(message !== undefined && { message }) };
  return { workflow: WORKFLOW, spec: {}, status, nodes, phaseBefore, changes };
}

function eventTexts(given: StoredChange, settings: EventSettings = {}): string[] {
  return eventsOf(given, settings).map(
    ({ type, reason, message, pod }) =>
      `${type} ${reason}: ${message}${pod === undefined ? '' : ` (${pod})`}`,
  );
}

const RUNNING = 'Normal WorkflowRunning: Workflow Running';
const NODE_RUNNING = 'Normal WorkflowNodeRunning: Running node wf[0].a';
const TABLE: readonly (readonly [name: string, given: StoredChange, expected: readonly string[]])[] = [
  ['it begins', change('', 'Running', [{ after: node('Running') }]), [RUNNING, NODE_RUNNING]],
  ['it begins after it waited', change('Pending', 'Running', []), [RUNNING]],
  ['a node is made and waits', change('Running', 'Running', [{ after: node('Pending') }]), []],
  ['a node is born skipped', change('Running', 'Running', [{ after: node('Skipped') }]), []],
  [
    'a node is omitted later',
    change('Running', 'Running', [{ before: node('Pending'), after: node('Omitted') }]),
    ['Warning WorkflowNodeOmitted: Omitted node wf[0].a'],
  ],
  [
    'a node runs',
    change('Running', 'Running', [{ before: node('Pending'), after: node('Running') }]),
    [NODE_RUNNING],
  ],
  [
    'a node changes, its phase does not',
    change('Running', 'Running', [{ before: node('Running'), after: node('Running', { podIP: '::1' }) }]),
    [],
  ],
  [
    'a node ends that was not seen to run',
    change('Running', 'Running', [{ before: node('Pending'), after: node('Failed', { message: 'no' }) }]),
    [NODE_RUNNING, 'Warning WorkflowNodeFailed: Failed node wf[0].a: no'],
  ],
  [
    'it ends well',
    change('Running', 'Succeeded', [{ before: node('Running'), after: node('Succeeded') }]),
    ['Normal WorkflowNodeSucceeded: Succeeded node wf[0].a', 'Normal WorkflowSucceeded: Workflow completed'],
  ],
  ['it ends badly', change('Running', 'Error', [], 'why'), ['Warning WorkflowFailed: why']],
  [
    'it is refused before it begins',
    change('', 'Failed', [], 'invalid spec: x'),
    ['Warning WorkflowFailed: invalid spec: x'],
  ],
  [
    'it begins and ends in one write',
    change('', 'Succeeded', [{ after: node('Succeeded') }]),
    [
      RUNNING,
      NODE_RUNNING,
      'Normal WorkflowNodeSucceeded: Succeeded node wf[0].a',
      'Normal WorkflowSucceeded: Workflow completed',
    ],
  ],
];
for (const [name, given, expected] of TABLE)
  test(`events: ${name}`, () => assert.deepEqual(eventTexts(given), expected));

test('events are switched off, of nodes and of workflows', () => {
  const begin = change('', 'Running', [{ after: node('Running') }]);
  assert.deepEqual(eventTexts(begin, { nodes: false }), [RUNNING]);
  assert.deepEqual(eventTexts(begin, { workflows: false }), [NODE_RUNNING]);
});

test('events of nodes are shown on their pods, where there is one', () => {
  const steps = node('Running', { type: 'Steps' });
  const given = change('Running', 'Running', [{ after: node('Running') }, { after: steps }]);
  assert.deepEqual(eventTexts(given, { asPod: true }), [
    `${NODE_RUNNING} (wf-main-3986212215)`,
    NODE_RUNNING,
  ]);
});

test('annotations say which node it is', () => {
  const startedAt = '2026-01-01T00:00:00Z';
  const given = change('Running', 'Running', [{ after: node('Running', { startedAt }) }]);
  const [event] = eventsOf(given, { asPod: true });
  assert.deepEqual(event?.annotations, {
    'workflows.argoproj.io/node-type': 'Pod',
    'workflows.argoproj.io/node-name': 'wf[0].a',
    'workflows.argoproj.io/node-id': 'wf-1',
    'workflows.argoproj.io/node-start-time': startedAt,
    'workflows.argoproj.io/workflow-name': 'wf',
    'workflows.argoproj.io/workflow-uid': 'u-wf',
  });
});
