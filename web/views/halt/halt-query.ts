import type { ClusterHalt } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';
import type { HaltOfInfra } from '../../models/halt/halt-words.ts';

/** Whether chaos of the server's own cluster is halted, where and why. */
export const CLUSTER_HALTS: Document<
  { readonly clusterHalts: readonly ClusterHalt[] },
  Record<never, never>
> = {
  text: `query ClusterHalts { clusterHalts { namespace reason by since } }`,
};

/** Stops all chaos of that cluster, and prevents new chaos. */
export const HALT_CLUSTER: Document<unknown, { reason: string }> = {
  text: `mutation HaltCluster($reason: String!) { haltCluster(reason: $reason) { namespace } }`,
};

/** Allows chaos there again. */
export const RESUME_CLUSTER: Document<unknown, { namespace: string | null }> = {
  text: `mutation ResumeCluster($namespace: String) { resumeCluster(namespace: $namespace) }`,
};

/** Progress of the halt of a project, by infrastructure. */
export const PROJECT_HALTS: Document<{ readonly haltStatus: readonly HaltOfInfra[] }, { projectID: string }> =
  {
    text: `query ProjectHalts($projectID: ID!) {
    haltStatus(projectID: $projectID) { infraName isHalted reason by { username } at state message left }
  }`,
  };

/** Stops all chaos of a project. */
export const HALT_PROJECT: Document<unknown, { projectID: string; reason: string }> = {
  text: `mutation HaltProject($projectID: ID!, $reason: String!) {
    haltChaos(projectID: $projectID, reason: $reason) { infraID }
  }`,
};

/** Allows chaos of a project again. */
export const RESUME_PROJECT: Document<unknown, { projectID: string }> = {
  text: `mutation ResumeProject($projectID: ID!) { resumeChaos(projectID: $projectID) { infraID } }`,
};
