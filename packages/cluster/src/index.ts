/** A Kubernetes-compatible cluster in this process. See the README. */

export type { ApplyOptions, ClusterAccess, Manifests, WaitOptions } from './cluster/access.ts';
export { type Cluster, type ClusterOptions, startCluster } from './cluster/start-cluster.ts';
export type { ImageEntry } from './node/images/image-entry.ts';
export type { ContainerPlan, PodPlan, SimulatedRun, SimulationRule } from './node/simulated/plan.ts';
