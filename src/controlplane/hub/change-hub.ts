import { audit, recordChange } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { found, Refusal } from '../access/refusal.ts';
import { refusing } from '../access/refusing.ts';
import {
  checkedRef,
  decideProof,
  isSameServer,
  openProof,
  type Proof,
  refuseGivenFile,
  refuseGivenRepository,
  type StoredProof,
  storedProof,
} from '../remote/index.ts';
import type { ChaosHub, UpdateChaosHubRequest } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import type { HubRow } from '../store/tables/hubs.ts';
import type { Reader } from '../store/transaction.ts';
import {
  HUB_PROOF,
  ignoreRemote,
  libraryOf,
  PATIENCE_MS,
  refreshInTime,
  remoteRefusal,
  sourceOf,
} from './copies.ts';
import { DEFAULT_HUB_ID } from './default-hub.ts';
import { refuseDetails, refuseName } from './details.ts';
import { asHub, hubRow, hubRows } from './hubs.ts';

/** The hub of a project with this id. @throws Refusal if there is none, and for the default hub, which cannot be changed */
async function ownHub(context: Context, id: string): Promise<HubRow> {
  if (id === DEFAULT_HUB_ID)
    throw new Refusal('forbidden', 'the default hub is part of the server and cannot be changed');
  return found(
    await hubRow(context.plane.store.read, memberOf(context).project, id),
    `no hub ${id} in this project`,
  );
}

/**
 * Changes a hub and reads it again. If a new address cannot be read, nothing changes.
 *
 * @throws Refusal
 */
export async function updateHub(request: UpdateChaosHubRequest, context: Context): Promise<ChaosHub> {
  const { plane } = context;
  const before = await ownHub(context, request.id);
  refuseDetails(request);
  await refuseTaken(context.plane.store.read, before, request.name);
  const wanted = wantedSource(context, before, request);
  const row: HubRow = { ...before, ...wanted };
  const isMoved = isElsewhere(before, row);
  // A new address has to work before it replaces one that does.
  const read = isMoved ? { synced_at: await fetchMoved(context, row), last_error: '' } : {};
  const after = await write(context, request, { ...wanted, ...read });
  if (!isMoved) await refreshInTime(plane, after).catch(ignoreRemote);
  return asHub(after);
}

type Source = Pick<HubRow, 'repo_url' | 'repo_branch' | 'private' | 'ssh_public_key' | keyof StoredProof>;

function wantedSource(
  { plane: { secrets, settings } }: Context,
  before: HubRow,
  request: UpdateChaosHubRequest,
): Source {
  const url = request.repoURL.trim();
  const isGit = before.hub_type === 'GIT';
  // What is stored may be kept, so that a hub that can no longer be reached can be renamed.
  if (url !== before.repo_url) {
    const refuse = isGit ? refuseGivenRepository : refuseGivenFile;
    refusing('request.repoURL', () => refuse(url, settings.remote.reach.allowed));
  }
  if (isGit) refusing('request.repoBranch', () => checkedRef(request.repoBranch));
  const proof = refusing('request', (): Proof => {
    if (!isGit) return { authType: 'NONE', userName: '', secret: '' };
    const isKept = isSameServer(before.repo_url, url);
    return decideProof(request, isKept ? openProof(before, HUB_PROOF, secrets) : undefined);
  });
  return {
    repo_url: url,
    repo_branch: isGit ? request.repoBranch : '',
    private: request.isPrivate ? 1 : 0,
    ...storedProof(proof, HUB_PROOF, secrets),
    ssh_public_key: request.sshPublicKey ?? before.ssh_public_key,
  };
}

function isElsewhere(before: HubRow, after: HubRow): boolean {
  const where = ({ repo_url, repo_branch, auth_type, user_name }: HubRow): string =>
    JSON.stringify([repo_url, repo_branch, auth_type, user_name]);
  return where(before) !== where(after);
}

/** @returns the time of reading */
async function fetchMoved({ plane }: Context, row: HubRow): Promise<number> {
  const at = plane.clock.now();
  const limit = AbortSignal.timeout(PATIENCE_MS);
  try {
    // Aborted at the time limit: a later copy would be from an address that the hub does not have.
    await libraryOf(plane).fetch(row.id, sourceOf(plane, row), at, AbortSignal.any([plane.signal, limit]));
    return at;
  } catch (error) {
    if (!limit.aborted) throw remoteRefusal(error);
    throw new Refusal('timed-out', `${row.repo_url} takes too long; nothing was changed`, { cause: error });
  }
}

async function write(
  context: Context,
  request: UpdateChaosHubRequest,
  source: Source & Partial<HubRow>,
): Promise<HubRow> {
  const { project } = memberOf(context);
  const { username } = userOf(context);
  return context.transaction(projectScope(project), async (tx) => {
    const before = found(await hubRow(tx.db, project, request.id), `no hub ${request.id} in this project`);
    await refuseTaken(tx.db, before, request.name);
    const after: HubRow = {
      ...before,
      ...source,
      name: request.name.trim(),
      description: request.description ?? '',
      tags: JSON.stringify(request.tags ?? []),
      remote_hub: request.remoteHub,
      updated_at: tx.now,
      updated_by: username,
    };
    await tx.db.updateTable('hubs').set(after).where('id', '=', before.id).execute();
    const sides = { before: asHub(before), after: asHub(after) };
    await recordChange(tx, context, { project, kind: 'hub', id: before.id, ...sides });
    return after;
  });
}

async function refuseTaken(db: Reader, { id, project_id: project }: HubRow, name: string): Promise<void> {
  const rows = await hubRows(db, project);
  refuseName(
    name,
    rows.filter((row) => row.id !== id),
  );
}

/** Reads a hub again. @throws Refusal if it cannot be read; the previous copy stays */
export async function syncHub(id: string, context: Context): Promise<void> {
  const { plane } = context;
  const row = await ownHub(context, id);
  let done: boolean;
  try {
    done = await refreshInTime(plane, row);
  } catch (error) {
    throw remoteRefusal(error);
  }
  if (!done) throw new Refusal('timed-out', `hub ${row.name} takes long to read; it goes on`);
  const { project } = memberOf(context);
  await context.transaction(projectScope(project), (tx) => audit(tx, context, { project, kind: 'hub', id }));
}

/** Deletes a hub, its secret and its copy. @throws Refusal */
export async function deleteHub(id: string, context: Context): Promise<void> {
  const { project } = memberOf(context);
  const { username } = userOf(context);
  await ownHub(context, id);
  await context.transaction(projectScope(project), async (tx) => {
    const before = found(await hubRow(tx.db, project, id), `no hub ${id} in this project`);
    const gone = { removed: 1, sealed_secret: null, updated_at: tx.now, updated_by: username } as const;
    await tx.db.updateTable('hubs').set(gone).where('id', '=', id).execute();
    await recordChange(tx, context, { project, kind: 'hub', id, before: asHub(before) });
  });
  await libraryOf(context.plane).remove(id);
}
