import type { AuditEntry, ListAuditRequest } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Fields of a change for the page. */
export type ShownEntry = Pick<
  AuditEntry,
  | 'auditID'
  | 'time'
  | 'actorKind'
  | 'actorID'
  | 'actorName'
  | 'address'
  | 'operation'
  | 'objectKind'
  | 'objectID'
  | 'before'
  | 'after'
>;

/** A page of the audit log. */
export const AUDIT: Document<
  { readonly listAudit: { readonly entries: readonly ShownEntry[]; readonly next: string | null } },
  { request: ListAuditRequest }
> = {
  text: `query Audit($request: ListAuditRequest) {
    listAudit(request: $request) {
      next
      entries { auditID time actorKind actorID actorName address operation objectKind objectID before after }
    }
  }`,
};
