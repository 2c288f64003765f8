import type { Node } from '../api/core.ts';

/** What faults of nodes have to know of the nodes of an embedded cluster, and those of them. */

/** Variable by which a privileged container of such a node finds the machine; a path of its own file system. */
export const MACHINE_SOCKET_VARIABLE = 'TURNSOLE_MACHINE_SOCKET';

/** How such a node's runtime names itself: `turnsole-isolated://…`. */
const RUNTIME_PREFIX = 'turnsole';

/**
 * Whether a node is one of an embedded cluster: its kubelet is a part of that cluster's process, and its machine the user's own, of
 * which nothing may be stopped. Pure.
 */
export function isEmbeddedNode({ status }: Node): boolean {
  return (status?.nodeInfo?.containerRuntimeVersion ?? '').startsWith(RUNTIME_PREFIX);
}
