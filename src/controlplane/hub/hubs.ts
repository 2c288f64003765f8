import { authorship, timeText } from '../access/lists.ts';
import { shownProof } from '../remote/index.ts';
import type { ChaosHub, ChaosHubStatus, ListChaosHubRequest } from '../schema/generated/types.ts';
import type { HubRow } from '../store/tables/hubs.ts';
import type { Reader } from '../store/transaction.ts';
import type { HubTotals } from './content/read-hub.ts';

/** Maximum number of hubs of a project: lists have no pages, and each hub is fetched every few hours. */
export const MOST_HUBS = 200;

/** A hub's row; undefined if the project has none with this id, or it was deleted. */
export function hubRow(db: Reader, project: string, id: string): Promise<HubRow | undefined> {
  return db
    .selectFrom('hubs')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', project)
    .where('removed', '=', 0)
    .executeTakeFirst();
}

/** All hubs of a project, the newest first. */
export function hubRows(db: Reader, project: string): Promise<HubRow[]> {
  return db
    .selectFrom('hubs')
    .selectAll()
    .where('project_id', '=', project)
    .where('removed', '=', 0)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(MOST_HUBS)
    .execute();
}

/** A hub as clients see it, without its secrets. Pure. */
export function asHub(row: HubRow): ChaosHub {
  return {
    id: row.id,
    projectID: row.project_id,
    name: row.name,
    description: row.description,
    tags: JSON.parse(row.tags),
    repoURL: row.repo_url,
    repoBranch: row.repo_branch,
    remoteHub: row.remote_hub,
    hubType: row.hub_type,
    isPrivate: row.private === 1,
    isDefault: false,
    isRemoved: row.removed === 1,
    ...shownProof(row),
    ...authorship(row),
    lastSyncedAt: timeText(row.synced_at),
  };
}

/** A hub with the totals of its copy. Pure. @param totals undefined without a copy */
export function asHubStatus(row: HubRow, totals: HubTotals | undefined): ChaosHubStatus {
  const { projectID: _projectID, ...hub } = asHub(row);
  return {
    ...hub,
    sshPublicKey: row.ssh_public_key === '' ? null : row.ssh_public_key,
    isAvailable: totals !== undefined,
    totalFaults: String(totals?.faults ?? 0),
    totalExperiments: String(totals?.experiments ?? 0),
    lastError: row.last_error === '' ? null : row.last_error,
  };
}

/** Whether a hub matches the request of a list. Pure. */
export function isListed(
  { id, name, description, tags }: Pick<ChaosHubStatus, 'id' | 'name' | 'description' | 'tags'>,
  request: ListChaosHubRequest | null | undefined,
): boolean {
  const { chaosHubIDs, filter } = request ?? {};
  const has = (text: string | null | undefined, part: string | null | undefined): boolean =>
    (text ?? '').toLowerCase().includes((part ?? '').toLowerCase());
  return (
    (chaosHubIDs === null ||
      chaosHubIDs === undefined ||
      chaosHubIDs.length === 0 ||
      chaosHubIDs.includes(id)) &&
    has(name, filter?.chaosHubName) &&
    has(description, filter?.description) &&
    (filter?.tags ?? []).every((tag) => tags?.includes(tag) === true)
  );
}
