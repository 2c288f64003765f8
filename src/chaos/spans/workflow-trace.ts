import type { EnvVar } from '@turnsole/kube/kinds/core';
import type { Environment } from '@turnsole/kube/text/environment';
import type { NodeId } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { traceParentOf } from '../../api/trace-parent.ts';
import { isTracing } from '../../tracing/otel-variables.ts';
import { handOnTrace, spanIdOf, type Trace, traceBelow } from '../../tracing/trace-context.ts';

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
 * The variable of a node's pod that says to which span its programs belong; none where the controller sends no traces. Pure.
 *
 * @param otel settings of OpenTelemetry of the controller
 */
export function nodeTraceEnv(workflow: Named, node: NodeId, otel: Environment): readonly EnvVar[] {
  if (!isTracing(otel)) return [];
  const { traceId, isSampled } = traceOfWorkflow(workflow);
  const context = { traceId, spanId: nodeSpanId(workflow, node), isSampled };
  return [{ name: 'TRACE_PARENT', value: handOnTrace(context, traceParentOf(workflow.metadata)) }];
}
