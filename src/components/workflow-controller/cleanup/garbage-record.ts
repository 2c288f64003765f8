import type { Garbage, GarbageBatch } from '@turnsole/workflows/artifacts/garbage';
import { keyOf, locationOf } from '@turnsole/workflows/artifacts/location';
import type { Condition, NodeId } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { compressNodes, type Nodes } from '../stored-nodes.ts';

/** The outcome for an artifact: undefined when it is deleted, else why it is still there. */
export interface Collected {
  readonly garbage: Garbage;
  readonly problem: string | undefined;
}

const MOST_NAMED = 5;

/** The patch that stores the outcome of a batch: deleted artifacts are marked, and a condition names the others. Pure. */
export function recordPatch(
  { metadata, status }: Workflow,
  nodes: Nodes,
  { podName, occasion }: GarbageBatch,
  collected: readonly Collected[],
): Readonly<Record<string, unknown>> {
  const failed = collected.filter(({ problem }) => problem !== undefined);
  const conditions = status?.conditions ?? [];
  const own: Condition = { type: 'ArtifactGCError', status: 'True', message: messageFor(failed) };
  return {
    metadata: { resourceVersion: metadata.resourceVersion },
    status: {
      ...nodesPatch(
        nodes,
        collected.filter(({ problem }) => problem === undefined),
        status?.compressedNodes !== undefined,
      ),
      ...(failed.length > 0 && {
        conditions: [...conditions.filter(({ type }) => type !== own.type), own],
      }),
      artifactGCStatus: { strategiesProcessed: { [occasion]: true }, podsRecouped: { [podName]: true } },
    },
  };
}

/** Lists the artifacts that are still there: name, key, store, and why. Pure. */
function messageFor(failed: readonly Collected[]): string {
  const named = failed.slice(0, MOST_NAMED).map(({ garbage: { node, artifact }, problem }) => {
    const location = locationOf(artifact);
    const where = location === undefined ? '' : ` at ${keyOf(location)} (${location.kind})`;
    return `artifact ${artifact.name} of node ${node}${where} is not deleted: ${problem}`;
  });
  const others = failed.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more are not deleted`] : [])].join('; ');
}

function nodesPatch(
  nodes: Nodes,
  deleted: readonly Collected[],
  isCompressed: boolean,
): Readonly<Record<string, unknown>> {
  if (deleted.length === 0) return {};
  const artifacts = new Set(deleted.map(({ garbage }) => garbage.artifact));
  const ids = new Set<NodeId>(deleted.map(({ garbage }) => garbage.node));
  const changed: Record<NodeId, Pick<Nodes[NodeId] & object, 'outputs'>> = {};
  for (const id of ids) {
    const outputs = nodes[id]?.outputs;
    changed[id] = {
      outputs: {
        ...outputs,
        artifacts: (outputs?.artifacts ?? []).map((artifact) =>
          artifacts.has(artifact) ? { ...artifact, deleted: true } : artifact,
        ),
      },
    };
  }
  if (!isCompressed) return { nodes: changed };
  const all = Object.entries(nodes).map(([id, node]) => [id, { ...node, ...changed[id] }]);
  return { compressedNodes: compressNodes(Object.fromEntries(all)) };
}
