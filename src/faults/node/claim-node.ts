import { isNotFound, unless } from '@turnsole/kube/client/errors';
import type { Node } from '@turnsole/kube/kinds/core';
import { NODES } from '@turnsole/kube/kinds/resources';
import { retryOnConflict } from '@turnsole/kube/runtime/index';
import type { FaultContext, Injection } from '../../experiment/injection/fault.ts';
import { claim, type NodeClaim, release } from './claims.ts';

/**
 * Sets something on an injection's node and gives what of it is this injection's; see {@link claim}. Idempotent.
 *
 * @param check may refuse the node as it is now, by throwing
 */
export function claimNode(
  { id, target }: Injection,
  wanted: NodeClaim,
  context: FaultContext,
  check: (node: Node) => void = () => {},
): Promise<NodeClaim> {
  const { client, signal } = context;
  return overtaking(context, async () => {
    const node = await client.get<Node>(NODES, target.name, { signal });
    check(node);
    const grant = claim(node, id, wanted);
    if (grant.patch !== undefined)
      await client.patch(NODES, target.name, 'merge', grant.patch, { signal, repeatable: true });
    return grant.claim;
  });
}

/** Takes back what an injection has set on its node. Idempotent; a node that is gone has taken everything with it. */
export async function releaseNode({ id, target }: Injection, context: FaultContext): Promise<void> {
  const { client, signal } = context;
  const released = overtaking(context, async () => {
    const node = await client.find<Node>(NODES, target.name, { signal });
    const patch = node === undefined ? undefined : release(node, id);
    if (patch !== undefined)
      await client.patch(NODES, target.name, 'merge', patch, { signal, repeatable: true });
  });
  await unless(isNotFound, released);
}

/** Nodes are written by many (status, leases of controllers): a patch that was overtaken is made anew. */
function overtaking<T>({ signal, clock, random }: FaultContext, attempt: () => Promise<T>): Promise<T> {
  return retryOnConflict(attempt, { signal, clock, random });
}
