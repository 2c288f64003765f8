import type { Noun } from '../access/noun.ts';
import { getAudit } from './export-audit.ts';
import { listAudit } from './list-audit.ts';

/** The audit log: who has changed what. `access/audit.ts` writes the lines. */
export const auditNoun: Noun = {
  queries: { listAudit: ({ request }, context) => listAudit(request, context) },
  routes: { 'GET /audit': getAudit },
};
