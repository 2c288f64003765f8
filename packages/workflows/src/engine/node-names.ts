import type { NodeStatus } from '../kinds/status.ts';

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
