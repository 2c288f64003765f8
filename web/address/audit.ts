import type { Fields } from './codec.ts';
import { text } from './fields.ts';

/** Which lines of the audit log a reader wants. */
interface AuditAddress {
  readonly actor: string;
  readonly operation: string;
  readonly kind: string;
  /** Where the page begins; empty for the latest. */
  readonly after: string;
}

/** How each part stands in a link. */
export const AUDIT_ADDRESS: Fields<AuditAddress> = { actor: text, operation: text, kind: text, after: text };
