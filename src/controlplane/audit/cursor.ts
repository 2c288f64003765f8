import { Refusal } from '../access/refusal.ts';

/** Where the next page begins, as clients have it. */
export function cursorOf(seq: number): string {
  return Buffer.from(`a${seq}`).toString('base64url');
}

/** The number that a cursor stands for. Pure. @throws Refusal for what is none of ours */
export function seqOf(cursor: string): number {
  const [, digits] = /^a(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new Refusal('invalid', 'after is no position of this list', { fields: ['after'] });
}
