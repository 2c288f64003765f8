import type { Context } from '../access/context.ts';
import { enqueueAction } from '../infra/enqueue-action.ts';
import type { AgentOrder } from '../run/agent-orders.ts';
import type { Tx } from '../store/transaction.ts';

/** Recipient and author of an order. */
interface OrderDetails {
  readonly infra: string;
  readonly username: string;
  /** Identifies the order for a withdrawal. @default a new id */
  readonly requestId?: string;
  readonly expiresAt?: number;
}

/**
 * Stores an order for an agent, in the transaction of the change. Objects without a namespace belong to the
 * infrastructure's.
 */
export async function order(
  tx: Tx,
  { plane }: Context,
  { requestType, manifest, namespace, externalData }: AgentOrder,
  { infra, username, requestId = plane.ids.id(), expiresAt }: OrderDetails,
): Promise<void> {
  const inNamespace = namespace === '' && manifest !== '' ? await namespaceOf(tx, infra) : namespace;
  await enqueueAction(tx, {
    infra,
    requestId,
    type: requestType,
    manifest,
    namespace: inNamespace,
    externalData,
    username,
    ...(expiresAt !== undefined && { expiresAt }),
  });
}

async function namespaceOf(tx: Tx, infra: string): Promise<string> {
  const row = await tx.db.selectFrom('infras').select('namespace').where('id', '=', infra).executeTakeFirst();
  return row?.namespace ?? '';
}
