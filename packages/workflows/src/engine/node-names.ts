import { ANNOTATION_POD_NAME_FORMAT } from '../kinds/labels.ts';
import type { NodeId, NodeStatus } from '../kinds/status.ts';
import type { Workflow } from '../kinds/workflow.ts';

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

/** The name without that of its boundary. */
export function displayName(name: string, boundary: string | undefined): string {
  if (boundary === undefined || !name.startsWith(boundary)) return name;
  const rest = name.slice(boundary.length);
  return /^\[\d+\]$/.test(rest) ? rest : rest.replace(/^(?:\[\d+\])?\./, '');
}

/** The node whose completion a node is part of: attempt → Retry, step → StepGroup, expanded task → TaskGroup, hook → hooked node. */
export function ownerName(node: NodeStatus, boundary: string | undefined): string | undefined {
  const { name, nodeFlag, type } = node;
  if (nodeFlag?.hooked) return hookedName(name);
  if (nodeFlag?.retried) return name.replace(/\(\d+\)$/, '');
  if (boundary === undefined) return undefined;
  if (type === 'StepGroup' || type === 'Container') return boundary;
  const rest = name.slice(boundary.length);
  const group = /^\[\d+\]/.exec(rest);
  if (group !== null) return boundary + group[0];
  const loop = /^(\.[^(]+)\(\d+:/.exec(rest);
  return loop === null ? boundary : boundary + loop[1];
}

/** `a.onExit` and `a.hooks.b` are hooks of `a`. */
export function hookedName(name: string): string {
  return name.replace(/\.(?:onExit|hooks\.[^.]+)$/, '');
}

const utf8 = new TextEncoder();

export function fnv32a(text: string): number {
  let hash = 2_166_136_261;
  for (const byte of utf8.encode(text)) hash = Math.imul(hash ^ byte, 16_777_619);
  return hash >>> 0;
}
