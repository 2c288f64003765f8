import { authorship, contains, pageRange } from '../access/lists.ts';
import type {
  Environment,
  EnvironmentFilterInput,
  ListEnvironmentRequest,
} from '../schema/generated/types.ts';
import type { EnvironmentRow } from '../store/tables/projects.ts';
import type { Reader } from '../store/transaction.ts';

/** An environment's row; undefined if the project has none with this ID, or it was deleted. */
export function environmentRow(db: Reader, project: string, id: string): Promise<EnvironmentRow | undefined> {
  return db
    .selectFrom('environments')
    .selectAll()
    .where('project_id', '=', project)
    .where('id', '=', id)
    .where('removed', '=', 0)
    .executeTakeFirst();
}

/** A page of environments of a project, and the number over all pages. */
export async function environmentPage(
  db: Reader,
  project: string,
  request: ListEnvironmentRequest | null | undefined,
): Promise<{ readonly total: number; readonly rows: readonly EnvironmentRow[] }> {
  const matching = environmentsMatching(db, project, request);
  const { offset, limit } = pageRange(request?.pagination);
  const order = request?.sort?.ascending === true ? 'asc' : 'desc';
  const rows = await matching
    .selectAll()
    .orderBy(request?.sort?.field === 'NAME' ? 'name' : 'created_at', order)
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .execute();
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { total, rows };
}

function environmentsMatching(
  db: Reader,
  project: string,
  request: ListEnvironmentRequest | null | undefined,
) {
  const { environmentIDs, filter } = request ?? {};
  return db
    .selectFrom('environments')
    .where('project_id', '=', project)
    .where('removed', '=', 0)
    .$if((environmentIDs?.length ?? 0) > 0, (query) => query.where('id', 'in', environmentIDs ?? []))
    .$if(filter?.type !== null && filter?.type !== undefined, (query) =>
      query.where('type', '=', filter?.type ?? 'PROD'),
    )
    .where(({ and, ref }) => and(textFilters(filter).map(([column, text]) => contains(ref(column), text))));
}

/** Tags are JSON in a column, each in quotes. */
function textFilters(
  filter: EnvironmentFilterInput | null | undefined,
): readonly (readonly ['name' | 'description' | 'tags', string])[] {
  return [
    ...(filter?.name ? [['name', filter.name] as const] : []),
    ...(filter?.description ? [['description', filter.description] as const] : []),
    ...(filter?.tags ?? []).map((tag) => ['tags', JSON.stringify(tag)] as const),
  ];
}

/** IDs of the infrastructures in each of these environments. */
export async function infraIdsOf(
  db: Reader,
  project: string,
  environments: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (environments.length === 0) return new Map();
  const rows = await db
    .selectFrom('infras')
    .select(['id', 'environment_id'])
    .where('project_id', '=', project)
    .where('environment_id', 'in', environments)
    .where('removed', '=', 0)
    .orderBy('created_at')
    .execute();
  const groups = Map.groupBy(rows, ({ environment_id }) => environment_id);
  return new Map([...groups].map(([environment, group]) => [environment, group.map(({ id }) => id)]));
}

/** An environment as clients see it. */
export function asEnvironment(row: EnvironmentRow, infraIDs: readonly string[] = []): Environment {
  return {
    projectID: row.project_id,
    environmentID: row.id,
    name: row.name,
    description: row.description,
    tags: JSON.parse(row.tags),
    type: row.type,
    ...authorship(row),
    isRemoved: row.removed === 1,
    infraIDs,
  };
}
