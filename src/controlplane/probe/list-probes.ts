import { dateRangeOf } from '../access/date-range.ts';
import { contains } from '../access/lists.ts';
import type { ProbeFilterInput } from '../schema/generated/types.ts';
import type { ProbeRow } from '../store/tables/probes.ts';
import type { Reader } from '../store/transaction.ts';

/** The list has no pages. */
const MOST_PROBES = 5_000;

/** The probes of a project that match a filter, last changed first. */
export async function probesMatching(
  db: Reader,
  project: string,
  names: readonly string[] | null | undefined,
  filter: ProbeFilterInput | null | undefined,
): Promise<readonly ProbeRow[]> {
  const types = (filter?.type ?? []).filter((type) => type !== null && type !== undefined);
  const { from, to } = dateRangeOf(filter?.dateRange);
  return db
    .selectFrom('probes')
    .selectAll()
    .where('project_id', '=', project)
    .where('removed', '=', 0)
    .$if((names?.length ?? 0) > 0, (query) => query.where('name', 'in', names ?? []))
    .$if(types.length > 0, (query) => query.where('type', 'in', types))
    .$if(Boolean(filter?.name), (query) =>
      query.where(({ ref }) => contains(ref('name'), filter?.name ?? '')),
    )
    .$if(from !== undefined, (query) => query.where('updated_at', '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where('updated_at', '<=', to ?? 0))
    .orderBy('updated_at', 'desc')
    .orderBy('name')
    .limit(MOST_PROBES)
    .execute();
}
