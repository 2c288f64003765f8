import { createHash } from 'node:crypto';

/** The id of a trigger, made from its identity. Pure. */
export function triggerId(identity: string): string {
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}
