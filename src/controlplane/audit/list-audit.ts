import type { Context } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import type { AuditEntry, ListAuditRequest, ListAuditResponse } from '../schema/generated/types.ts';
import { type AuditFilter, type AuditLine, auditLines } from './audit-lines.ts';
import { cursorOf, seqOf } from './cursor.ts';
import { type Names, namesOf } from './names.ts';

const DEFAULT_LIMIT = 50;
const MOST_LINES = 500;

/** A page of the audit log: of the caller's project, or for administrators of all. @throws Refusal */
export async function listAudit(
  request: ListAuditRequest | null | undefined,
  context: Context,
): Promise<ListAuditResponse> {
  const limit = Math.min(Math.max(request?.limit ?? DEFAULT_LIMIT, 1), MOST_LINES);
  const below = request?.after ? seqOf(request.after) : undefined;
  const { read } = context.plane.store;
  const lines = await auditLines(read, filterOf(request, context), limit + 1, below);
  const shown = lines.slice(0, limit);
  const last = shown.at(-1);
  const names = await namesOf(read, shown);
  return {
    entries: shown.map((line) => asEntry(line, names)),
    next: last !== undefined && lines.length > limit ? cursorOf(last.seq) : null,
  };
}

/** @throws Refusal for an invalid time */
function filterOf(request: ListAuditRequest | null | undefined, context: Context): AuditFilter {
  const { dateRange } = request ?? {};
  return {
    project: context.member?.project ?? (request?.projectID || undefined),
    actor: request?.actor || undefined,
    operation: request?.operation || undefined,
    objectKind: request?.objectKind || undefined,
    objectId: request?.objectID || undefined,
    from: timeOf(dateRange?.startDate, 'dateRange.startDate'),
    to: timeOf(dateRange?.endDate, 'dateRange.endDate'),
  };
}

/** Milliseconds since the epoch, of digits or of an ISO time. Pure. @throws Refusal for what is neither */
export function timeOf(text: string | null | undefined, field: string): number | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  const time = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isSafeInteger(time)) return time;
  throw new Refusal(
    'invalid',
    `${field} is no time: expected milliseconds since 1970, or 2026-01-31T12:00:00Z`,
    {
      fields: [field],
    },
  );
}

function asEntry(line: AuditLine, names: Names): AuditEntry {
  return {
    auditID: `${line.seq}`,
    time: `${line.at}`,
    projectID: line.project_id,
    actorKind: line.actor_kind,
    actorID: line.actor_id,
    actorName: names.ofActor(line),
    address: line.address,
    operation: line.operation,
    objectKind: line.object_kind,
    objectID: line.object_id,
    objectName: names.ofObject(line),
    before: line.before,
    after: line.after,
  };
}
