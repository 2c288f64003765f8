import type { Node } from '@turnsole/kube/kinds/core';

/** What an embedded cluster's nodes and programs that act on nodes agree on. */

/** Variable by which a privileged container of such a node finds the machine; a path of its own file system. */
export const MACHINE_SOCKET_VARIABLE = 'TURNSOLE_MACHINE_SOCKET';

/** How such a node's runtime names itself: `turnsole-isolated://…`. */
const RUNTIME_PREFIX = 'turnsole';

/**
 * Whether a node belongs to an embedded cluster. Its kubelet is a part of that cluster's process, and its machine is the user's own, of
 * which no service may be stopped. Pure.
 */
export function isEmbeddedNode({ status }: Node): boolean {
  return (status?.nodeInfo?.containerRuntimeVersion ?? '').startsWith(RUNTIME_PREFIX);
}
