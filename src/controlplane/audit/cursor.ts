import { Refusal } from '../access/refusal.ts';

/** Cursor of the next page for clients. */
export function cursorOf(seq: number): string {
  return Buffer.from(`a${seq}`).toString('base64url');
}

/** The number in a cursor. Pure. @throws Refusal for an invalid cursor */
export function seqOf(cursor: string): number {
  const [, digits] = /^a(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new Refusal('invalid', 'after is no position of this list', { fields: ['after'] });
}
