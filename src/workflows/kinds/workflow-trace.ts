import type { Environment } from '@turnsole/kube/text/environment';
import { traceParentOf } from '../../api/trace-parent.ts';
import { isTracing } from '../../tracing/otel-variables.ts';
import { handOnTrace, spanIdOf, type Trace, traceBelow } from '../../tracing/trace-context.ts';
import type { NodeId } from './status.ts';
import type { Workflow } from './workflow.ts';

type Named = Pick<Workflow, 'metadata'>;

/** The span of a workflow. */
export function workflowSpanId({ metadata }: Named): string {
  return spanIdOf(`${metadata.uid}/workflow`);
}

/** The span of a node of a workflow. */
export function nodeSpanId({ metadata }: Named, node: NodeId): string {
  return spanIdOf(`${metadata.uid}/node/${node}`);
}

/** The trace of a workflow: that of who made it, as its annotation says, else one of its own, found by the uid. Pure. */
export function traceOfWorkflow({ metadata }: Named): Trace {
  return traceBelow(traceParentOf(metadata), metadata.uid ?? metadata.name);
}

/**
 * TRACE_PARENT of the pod of a node; undefined where the controller sends no traces. Pure.
 *
 * @param otel settings of OpenTelemetry of the controller
 */
export function nodeTraceParent(workflow: Named, node: NodeId, otel: Environment): string | undefined {
  if (!isTracing(otel)) return undefined;
  const { traceId, isSampled } = traceOfWorkflow(workflow);
  return handOnTrace(
    { traceId, spanId: nodeSpanId(workflow, node), isSampled },
    traceParentOf(workflow.metadata),
  );
}
