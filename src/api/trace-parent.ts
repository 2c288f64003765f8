import type { ObjectMeta } from '@turnsole/kube/kinds/core';
import type { Environment } from '@turnsole/kube/text/environment';
import { parseTraceParent } from '../tracing/trace-context.ts';

/**
 * Annotation of a ChaosEngine or Workflow: the span of who made it, as in TRACE_PARENT; its run becomes part of that trace. Set by
 * users, and by steps of workflows for the engines that they make. Ours.
 */
const ANNOTATION_TRACE_PARENT = 'turnsole.io/trace-parent';

/** The span of who made an object, as it was written; empty when it says none. Pure. */
export function traceParentOf({ annotations }: Pick<ObjectMeta, 'annotations'>): string {
  return annotations?.[ANNOTATION_TRACE_PARENT] ?? '';
}

/** An object that a program makes, with the span that the program belongs to, unless it names another one. Pure. */
export function withTraceParent<T extends { readonly metadata: object }>(object: T, env: Environment): T {
  const received = env['TRACE_PARENT'] ?? '';
  // A manifest may have anything there; the server judges it.
  const { annotations } = object.metadata as Pick<ObjectMeta, 'annotations'>;
  if (parseTraceParent(received) === undefined || traceParentOf({ annotations }) !== '') return object;
  const added = { ...annotations, [ANNOTATION_TRACE_PARENT]: received };
  return { ...object, metadata: { ...object.metadata, annotations: added } };
}
