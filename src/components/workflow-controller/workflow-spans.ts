import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import { lifeOf, stepsWhere } from '../../chaos/spans/steps.ts';
import { nodeSteps, workflowSteps } from '../../chaos/spans/workflow-steps.ts';
import { nodeSpanId, traceOfWorkflow, workflowSpanId } from '../../chaos/spans/workflow-trace.ts';
import type { SpanRecord, TraceRecord } from '../../tracing/trace-record.ts';
import type { StoredChange } from './ports.ts';

/** Program name of these spans. */
const SERVICE = 'workflow_controller';

/** Input of the spans of a workflow. */
type Ended = Pick<StoredChange, 'workflow' | 'spec' | 'status' | 'nodes'>;

/**
 * The trace of a workflow that is over: a span for it and one for each of its nodes, with the times of its timeline, which are whole
 * seconds. Undefined where the trace that it belongs to is not kept. Pure.
 */
export function workflowSpans({ workflow, spec, status, nodes }: Ended): TraceRecord | undefined {
  const { traceId, isSampled, parentSpanId } = traceOfWorkflow(workflow);
  const isTerminated = status.phase === 'Failed' && spec.shutdown !== undefined;
  const steps = stepsWhere(
    workflowSteps(workflow, status, isTerminated ? 'Failed (Terminated)' : status.phase),
    () => true,
  );
  if (!isSampled || steps === undefined) return undefined;
  const { metadata } = workflow;
  const span: SpanRecord = {
    id: workflowSpanId(workflow),
    parentId: parentSpanId,
    service: SERVICE,
    name: 'workflow',
    ...lifeOf(steps),
    attributes: {
      'turnsole.workflow': metadata.name,
      'turnsole.workflow_uid': metadata.uid,
      'turnsole.phase': status.phase,
      'k8s.namespace.name': metadata.namespace,
    },
    failure: failureOf(status),
  };
  const ofNodes = [...nodes.values()].flatMap((node) => nodeSpan(workflow, node, nodes));
  return { traceId, spans: [span, ...ofNodes] };
}

function nodeSpan(workflow: Ended['workflow'], node: NodeStatus, nodes: Ended['nodes']): SpanRecord[] {
  const steps = stepsWhere(nodeSteps(node), () => true);
  if (steps === undefined) return [];
  const boundary = nodes.get(node.boundaryID ?? '');
  return [
    {
      id: nodeSpanId(workflow, node.id),
      parentId: boundary === undefined ? workflowSpanId(workflow) : nodeSpanId(workflow, boundary.id),
      service: SERVICE,
      name: `node ${node.displayName}`,
      ...lifeOf(steps),
      attributes: {
        'turnsole.node.id': node.id,
        'turnsole.node.type': node.type,
        'turnsole.node.template': node.templateName,
        'turnsole.phase': node.phase,
      },
      failure: failureOf(node),
    },
  ];
}

function failureOf({
  phase,
  message,
}: Pick<NodeStatus, 'phase' | 'message'> | Ended['status']): string | undefined {
  if (phase !== 'Failed' && phase !== 'Error') return undefined;
  return message === undefined || message === '' ? phase : message;
}
