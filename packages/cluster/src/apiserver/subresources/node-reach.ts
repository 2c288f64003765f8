/** Whether a node's kubelet answers: without it its pods have no logs, and nothing can connect to them. */
import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { StatusError } from '../http/status.ts';
import type { ServerParts } from '../registry/environment.ts';

/** Why a node cannot be reached, in the words of a failed connection; undefined when it can. */
export type NodeReach = (node: Node) => 'connect: connection refused' | 'i/o timeout' | undefined;

/** Port of kubelet, which messages of a real server name. */
export const KUBELET_PORT = 10250;

/** The request to the node. */
type NodeRequest = { readonly kind: 'connect' } | { readonly kind: 'logs'; readonly container: string };

/**
 * Refuses a request to a pod whose node does not answer, as a real server does: with code 500 and no reason, since the failure
 * is not of the API. A node that is not known is the business of others.
 *
 * @throws StatusError
 */
export function mustReachNode(
  env: ServerParts,
  reach: NodeReach | undefined,
  pod: Pod,
  request: NodeRequest,
): void {
  const version = env.store.get('nodes', '', pod.spec?.nodeName ?? '');
  if (version === undefined || reach === undefined) return;
  // Decoded with the type of a Node when it was written.
  const node = version.object as unknown as Node;
  const why = reach(node);
  if (why === undefined) return;
  const internal = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  const address = `${internal ?? version.name}:${KUBELET_PORT}`;
  const failure = `dial tcp ${address}: ${why}`;
  const { namespace = '', name } = pod.metadata;
  throw new StatusError(
    500,
    '',
    request.kind === 'connect'
      ? `error dialing backend: ${failure}`
      : `Get "https://${address}/containerLogs/${namespace}/${name}/${request.container}": ${failure}`,
  );
}
