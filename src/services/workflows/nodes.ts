import { gunzipSync, gzipSync } from 'node:zlib';
import { isObject } from '@turnsole/kube/text/json';
import type { NodeId, NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CommandError } from '../errors.ts';

/** What messages call a workflow. */
export function titleOf({ metadata }: Pick<Workflow, 'metadata'>): string {
  return `Workflow ${metadata.namespace}/${metadata.name}`;
}

/** Nodes by their id, in the order of the status. */
export type Nodes = Readonly<Record<NodeId, NodeStatus>>;

/** A status is at most 1 MiB; packed a hundredfold it is no status any more. */
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;

/**
 * The nodes of a workflow, also where the controller has packed them because the object was large. Pure.
 *
 * @throws CommandError (could not run) when they are packed in a way that cannot be read
 */
export function nodesOf(workflow: Workflow): Nodes {
  const { nodes, compressedNodes } = workflow.status ?? {};
  if (compressedNodes === undefined || compressedNodes === '') return nodes ?? {};
  try {
    const packed = Buffer.from(compressedNodes, 'base64');
    const unpacked: unknown = JSON.parse(
      gunzipSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8'),
    );
    // The controller writes nothing else there.
    if (isObject(unpacked)) return unpacked as Nodes;
    throw new Error('they are no mapping of nodes');
  } catch (cause) {
    const message = `cannot read status.compressedNodes of ${titleOf(workflow)}: ${(cause as Error).message}; only gzip is understood`;
    throw new CommandError(message, 'CLUSTER_FAILED', { cause });
  }
}

/** A workflow with other nodes, packed where they were. Pure. */
export function withNodes(workflow: Workflow, nodes: Nodes): Workflow {
  const { compressedNodes, nodes: _, ...status } = workflow.status ?? {};
  const isPacked = compressedNodes !== undefined && compressedNodes !== '';
  const stored = isPacked
    ? { compressedNodes: gzipSync(JSON.stringify(nodes)).toString('base64') }
    : { nodes };
  return { ...workflow, status: { ...status, ...stored } };
}

/** Whether a node waits for a person, or for its time. */
export function isSuspended({ type, phase }: NodeStatus): boolean {
  return type === 'Suspend' && phase === 'Running';
}

/** Whether a node ended badly. */
export function hasFailed({ phase }: Pick<NodeStatus, 'phase'>): boolean {
  return phase === 'Failed' || phase === 'Error';
}
