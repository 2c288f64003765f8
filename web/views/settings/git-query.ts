import type {
  GitConfig,
  GitConfigResponse,
  GitOpsProblem,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** What is shown of the Git repository of a project. */
export type ShownGit = Pick<
  GitConfigResponse,
  'enabled' | 'branch' | 'repoURL' | 'authType' | 'userName' | 'latestCommit' | 'lastSyncedAt' | 'lastError'
> & { readonly problems: readonly Pick<GitOpsProblem, 'path' | 'experimentName' | 'message'>[] };

/** The Git repository of a project. */
export const GIT: Document<{ readonly getGitOpsDetails: ShownGit }, { projectID: string }> = {
  text: `query Git($projectID: ID!) {
    getGitOpsDetails(projectID: $projectID) {
      enabled branch repoURL authType userName latestCommit lastSyncedAt lastError
      problems { path experimentName message }
    }
  }`,
};

type Settings = { projectID: string; configurations: GitConfig };

/** Keeps experiments in Git from now on. */
export const ENABLE_GIT: Document<unknown, Settings> = {
  text: `mutation EnableGit($projectID: ID!, $configurations: GitConfig!) {
    enableGitOps(projectID: $projectID, configurations: $configurations)
  }`,
};

/** Changes how the repository is read. */
export const UPDATE_GIT: Document<unknown, Settings> = {
  text: `mutation UpdateGit($projectID: ID!, $configurations: GitConfig!) {
    updateGitOps(projectID: $projectID, configurations: $configurations)
  }`,
};

/** Keeps experiments in Git no longer. */
export const DISABLE_GIT: Document<unknown, { projectID: string }> = {
  text: `mutation DisableGit($projectID: ID!) { disableGitOps(projectID: $projectID) }`,
};

/** Brings project and repository to the same experiments now. */
export const SYNC_GIT: Document<unknown, { projectID: string }> = {
  text: `mutation SyncGit($projectID: ID!) { syncGitOps(projectID: $projectID) { lastError } }`,
};
