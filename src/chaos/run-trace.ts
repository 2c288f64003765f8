import type { Environment } from '@turnsole/kube/text/environment';
import { LABEL_WORKFLOW_RUN_ID } from '../api/labels.ts';
import type { ChaosEngine } from '../api/schema/engine.ts';
import { traceParentOf } from '../api/trace-parent.ts';
import { isTracing, OTLP_ENDPOINT } from '../tracing/otel-variables.ts';
import { handOnTrace, parseTraceParent, spanIdOf, type Trace, traceBelow } from '../tracing/trace-context.ts';

/** The span of an engine's run. Its id, as all of these, follows from what is stored, so that all programs that write spans agree on it. */
export function engineSpanId(runId: string): string {
  return spanIdOf(`${runId}/engine`);
}

/** The span of the runner of a run. */
export function runnerSpanId(runId: string): string {
  return spanIdOf(`${runId}/runner`);
}

/** The span of an experiment. @param runId that of the iteration */
export function experimentSpanId(runId: string, experiment: string): string {
  return spanIdOf(`${runId}/experiment/${experiment}`);
}

/** The span of a helper, by the name of its pod. */
export function helperSpanId(runId: string, pod: string): string {
  return spanIdOf(`${runId}/helper/${pod}`);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The trace of an engine's run: that of the engine's creator, as its annotation says; else that of the workflow whose uid is its label, as
 * a further root, since the span of that workflow is unknown here; else one of its own, found by the run id. Pure.
 */
export function traceOfRun({ metadata }: Pick<ChaosEngine, 'metadata'>, runId: string): Trace {
  const workflow = metadata.labels?.[LABEL_WORKFLOW_RUN_ID] ?? '';
  // Without a workflow that fills the label in, it holds a tag, the same for all engines.
  return traceBelow(traceParentOf(metadata), UUID.test(workflow) ? workflow : runId);
}

/**
 * TRACE_PARENT of an engine's runner: below the span of the run where a collector is known, else that of the engine's creator; empty
 * without both. Also where the operator itself sends nothing: upstream's runner ends with an error when it gets a
 * collector and no trace. Pure.
 *
 */
export function runnerTraceParent(
  engine: Pick<ChaosEngine, 'metadata' | 'status'>,
  otel: Environment,
): string {
  const received = traceParentOf(engine.metadata);
  const runId = engine.status?.runId;
  if (runId === undefined || (otel[OTLP_ENDPOINT] ?? '') === '')
    return parseTraceParent(received) === undefined ? '' : received;
  const { traceId, isSampled } = traceOfRun(engine, runId);
  return handOnTrace({ traceId, spanId: engineSpanId(runId), isSampled }, received);
}

/**
 * TRACE_PARENT for a child of a program of a run, whose span the operator sends when the run is over. Without an operator of ours
 * (no run id), or without traces, what came goes on as it is. Pure.
 */
export function childTraceParent(
  received: string,
  {
    runId,
    otel,
    spanId,
  }: { readonly runId: string | undefined; readonly otel: Environment; readonly spanId: () => string },
): string {
  const context = parseTraceParent(received);
  if (context === undefined || runId === undefined || runId === '' || !isTracing(otel)) return received;
  return handOnTrace({ ...context, spanId: spanId() }, received);
}
