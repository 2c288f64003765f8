import { authorship, contains, type Page, pageOf, textFilters } from '../access/lists.ts';
import type { Environment, ListEnvironmentRequest } from '../schema/generated/types.ts';
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
export function environmentPage(
  db: Reader,
  project: string,
  request: ListEnvironmentRequest | null | undefined,
): Promise<Page<EnvironmentRow>> {
  const order = request?.sort?.ascending === true ? 'asc' : 'desc';
  const sorted = environmentsMatching(db, project, request)
    .selectAll()
    .orderBy(request?.sort?.field === 'NAME' ? 'name' : 'created_at', order)
    .orderBy('id');
  return pageOf(sorted, request?.pagination);
}

function environmentsMatching(
  db: Reader,
  project: string,
  request: ListEnvironmentRequest | null | undefined,
) {
  const { environmentIDs, filter } = request ?? {};
  const texts = textFilters({ name: filter?.name, description: filter?.description }, filter?.tags);
  return db
    .selectFrom('environments')
    .where('project_id', '=', project)
    .where('removed', '=', 0)
    .$if((environmentIDs?.length ?? 0) > 0, (query) => query.where('id', 'in', environmentIDs ?? []))
    .$if(filter?.type !== null && filter?.type !== undefined, (query) =>
      query.where('type', '=', filter?.type ?? 'PROD'),
    )
    .where(({ and, ref }) => and(texts.map(([column, text]) => contains(ref(column), text))));
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
    .orderBy('id')
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
