import type { ClusterHalt } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Whether chaos is halted, where and why. */
export const HALTS: Document<{ readonly clusterHalts: readonly ClusterHalt[] }, Record<never, never>> = {
  text: `query Halts { clusterHalts { namespace reason by since } }`,
};

/** Stops all chaos of the cluster, and keeps new chaos from starting. */
export const HALT: Document<unknown, { reason: string }> = {
  text: `mutation Halt($reason: String!) { haltCluster(reason: $reason) { namespace } }`,
};

/** Lets chaos start again. */
export const RESUME: Document<unknown, { namespace: string | null }> = {
  text: `mutation Resume($namespace: String) { resumeCluster(namespace: $namespace) }`,
};
