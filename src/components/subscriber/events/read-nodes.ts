import { isObject } from '@turnsole/kube/text/json';
import type { NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { type Nodes, storedNodes } from '../../workflow-controller/stored-nodes.ts';

/** Texts of a node that an event holds. */
const TEXTS = ['displayName', 'type', 'phase', 'message', 'startedAt', 'finishedAt'] as const;

/**
 * The nodes of a run, as far as they can be read: a status holds whatever its writers put there, and a run with an odd status is
 * reported as well. Pure.
 */
export function readNodes(status: Workflow['status']): Nodes {
  const nodes = Object.entries(foundNodes(status)).flatMap(([id, node]) =>
    isObject(node) ? [[id, readNode(id, node)] as const] : [],
  );
  return Object.fromEntries(nodes);
}

function foundNodes(status: Workflow['status']): object {
  try {
    const nodes: unknown = storedNodes(status);
    return isObject(nodes) ? nodes : {};
  } catch {
    // Compressed nodes that cannot be expanded.
    return {};
  }
}

function readNode(id: string, node: Readonly<Record<string, unknown>>): NodeStatus {
  const texts = Object.fromEntries(
    TEXTS.map((name) => [name, typeof node[name] === 'string' ? node[name] : '']),
  );
  const { children } = node;
  const read = {
    ...texts,
    id,
    displayName: texts.displayName || id,
    inputs: isObject(node.inputs) && Array.isArray(node.inputs.artifacts) ? node.inputs : undefined,
    children: Array.isArray(children) ? children.filter((child) => typeof child === 'string') : undefined,
  };
  // All that is read of a node has its type by now.
  return read as unknown as NodeStatus;
}
