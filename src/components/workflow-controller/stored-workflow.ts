import { hasFinalizer, isBeingDeleted, withFinalizer } from '@turnsole/kube/runtime/finalizers';
import { equalJson } from '@turnsole/kube/text/json';
import { ARTIFACT_GC_FINALIZER, asksForDeletion, hasGarbage } from '@turnsole/workflows/artifacts/garbage';
import { isOverPhase } from '@turnsole/workflows/kinds/completed';
import { ANNOTATION_POD_NAME_FORMAT, LABEL_COMPLETED, LABEL_PHASE } from '@turnsole/workflows/kinds/labels';
import type { NodeId, WorkflowPhase } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { workflowConditions } from './conditions.ts';
import type { LiveRun } from './live-run.ts';
import { mergePatch } from './merge-patch.ts';
import { compressNodes } from './stored-nodes.ts';

/**
 * Objects with a larger JSON are stored with their nodes compressed, as Argo does: a client reads either. Servers refuse objects of
 * more than 1.5 MiB.
 */
const MAX_WORKFLOW_BYTES = 1024 * 1024;

/** A workflow cannot be stored with all of its nodes. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';

  constructor(workflow: string, bytes: number) {
    super(
      `workflow ${workflow} is longer than maximum allowed size: with its nodes compressed it has ${bytes} bytes, at most ` +
        `${MAX_WORKFLOW_BYTES} can be stored; use fewer nodes, or artifacts in place of large parameters`,
    );
  }
}

/** A patch that fails when the object has changed since it was read. */
export type WorkflowPatch = Readonly<Record<string, unknown>>;

/** The patch of a workflow: the members that differ from the stored ones, and nothing else, so that unknown ones stay. Pure. */
export function workflowPatch(live: LiveRun, synchronization: unknown): WorkflowPatch {
  const { run, served, first } = live;
  const { phase } = run.status;
  const labels: Record<string, string> = {
    [LABEL_COMPLETED]: String(isOverPhase(phase)),
    ...(phase !== '' && { [LABEL_PHASE]: phase }),
  };
  return {
    ...(first?.spec !== undefined && { spec: first.spec }),
    metadata: {
      ...first?.metadata,
      resourceVersion: served.metadata.resourceVersion,
      ...finalizersPatch(live),
      labels: { ...(first?.metadata?.['labels'] as object | undefined), ...labels },
      annotations: {
        ...(first?.metadata?.['annotations'] as object | undefined),
        [ANNOTATION_POD_NAME_FORMAT]: run.options.podNames,
      },
    },
    status: { ...first?.status, ...statusPatch(live, synchronization) },
  };
}

/** Artifacts that are to be deleted keep the workflow. At its end those that exist decide: other templates may ask for it as well. */
function finalizersPatch({ run, served, first }: LiveRun): { readonly finalizers?: readonly string[] } {
  const wantsIt =
    first === undefined
      ? () => hasGarbage(run.workflow.metadata.name, run.spec, Object.fromEntries(run.nodes))
      : () => asksForDeletion(run.spec);
  if (first === undefined && !isOverPhase(run.status.phase)) return {};
  if (hasFinalizer(served, ARTIFACT_GC_FINALIZER) || isBeingDeleted(served) || !wantsIt()) return {};
  return { finalizers: withFinalizer(served, ARTIFACT_GC_FINALIZER) };
}

function statusPatch(live: LiveRun, synchronization: unknown): Record<string, unknown> {
  const { run, served, storedStatus } = live;
  const patch: Record<string, unknown> = {
    ...(mergePatch(storedStatus, run.status) as Record<string, unknown> | undefined),
  };
  const present = served.status?.conditions ?? [];
  const conditions = workflowConditions(present, {
    phase: run.status.phase,
    pods: run.index.pods,
  });
  if (!equalJson(conditions, present)) patch['conditions'] = conditions;
  const locks = mergePatch(served.status?.synchronization, synchronization);
  if (locks !== undefined) patch['synchronization'] = locks;
  return { ...patch, ...storedNodesPatch(live) };
}

/** Members of the status that hold the nodes: only those that differ, or, where they are large, all of them compressed. */
function storedNodesPatch(live: LiveRun): Record<string, unknown> {
  const { run, size, isCompressed } = live;
  if (size.nodes + size.rest > MAX_WORKFLOW_BYTES) {
    const compressedNodes = compressNodes(Object.fromEntries(run.nodes));
    const bytes = compressedNodes.length + size.rest;
    if (bytes > MAX_WORKFLOW_BYTES) throw new TooLargeError(live.key, bytes);
    return { nodes: null, compressedNodes };
  }
  if (isCompressed) return { nodes: Object.fromEntries(run.nodes), compressedNodes: null };
  const nodes = nodesPatch(live);
  return Object.keys(nodes).length === 0 ? {} : { nodes };
}

function nodesPatch(live: LiveRun): Record<NodeId, unknown> {
  const nodes: Record<NodeId, unknown> = {};
  for (const { before, after } of live.changes) {
    const change = mergePatch(before, after);
    if (change !== undefined) nodes[after.id] = change;
  }
  return nodes;
}

/** The patch that stores phase and message of a workflow without its nodes: it ends without them, or waits to begin. Pure. */
export function phasePatch(
  { metadata, status }: Workflow,
  {
    phase,
    message,
    time,
  }: { readonly phase: WorkflowPhase; readonly message: string; readonly time: string },
): WorkflowPatch {
  const isOver = isOverPhase(phase);
  return {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      labels: { [LABEL_COMPLETED]: String(isOver), [LABEL_PHASE]: phase },
    },
    status: {
      phase,
      message,
      ...(isOver && { startedAt: status?.startedAt ?? time, finishedAt: time }),
      conditions: workflowConditions(status?.conditions ?? [], { phase, pods: 0 }),
    },
  };
}
