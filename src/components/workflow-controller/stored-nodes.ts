import { gunzipSync, gzipSync } from 'node:zlib';
import { parseObject } from '@turnsole/kube/text/json';
import type { NodeId, NodeStatus } from '@turnsole/workflows/kinds/status';
import type { WorkflowStatus } from '@turnsole/workflows/kinds/workflow';

export type Nodes = Readonly<Record<NodeId, NodeStatus>>;

/** The nodes of a status, also where they are stored as base64 of gzip of their JSON, as clients of Argo write and read them. */
export function storedNodes(status: Pick<WorkflowStatus, 'nodes' | 'compressedNodes'> | undefined): Nodes {
  const { nodes, compressedNodes = '' } = status ?? {};
  if (compressedNodes === '') return nodes ?? {};
  const text = gunzipSync(Buffer.from(compressedNodes, 'base64')).toString();
  const parsed = parseObject(text);
  if (parsed === undefined) throw new TypeError('status.compressedNodes holds no JSON object');
  // Written by a controller; a client that changes a node writes all of it.
  return parsed as unknown as Nodes;
}

export function compressNodes(nodes: Nodes): string {
  return gzipSync(JSON.stringify(nodes)).toString('base64');
}
