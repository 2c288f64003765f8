import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { recordChange } from '../access/audit.ts';
import { type Context, type ControlPlane, memberOf, userOf } from '../access/context.ts';
import { found, Refusal } from '../access/refusal.ts';
import { refusing } from '../access/refusing.ts';
import {
  checkedRef,
  decideProof,
  isSameServer,
  openProof,
  type Proof,
  RemoteError,
  type RemoteSettings,
  refuseGivenRepository,
  remoteSettingsOf,
  type StoredProof,
  storedProof,
} from '../remote/index.ts';
import type { GitConfig } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import { madeBy } from '../store/tables/columns.ts';
import type { GitOpsRow } from '../store/tables/gitops.ts';
import { openBranch } from './content/git-project.ts';
import { asGitConfig, branchOf, folderOf, forget, GIT_PROOF, gitRow } from './git-rows.ts';

/** Settings for this server's requests to repositories. */
export function gitSettings({ settings: { dataFolder, remote } }: ControlPlane): RemoteSettings {
  const folder = join(dataFolder, 'gitops');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return remoteSettingsOf(remote, folder);
}

/** Enables GitOps for a project. @throws Refusal */
export async function enableGitOps(config: GitConfig, context: Context): Promise<void> {
  const { project } = memberOf(context);
  const { plane } = context;
  const enabled = 'GitOps is enabled for this project already; change it by updateGitOps';
  if ((await gitRow(plane.store.read, project)) !== undefined) throw new Refusal('conflict', enabled);
  const columns = columnsOf(plane, config, undefined);
  const row = newRow(project, columns, userOf(context).username, plane.clock.now());
  await mark(row, context);
  await context.transaction(projectScope(project), async (tx) => {
    if ((await gitRow(tx.db, project)) !== undefined) throw new Refusal('conflict', enabled);
    await tx.db.insertInto('gitops').values(row).execute();
    const after = asGitConfig(project, row);
    await recordChange(tx, context, { project, kind: 'gitops', id: project, after });
  });
}

/** Changes the repository of a project. @throws Refusal if it has none, the new one does not work, or another user was faster; then nothing changes */
export async function updateGitOps(config: GitConfig, context: Context): Promise<void> {
  const { project } = memberOf(context);
  const { plane } = context;
  // Upstream's text; clients compare it with the blank at the end.
  const before = found(await gitRow(plane.store.read, project), 'GitOps Disabled ');
  const columns = columnsOf(plane, config, before);
  const isMoved = columns.repo_url !== before.repo_url || columns.branch !== before.branch;
  const begun = { latest_commit: '', synced_at: 0, problems: '[]', baseline: null };
  await mark({ ...before, ...columns }, context);
  await context.transaction(projectScope(project), async (tx) => {
    // The repository may have taken long: passes, which keep `updated_at`, have stored their outcome since, or another user has changed the row.
    const now = found(await gitRow(tx.db, project), 'GitOps Disabled ');
    if (now.updated_at !== before.updated_at) {
      const changed = 'the repository of this project was changed meanwhile; look at it and try again';
      throw new Refusal('conflict', changed);
    }
    const row: GitOpsRow = {
      ...{ ...now, ...columns, ...(isMoved ? begun : {}), checked_at: 0, last_error: '' },
      ...{ updated_at: tx.now, updated_by: userOf(context).username },
    };
    await tx.db.updateTable('gitops').set(row).where('project_id', '=', project).execute();
    if (isMoved) await forget(tx, project);
    const shown = { before: asGitConfig(project, now), after: asGitConfig(project, row) };
    await recordChange(tx, context, { project, kind: 'gitops', id: project, ...shown });
  });
}

/** Disables GitOps for a project; both sides stay as they are. */
export async function disableGitOps(context: Context): Promise<void> {
  const { project } = memberOf(context);
  await context.transaction(projectScope(project), async (tx) => {
    const before = await gitRow(tx.db, project);
    if (before === undefined) return;
    await tx.db.deleteFrom('gitops').where('project_id', '=', project).execute();
    await forget(tx, project);
    const sides = { before: asGitConfig(project, before) };
    await recordChange(tx, context, { project, kind: 'gitops', id: project, ...sides });
  });
}

type GitColumns = Pick<GitOpsRow, 'repo_url' | 'branch' | keyof StoredProof>;

function columnsOf(plane: ControlPlane, config: GitConfig, before: GitOpsRow | undefined): GitColumns {
  const { allowed } = plane.settings.remote.reach;
  const refuse = <T>(field: string, check: () => T): T => refusing(field, check, 'Failed to setup GitOps : ');
  refuse('configurations.repoURL', () => refuseGivenRepository(config.repoURL, allowed));
  refuse('configurations.branch', () => checkedRef(config.branch));
  const proof = refuse('configurations', () => proofOf(plane, config, before));
  return {
    repo_url: config.repoURL.trim(),
    branch: config.branch,
    ...storedProof(proof, GIT_PROOF, plane.secrets),
  };
}

/** @throws RemoteError */
function proofOf({ secrets }: ControlPlane, config: GitConfig, before: GitOpsRow | undefined): Proof {
  const isKept = before !== undefined && isSameServer(before.repo_url, config.repoURL);
  return decideProof(config, isKept ? openProof(before, GIT_PROOF, secrets) : undefined);
}

function newRow(project: string, columns: GitColumns, username: string, now: number): GitOpsRow {
  return {
    project_id: project,
    ...columns,
    latest_commit: '',
    synced_at: 0,
    checked_at: 0,
    last_error: '',
    problems: '[]',
    baseline: null,
    ...madeBy(username, now),
  };
}

/** Time limit for the repository in milliseconds, shorter than that of an operation. */
const PATIENCE_MS = 25_000;

/** Writes the project's mark into the repository, which proves read and write access. @throws Refusal */
async function mark(row: GitOpsRow, { plane, signal }: Context): Promise<void> {
  const { project_id: project } = row;
  const path = `${folderOf(project)}/${MARK}`;
  const limit = AbortSignal.timeout(PATIENCE_MS);
  try {
    const all = AbortSignal.any([signal, limit]);
    await using branch = await openBranch(branchOf(plane, row), folderOf(project), gitSettings(plane), all);
    const id = branch.files.get(path);
    const revision = id === undefined ? 1 : nextRevision(await branch.content(id));
    await branch.push([
      {
        message: `Setup Litmus Chaos GitOps for Project :${project}`,
        author: GIT_AUTHOR,
        files: new Map([[path, `${JSON.stringify({ projectID: project, revision: String(revision) })}\n`]]),
      },
    ]);
  } catch (error) {
    const text = limit.aborted
      ? 'the repository takes too long'
      : error instanceof RemoteError
        ? error.message
        : undefined;
    if (text === undefined) throw error;
    throw new Refusal('unavailable', `Failed to setup GitOps : ${text}`, { cause: error });
  }
}

/** The file that marks a repository as a project's. */
export const MARK = '.info';

/** Author of the server's own commits. */
export const GIT_AUTHOR = { name: 'gitops@litmus-chaos', email: 'gitops@litmus.chaos' } as const;

function nextRevision(text: string): number {
  try {
    const { revision } = JSON.parse(text) as { revision?: unknown };
    return (Number(revision) || 0) + 1;
  } catch {
    return 1;
  }
}
