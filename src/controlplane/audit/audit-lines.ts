import { contains } from '../access/lists.ts';
import type { AuditRow } from '../store/tables/records.ts';
import type { Reader } from '../store/transaction.ts';

/** Filter of lines; all given fields have to match. */
export interface AuditFilter {
  readonly project?: string | undefined;
  /** ID, or part of a user name. */
  readonly actor?: string | undefined;
  readonly operation?: string | undefined;
  readonly objectKind?: string | undefined;
  readonly objectId?: string | undefined;
  /** Milliseconds since the epoch; both ends are inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A line as read from the database. */
export type AuditLine = Omit<AuditRow, 'seq'> & { readonly seq: number };

/**
 * Lines of the audit log, the latest first.
 *
 * @param below the number of the last line of the page before; undefined for the first page
 */
export function auditLines(
  db: Reader,
  filter: AuditFilter,
  limit: number,
  below: number | undefined,
): Promise<readonly AuditLine[]> {
  const { project, actor, operation, objectKind, objectId, from, to } = filter;
  return db
    .selectFrom('audit')
    .selectAll()
    .$if(project !== undefined, (query) => query.where('project_id', '=', project ?? ''))
    .$if(operation !== undefined, (query) => query.where('operation', '=', operation ?? ''))
    .$if(objectKind !== undefined, (query) => query.where('object_kind', '=', objectKind ?? ''))
    .$if(objectId !== undefined, (query) => query.where('object_id', '=', objectId ?? ''))
    .$if(from !== undefined, (query) => query.where('at', '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where('at', '<=', to ?? 0))
    .$if(actor !== undefined, (query) =>
      query.where(({ eb, or, ref }) =>
        or([eb('actor_id', '=', actor ?? ''), contains(ref('actor_name'), actor ?? '')]),
      ),
    )
    .$if(below !== undefined, (query) => query.where('seq', '<', below ?? 0))
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
}

/** All matching lines, the latest first, read in pieces as the client consumes them. */
export async function* allAuditLines(
  db: Reader,
  filter: AuditFilter,
  below: number | undefined,
): AsyncGenerator<AuditLine> {
  const piece = 500;
  for (let next = below; ; ) {
    const lines = await auditLines(db, filter, piece, next);
    yield* lines;
    if (lines.length < piece) return;
    next = lines.at(-1)?.seq;
  }
}
