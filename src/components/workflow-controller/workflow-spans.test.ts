import assert from 'node:assert/strict';
import test from 'node:test';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import { nodeTraceEnv } from '../../chaos/spans/workflow-trace.ts';
import { parseTraceParent } from '../../tracing/trace-context.ts';
import { workflowSpans } from './workflow-spans.ts';

const UID = 'f71644c9-470f-4fa5-8e81-02a3ab4a3408';
const at = (second: number): string => `2026-11-23T10:00:0${second}Z`;
const START = Date.parse(at(0));

function node(id: string, rest: Partial<NodeStatus>): [string, NodeStatus] {
  const whole = {
    id,
    name: id,
    displayName: id,
    type: 'Pod',
    phase: 'Succeeded',
    startedAt: at(1),
    finishedAt: at(3),
  };
  return [id, { ...whole, ...rest } as NodeStatus];
}

const NODES = new Map([
  node('flow', { type: 'Steps', startedAt: at(0), finishedAt: at(5) }),
  node('flow[0]', { type: 'StepGroup', boundaryID: 'flow' }),
  node('chaos', { boundaryID: 'flow', templateName: 'engine' }),
  node('bad', { boundaryID: 'flow', phase: 'Failed', message: 'exit code 1', finishedAt: at(4) }),
  node('left-out', { boundaryID: 'flow', phase: 'Skipped', finishedAt: at(1) }),
  node('waiting', { boundaryID: 'flow', phase: 'Pending', startedAt: undefined }),
]);

type Ended = Parameters<typeof workflowSpans>[0];

function ended(annotations?: Record<string, string>): Ended {
  return {
    workflow: { metadata: { name: 'flow', namespace: 'shop', uid: UID, annotations }, spec: {} },
    spec: {},
    status: {
      phase: 'Failed',
      message: 'a step failed',
      startedAt: at(0),
      finishedAt: at(5),
      storedTemplates: {},
    },
    nodes: NODES,
  } as Ended;
}

test('a workflow and its nodes are spans with the times of the timeline; groups say nothing of their own', () => {
  const trace = workflowSpans(ended()) ?? assert.fail();
  const names = new Map(trace.spans.map(({ id, name }) => [id, name]));
  assert.deepEqual(
    trace.spans.map(({ name, parentId, startMs, endMs, failure, events }) => [
      name,
      names.get(parentId ?? ''),
      startMs - START,
      endMs - START,
      failure,
      events.map((event) => event.name).join(' '),
    ]),
    [
      ['workflow', undefined, 0, 5000, 'a step failed', 'WorkflowStarted WorkflowFailed'],
      ['node flow', 'workflow', 0, 5000, undefined, 'NodeStarted NodeSucceeded'],
      ['node chaos', 'node flow', 1000, 3000, undefined, 'NodeStarted NodeSucceeded'],
      ['node bad', 'node flow', 1000, 4000, 'exit code 1', 'NodeStarted NodeFailed'],
      ['node left-out', 'node flow', 1000, 1000, undefined, 'NodeSkipped'],
    ],
  );
});

test('the span that a pod got for its node is the one that is sent', () => {
  const { workflow } = ended();
  const [variable] = nodeTraceEnv(workflow, 'chaos', { OTEL_EXPORTER_OTLP_ENDPOINT: 'otel:4317' });
  assert.equal(variable?.name, 'TRACE_PARENT');
  const traceParent = parseTraceParent(variable.value ?? '');
  const trace = workflowSpans(ended());
  assert.deepEqual(
    [traceParent?.traceId, traceParent?.spanId],
    [trace?.traceId, trace?.spans.find(({ name }) => name === 'node chaos')?.id],
  );
  assert.equal(trace?.traceId, UID.replaceAll('-', ''));
  assert.deepEqual(nodeTraceEnv(workflow, 'chaos', {}), [], 'a controller that sends no traces gives none');
});

test('a workflow that was made in a trace is part of it; one whose trace is not kept has none', () => {
  const made = (flags: string): Ended =>
    ended({ 'turnsole.io/trace-parent': `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${flags}` });
  const trace = workflowSpans(made('01'));
  assert.deepEqual([trace?.traceId, trace?.spans[0]?.parentId], ['a'.repeat(32), 'b'.repeat(16)]);
  assert.equal(workflowSpans(made('00')), undefined);
});
