import type { ControlPlane } from '../access/context.ts';
import { timeText } from '../access/lists.ts';
import { credentialsOf, openProof, shownProof } from '../remote/index.ts';
import type { GitConfigResponse } from '../schema/generated/types.ts';
import type { GitOpsRow } from '../store/tables/gitops.ts';
import type { Reader, Tx } from '../store/transaction.ts';
import type { Agreed } from './content/decide-sync.ts';
import type { GitProblem } from './content/documents.ts';
import type { GitBranch } from './content/git-project.ts';

/** The repository of a project; undefined if it has none. */
export function gitRow(db: Reader, project: string): Promise<GitOpsRow | undefined> {
  return db.selectFrom('gitops').selectAll().where('project_id', '=', project).executeTakeFirst();
}

/** The state that both sides agreed on. */
export async function agreedOf(db: Reader, project: string): Promise<Agreed[]> {
  const rows = await db.selectFrom('gitops_files').selectAll().where('project_id', '=', project).execute();
  return rows.map(({ experiment_id, path, name, hash, revision_id }) => ({
    experimentID: experiment_id,
    path,
    name,
    hash,
    revisionID: revision_id,
  }));
}

/** Stores that both sides agree on an experiment. */
export async function agree(tx: Tx, project: string, place: Agreed): Promise<void> {
  const columns = { path: place.path, name: place.name, hash: place.hash, revision_id: place.revisionID };
  await tx.db
    .insertInto('gitops_files')
    .values({ project_id: project, experiment_id: place.experimentID, ...columns })
    .onConflict((conflict) => conflict.columns(['project_id', 'experiment_id']).doUpdateSet(columns))
    .execute();
}

/** Deletes the agreed state of an experiment, or of a whole project. */
export async function forget(tx: Tx, project: string, experiment?: string): Promise<void> {
  await tx.db
    .deleteFrom('gitops_files')
    .where('project_id', '=', project)
    .$if(experiment !== undefined, (query) => query.where('experiment_id', '=', experiment ?? ''))
    .execute();
}

/** For the secret box. */
export const GIT_PROOF = 'git proof';

/** Repository and branch to fetch. */
export function branchOf(plane: ControlPlane, row: GitOpsRow): GitBranch {
  const proof = openProof(row, GIT_PROOF, plane.secrets);
  const credentials = credentialsOf(proof, plane.settings.remote.tokenUser);
  return { url: row.repo_url, branch: row.branch, credentials };
}

/** Folder of a project's experiments in its repository. */
export function folderOf(project: string): string {
  return `litmus/${project}`;
}

/** Problems of the last pass. Pure. */
export function problemsOf(row: Pick<GitOpsRow, 'problems'>): GitProblem[] {
  return JSON.parse(row.problems);
}

/** The repository as clients see it, without its secret. Pure. */
export function asGitConfig(project: string, row: GitOpsRow | undefined): GitConfigResponse {
  if (row === undefined) {
    const none = { authType: null, token: null, userName: null, password: null, sshPrivateKey: null };
    const state = { latestCommit: null, lastSyncedAt: null, lastError: null, problems: [] };
    return { enabled: false, projectID: project, branch: null, repoURL: null, ...none, ...state };
  }
  return {
    enabled: true,
    projectID: project,
    branch: row.branch,
    repoURL: row.repo_url,
    ...shownProof(row),
    latestCommit: row.latest_commit === '' ? null : row.latest_commit,
    lastSyncedAt: row.synced_at === 0 ? null : timeText(row.synced_at),
    lastError: row.last_error === '' ? null : row.last_error,
    problems: problemsOf(row).map(({ path, name, message }) => ({ path, experimentName: name, message })),
  };
}
