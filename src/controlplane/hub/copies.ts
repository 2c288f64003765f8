import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import { credentialsOf, openProof, RemoteError, remoteSettingsOf } from '../remote/index.ts';
import { projectScope } from '../store/store.ts';
import type { HubRow } from '../store/tables/hubs.ts';
import type { HubFolder } from './content/hub-folder.ts';
import { HubLibrary, type HubSource } from './content/hub-library.ts';

const LIBRARIES = new WeakMap<ControlPlane, HubLibrary>();

/** The copies of hubs of this replica. */
export function libraryOf(plane: ControlPlane): HubLibrary {
  const known = LIBRARIES.get(plane);
  if (known !== undefined) return known;
  const { dataFolder, remote } = plane.settings;
  const folder = join(dataFolder, 'hubs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const library = new HubLibrary({
    folder,
    remote: remoteSettingsOf(remote, folder),
    mostZipBytes: remote.zipBytes,
  });
  LIBRARIES.set(plane, library);
  return library;
}

/** For the secret box. */
export const HUB_PROOF = 'hub proof';

/** Source of a hub. */
export function sourceOf(plane: ControlPlane, row: HubRow): HubSource {
  if (row.hub_type === 'REMOTE') return { kind: 'zip', url: row.repo_url };
  const proof = openProof(row, HUB_PROOF, plane.secrets);
  const credentials = credentialsOf(proof, plane.settings.remote.tokenUser);
  return { kind: 'git', url: row.repo_url, branch: row.repo_branch, credentials };
}

/**
 * Fetches the copy of a hub again, and stores the outcome with the hub. Continues when the caller stops waiting.
 *
 * @throws RemoteError if it cannot be fetched; the row has the error as well
 */
export async function refresh(plane: ControlPlane, row: HubRow): Promise<void> {
  const at = plane.clock.now();
  try {
    await libraryOf(plane).fetch(row.id, sourceOf(plane, row), at, plane.signal);
    await noteRead(plane, row, { synced_at: at, last_error: '' });
  } catch (error) {
    if (error instanceof RemoteError) await noteRead(plane, row, { last_error: error.message });
    throw error;
  }
}

async function noteRead(
  plane: ControlPlane,
  { id, project_id: project }: HubRow,
  values: Partial<HubRow>,
): Promise<void> {
  await plane.store.transaction(projectScope(project), async (tx) => {
    await tx.db.updateTable('hubs').set(values).where('id', '=', id).execute();
    await tx.change({ project, kind: 'hub', id });
  });
}

/** How long a caller waits for a server, in milliseconds; shorter than the limit of an operation. */
export const PATIENCE_MS = 20_000;

/**
 * The same for a caller who waits: resolves to true if it ends in time, to false if it continues without the caller.
 *
 * @throws what it throws in time
 */
export async function refreshInTime(plane: ControlPlane, row: HubRow): Promise<boolean> {
  const work = refresh(plane, row);
  const { promise, resolve } = Promise.withResolvers<false>();
  const cancel = plane.clock.setTimer(PATIENCE_MS, () => resolve(false));
  try {
    const done = await Promise.race([work.then(() => true as const), promise]);
    if (!done) work.catch((error: unknown) => logLate(plane, error));
    return done;
  } finally {
    cancel();
  }
}

function logLate({ logger, signal }: ControlPlane, error: unknown): void {
  // Errors of a user's server are stored with the hub.
  if (error instanceof RemoteError || signal.aborted) return;
  logger.error({ err: error }, 'a hub could not be fetched');
}

/** A refusal for an error of a user's server or its address; other errors as they are. */
export function remoteRefusal(error: unknown, beginning = ''): unknown {
  return error instanceof RemoteError
    ? new Refusal('unavailable', `${beginning}${error.message}`, { cause: error })
    : error;
}

/** Ignores an error of a user's server or its address, which is stored with the hub. @throws any other error */
export function ignoreRemote(error: unknown): void {
  if (!(error instanceof RemoteError)) throw error;
}

/**
 * The copy of a hub. If this replica has none, fetches it now; if another replica has fetched a newer one, starts a fetch in the
 * background and returns the older copy.
 *
 * @throws Refusal if there is none and it cannot be fetched
 */
export async function openCopy(plane: ControlPlane, row: HubRow): Promise<HubFolder> {
  const library = libraryOf(plane);
  const here = await library.open(row.id);
  if (here !== undefined) {
    if (library.fetchedAt(row.id) < row.synced_at) followOthers(plane, row);
    return here;
  }
  try {
    await refreshInTime(plane, row);
  } catch (error) {
    throw remoteRefusal(error, `hub ${row.name} cannot be read: `);
  }
  const fetched = await library.open(row.id);
  if (fetched === undefined)
    throw new Refusal('unavailable', `hub ${row.name} is being fetched; try again in a moment`);
  return fetched;
}

function followOthers(plane: ControlPlane, row: HubRow): void {
  const work = libraryOf(plane).fetch(row.id, sourceOf(plane, row), row.synced_at, plane.signal);
  work.catch((error: unknown) => logLate(plane, error));
}
