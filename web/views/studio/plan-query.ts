import type { ManifestPlan } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Fields of a plan. */
const PLAN_FIELDS = `
      wouldRun permissionsChecked leftOut
      permissionsMissing { account verb group resource namespace }
      findings { severity code text advice object field }
      experiments {
        engine namespace step experiment fault startsAtSeconds durationSeconds expectedSeconds
        intervalSeconds rounds sequence targetCount
        targets { kind namespace name node container }
        workloads { kind namespace name hit of percent isThere }
        budgets { namespace name hitAtOnce allowed violated }
        nodes { hit of }
      }`;

/** The plan of a manifest, from the agent of its infrastructure. */
export const PLAN: Document<
  { readonly planManifest: ManifestPlan },
  { projectID: string; infraID: string; manifest: string }
> = {
  text: `query Plan($projectID: ID!, $infraID: ID!, $manifest: String!) {
    planManifest(projectID: $projectID, infraID: $infraID, manifest: $manifest) {
${PLAN_FIELDS}
    }
  }`,
};

/** The same in the cluster that the server watches. */
export const PLAN_ON_CLUSTER: Document<
  { readonly planOnCluster: ManifestPlan },
  { manifest: string; namespace: string }
> = {
  text: `query PlanOnCluster($manifest: String!, $namespace: String!) {
    planOnCluster(manifest: $manifest, namespace: $namespace) {
${PLAN_FIELDS}
    }
  }`,
};
