import { authorship, contains, type Page, pageOf, textFilters, timeText } from '../access/lists.ts';
import { found } from '../access/refusal.ts';
import type { GetInfraStatsResponse, Infra, ListInfraRequest } from '../schema/generated/types.ts';
import { flag } from '../store/tables/columns.ts';
import type { InfraRow } from '../store/tables/infras.ts';
import type { Reader } from '../store/transaction.ts';
import { updateStatus } from './versions.ts';

/** An infrastructure of any project; undefined if it does not exist, or was deleted. The caller must have proved more than its ID. */
export function infraRow(db: Reader, id: string): Promise<InfraRow | undefined> {
  return db.selectFrom('infras').selectAll().where('id', '=', id).where('removed', '=', 0).executeTakeFirst();
}

/** An infrastructure of this project. @throws Refusal with upstream's text */
export async function infraRowOf(db: Reader, project: string, id: string): Promise<InfraRow> {
  const row = await infraRow(db, id);
  return found(row?.project_id === project ? row : undefined, 'no matching infra');
}

/** A page of infrastructures of a project, the newest first, and the number over all pages. */
export function infraPage(
  db: Reader,
  project: string,
  request: ListInfraRequest | null | undefined,
): Promise<Page<InfraRow>> {
  const sorted = infrasMatching(db, project, request).selectAll().orderBy('created_at', 'desc').orderBy('id');
  return pageOf(sorted, request?.pagination);
}

function infrasMatching(db: Reader, project: string, request: ListInfraRequest | null | undefined) {
  const { infraIDs, environmentIDs, filter } = request ?? {};
  const { infraID, infraScope: scope, isActive } = filter ?? {};
  const named = { name: filter?.name, description: filter?.description, platform_name: filter?.platformName };
  const texts = textFilters(named, filter?.tags);
  return db
    .selectFrom('infras')
    .where('project_id', '=', project)
    .where('removed', '=', 0)
    .$if((infraIDs?.length ?? 0) > 0, (query) => query.where('id', 'in', infraIDs ?? []))
    .$if((environmentIDs?.length ?? 0) > 0, (query) =>
      query.where('environment_id', 'in', environmentIDs ?? []),
    )
    .$if(Boolean(infraID), (query) => query.where('id', '=', infraID ?? ''))
    .$if(Boolean(scope), (query) => query.where('scope', '=', scope ?? 'cluster'))
    .$if(typeof isActive === 'boolean', (query) => query.where('active', '=', flag(isActive)))
    .where(({ and, ref }) => and(texts.map(([column, text]) => contains(ref(column), text))));
}

/** Number of infrastructures of a project, by state. */
export async function infraStats(db: Reader, project: string): Promise<GetInfraStatsResponse> {
  const { total, active, confirmed } = await db
    .selectFrom('infras')
    .select(({ fn }) => [
      fn.countAll<number>().as('total'),
      fn.sum<number | null>('active').as('active'),
      fn.sum<number | null>('confirmed').as('confirmed'),
    ])
    .where('project_id', '=', project)
    .where('removed', '=', 0)
    .executeTakeFirstOrThrow();
  const [activeCount, confirmedCount] = [Number(active ?? 0), Number(confirmed ?? 0)];
  return {
    totalInfrastructures: total,
    totalActiveInfrastructure: activeCount,
    totalInactiveInfrastructures: total - activeCount,
    totalConfirmedInfrastructure: confirmedCount,
    totalNonConfirmedInfrastructures: total - confirmedCount,
  };
}

/**
 * An infrastructure as clients see it, without the fields about experiments (their number, the last run), which their room resolves.
 *
 * @param token for the download of its manifest; empty if the caller may not have it
 */
export function asInfra(row: InfraRow, serverVersion: string, token: string): Infra {
  return {
    projectID: row.project_id,
    infraID: row.id,
    name: row.name,
    description: row.description,
    tags: JSON.parse(row.tags),
    environmentID: row.environment_id,
    platformName: row.platform_name,
    isActive: row.active === 1,
    isInfraConfirmed: row.confirmed === 1,
    isRemoved: row.removed === 1,
    ...authorship(row),
    noOfExperiments: 0,
    noOfExperimentRuns: 0,
    lastExperimentTimestamp: '',
    token,
    infraNamespace: row.namespace,
    serviceAccount: row.service_account,
    infraScope: row.scope,
    infraNsExists: row.namespace_exists === 1,
    infraSaExists: row.service_account_exists === 1,
    startTime: timeText(row.start_time),
    version: row.version,
    lastSeenAt: row.seen_at === null ? null : timeText(row.seen_at),
    metrics: row.metrics === null ? null : JSON.parse(row.metrics),
    infraType: 'Kubernetes',
    updateStatus: updateStatus(row.version, serverVersion),
  };
}

/** Fields of an infrastructure for the audit log: no secrets, and nothing that its agent changes. */
export function auditedInfra(row: InfraRow): object {
  const { name, description, environment_id, platform_name, scope, namespace, flavour, removed } = row;
  return {
    name,
    description,
    environmentID: environment_id,
    platformName: platform_name,
    infraScope: scope,
    infraNamespace: namespace,
    flavour,
    isRemoved: removed === 1,
  };
}
