import type { Fields } from './codec.ts';
import { day, text } from './fields.ts';

/** Which lines of the audit log a reader wants. */
export interface AuditAddress {
  readonly actor: string;
  readonly operation: string;
  readonly kind: string;
  readonly object: string;
  /** Days of the reader, `2026-11-24`; empty for no limit. */
  readonly from: string;
  readonly to: string;
  /** Where the page begins; empty for the latest. */
  readonly after: string;
}

/** How each part stands in a link. */
export const AUDIT_ADDRESS: Fields<AuditAddress> = {
  ...{ actor: text, operation: text, kind: text, object: text, after: text },
  ...{ from: day, to: day },
};
