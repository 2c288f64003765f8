import type { Tx } from '../store/transaction.ts';

/**
 * Withdraws an action that its agent has not received yet.
 *
 * @returns true if it was withdrawn; false if it was sent, or does not exist
 */
export async function withdrawAction(tx: Tx, requestId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('actions')
    .where('request_id', '=', requestId)
    .where('sent_at', 'is', null)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
