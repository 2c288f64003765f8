import { randomBytes, randomUUID } from 'node:crypto';

/** Source of new names and keys; tests supply their own. */
export interface Ids {
  /** A new UUID. */
  id(): string;
  /** A new secret as text of the URL alphabet, of so many random bytes. */
  secret(bytes: number): string;
}

/** From the system's cryptographic source. */
export const systemIds: Ids = {
  id: () => randomUUID(),
  secret: (bytes) => randomBytes(bytes).toString('base64url'),
};
