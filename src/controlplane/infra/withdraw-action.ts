import type { Tx } from '../store/transaction.ts';

/**
 * Takes back an action that its agent has not got yet.
 *
 * @returns whether that was so; false where it was sent, or there is none
 */
export async function withdrawAction(tx: Tx, requestId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('actions')
    .where('request_id', '=', requestId)
    .where('sent_at', 'is', null)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
