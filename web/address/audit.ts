import type { Fields } from './codec.ts';
import { day, text } from './fields.ts';

/** The reader's filter of the audit log. */
export interface AuditAddress {
  readonly actor: string;
  readonly operation: string;
  readonly kind: string;
  readonly object: string;
  /** Days of the reader, `2026-11-24`; empty for no limit. */
  readonly from: string;
  readonly to: string;
  /** Cursor of the page; empty for the latest. */
  readonly after: string;
}

/** Codec of each part in links. */
export const AUDIT_ADDRESS: Fields<AuditAddress> = {
  ...{ actor: text, operation: text, kind: text, object: text, after: text },
  ...{ from: day, to: day },
};
