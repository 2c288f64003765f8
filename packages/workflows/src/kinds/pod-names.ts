import { ANNOTATION_POD_NAME_FORMAT } from './labels.ts';
import type { NodeId, NodeStatus } from './status.ts';
import type { Workflow } from './workflow.ts';

/** Id of a node: the workflow's name for the root, else that name and a hash of the node's name (FNV-1a, 32 bits). */
export function nodeId(workflow: string, name: string): NodeId {
  return name === workflow ? name : `${workflow}-${fnv32a(name)}`;
}

/** The name of a node's pod. Its part before the hash is cut so that the whole fits a Kubernetes name. */
export function podName(
  format: 'v1' | 'v2',
  workflow: string,
  node: { readonly name: string },
  template: string | undefined,
): string {
  if (format === 'v1') return nodeId(workflow, node.name);
  if (node.name === workflow) return workflow;
  const prefix = template === undefined || template === '' ? workflow : `${workflow}-${template}`;
  return `${prefix.slice(0, MAX_PREFIX)}-${fnv32a(node.name)}`;
}

const MAX_PREFIX = 242;

/** The name of the pod of a stored node. */
export function podNameOf({ metadata }: Pick<Workflow, 'metadata'>, node: NodeStatus): string {
  const format = metadata.annotations?.[ANNOTATION_POD_NAME_FORMAT] === 'v1' ? 'v1' : 'v2';
  return podName(format, metadata.name, node, node.templateName ?? node.templateRef?.template);
}

/** Whether a pod is called as that of a stored node is, in either format. */
export function isPodOf(
  workflow: Pick<Workflow, 'metadata'>,
  node: NodeStatus,
  pod: string | undefined,
): boolean {
  return pod === node.id || pod === podNameOf(workflow, node);
}

const utf8 = new TextEncoder();

export function fnv32a(text: string): number {
  let hash = 2_166_136_261;
  for (const byte of utf8.encode(text)) hash = Math.imul(hash ^ byte, 16_777_619);
  return hash >>> 0;
}
