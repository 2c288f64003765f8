/** Which artifacts of a workflow are to be deleted, and when (`artifactGC`). Pure. */
import { createHash } from 'node:crypto';
import { isObject } from '@turnsole/kube/text/json';
import type { Artifact } from '../kinds/parameters.ts';
import type { NodeId, NodeStatus } from '../kinds/status.ts';
import type { ArtifactGc, Workflow, WorkflowSpec } from '../kinds/workflow.ts';
import { locationOf } from './location.ts';

/** Keeps a workflow until its artifacts are deleted. */
export const ARTIFACT_GC_FINALIZER = 'workflows.argoproj.io/artifact-gc';

/** Artifacts that one pod deletes: what they say of themselves has to fit into its annotations. */
const MOST_OF_A_BATCH = 100;

const STRATEGIES = ['OnWorkflowCompletion', 'OnWorkflowDeletion'] as const;

/** When artifacts are deleted. */
type Occasion = (typeof STRATEGIES)[number];

/** An artifact that is to be deleted. */
export interface Garbage {
  readonly node: NodeId;
  readonly artifact: Artifact;
}

/** Artifacts that one pod deletes. */
export interface GarbageBatch {
  /** Name of the pod. The same artifacts always have the same. */
  readonly podName: string;
  readonly occasion: Occasion;
  /** How the pod is made: the artifact's own word counts before the workflow's. */
  readonly gc: ArtifactGc;
  readonly garbage: readonly Garbage[];
}

type GcSpec = Pick<WorkflowSpec, 'artifactGC' | 'templates'>;
type Nodes = Readonly<Record<NodeId, NodeStatus>>;

/** The next action for the artifacts of a workflow. */
type GarbageStep =
  /** Nothing until the workflow changes. */
  | { readonly kind: 'rest' }
  /** It is deleted while it runs: it has to end first. */
  | { readonly kind: 'terminate' }
  | { readonly kind: 'delete'; readonly batches: readonly GarbageBatch[] }
  /** Remove the finalizer; `left` artifacts stay, because the workflow is to be deleted nevertheless. */
  | { readonly kind: 'release'; readonly left: number };

/** Whether a workflow says of any artifact that it is to be deleted. */
export function asksForDeletion({ artifactGC, templates = [] }: GcSpec): boolean {
  const artifacts = templates.flatMap(({ outputs }) => outputs?.artifacts ?? []);
  return (
    strategyOf(artifactGC) !== undefined ||
    artifacts.some((artifact) => strategyOf(ownGc(artifact)) !== undefined)
  );
}

/** Whether any of the present artifacts is to be deleted. */
export function hasGarbage(workflow: string, spec: GcSpec, nodes: Nodes): boolean {
  return garbageBatches(workflow, spec, nodes, 'OnWorkflowDeletion').some(isOpen);
}

/**
 * Decides the next action. At the end of a workflow it deletes the artifacts that are due then; when the workflow is deleted, all that
 * are due and still there. A pod whose outcome is known does not run again.
 */
export function decideGarbage(
  { metadata, status }: Pick<Workflow, 'metadata' | 'status'>,
  spec: GcSpec & Pick<WorkflowSpec, 'shutdown'>,
  nodes: Nodes,
  isOver: boolean,
): GarbageStep {
  const isDeleting = metadata.deletionTimestamp !== undefined;
  if (!isOver) {
    return isDeleting && spec.shutdown !== 'Terminate' ? { kind: 'terminate' } : { kind: 'rest' };
  }
  const all = garbageBatches(metadata.name, spec, nodes, 'OnWorkflowDeletion').filter(isOpen);
  if (all.length === 0) return { kind: 'release', left: 0 };
  const due = isDeleting ? all : garbageBatches(metadata.name, spec, nodes, 'OnWorkflowCompletion');
  const recouped = status?.artifactGCStatus?.podsRecouped ?? {};
  const batches = due.filter((batch) => isOpen(batch) && recouped[batch.podName] !== true);
  if (batches.length > 0) return { kind: 'delete', batches };
  if (!isDeleting || spec.artifactGC?.forceFinalizerRemoval !== true) return { kind: 'rest' };
  return { kind: 'release', left: all.flatMap(({ garbage }) => garbage.filter(isThere)).length };
}

/** Whether an artifact has not been deleted yet. */
export function isThere({ artifact }: Garbage): boolean {
  return artifact['deleted'] !== true;
}

function isOpen({ garbage }: GarbageBatch): boolean {
  return garbage.some(isThere);
}

/** Those that an occasion concerns, deleted or not, so that a batch keeps its name while it becomes empty. */
function garbageBatches(workflow: string, spec: GcSpec, nodes: Nodes, occasion: Occasion): GarbageBatch[] {
  const groups = new Map<string, { readonly gc: ArtifactGc; readonly garbage: Garbage[] }>();
  for (const node of Object.values(nodes)) {
    // What a step took from a cache belongs to the workflow that made it.
    if (node.type !== 'Pod' || node.memoizationStatus?.hit === true) continue;
    for (const artifact of node.outputs?.artifacts ?? []) {
      const gc = gcOf(artifact, spec.artifactGC);
      const strategy = strategyOf(gc);
      if (strategy === undefined || locationOf(artifact) === undefined) continue;
      if (occasion === 'OnWorkflowCompletion' && strategy !== occasion) continue;
      const { serviceAccountName, podMetadata } = gc;
      const id = JSON.stringify([serviceAccountName, podMetadata]);
      const group = groups.get(id) ?? { gc, garbage: [] };
      group.garbage.push({ node: node.id, artifact });
      groups.set(id, group);
    }
  }
  return [...groups].flatMap(([id, { gc, garbage }]) =>
    chunks(garbage).map((chunk) => {
      const made = chunk.map(({ node, artifact }) => [node, nodes[node]?.finishedAt, artifact.name]);
      const hash = createHash('sha256')
        .update(JSON.stringify([id, made]))
        .digest('hex')
        .slice(0, 10);
      const when = occasion === 'OnWorkflowCompletion' ? 'wfcomp' : 'wfdel';
      return { podName: `${workflow.slice(0, 220)}-artgc-${when}-${hash}`, occasion, gc, garbage: chunk };
    }),
  );
}

function chunks(garbage: readonly Garbage[]): Garbage[][] {
  const count = Math.ceil(garbage.length / MOST_OF_A_BATCH);
  return Array.from({ length: count }, (_, index) =>
    garbage.slice(index * MOST_OF_A_BATCH, (index + 1) * MOST_OF_A_BATCH),
  );
}

function gcOf(artifact: Artifact, ofWorkflow: ArtifactGc = {}): ArtifactGc {
  const own = ownGc(artifact);
  return {
    ...ofWorkflow,
    ...own,
    strategy: own.strategy || ofWorkflow.strategy,
    serviceAccountName: own.serviceAccountName || ofWorkflow.serviceAccountName,
    podMetadata: {
      labels: { ...ofWorkflow.podMetadata?.labels, ...own.podMetadata?.labels },
      annotations: { ...ofWorkflow.podMetadata?.annotations, ...own.podMetadata?.annotations },
    },
  };
}

function ownGc(artifact: Artifact): ArtifactGc {
  const own = artifact['artifactGC'];
  return isObject(own) ? own : {};
}

function strategyOf({ strategy }: ArtifactGc = {}): Occasion | undefined {
  return STRATEGIES.find((one) => one === strategy);
}
