import type {
  GitConfig,
  GitConfigResponse,
  GitOpsProblem,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Fields of the Git repository of a project for the page. */
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

/** Enables GitOps. */
export const ENABLE_GIT: Document<unknown, Settings> = {
  text: `mutation EnableGit($projectID: ID!, $configurations: GitConfig!) {
    enableGitOps(projectID: $projectID, configurations: $configurations)
  }`,
};

/** Changes the repository or its credentials. */
export const UPDATE_GIT: Document<unknown, Settings> = {
  text: `mutation UpdateGit($projectID: ID!, $configurations: GitConfig!) {
    updateGitOps(projectID: $projectID, configurations: $configurations)
  }`,
};

/** Disables GitOps. */
export const DISABLE_GIT: Document<unknown, { projectID: string }> = {
  text: `mutation DisableGit($projectID: ID!) { disableGitOps(projectID: $projectID) }`,
};

/** Synchronises project and repository now. */
export const SYNC_GIT: Document<unknown, { projectID: string }> = {
  text: `mutation SyncGit($projectID: ID!) { syncGitOps(projectID: $projectID) { lastError } }`,
};
