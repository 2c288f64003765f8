import type { ChaosCluster, ClusterSettings } from './cluster.ts';

/**
 * Starts a cluster in this process, for several runs; `runChaos` without a cluster starts one of its own.
 *
 * @throws ChaosError EMBEDDED_CLUSTER_FAILED · the signal's reason
 */
export async function startCluster(settings: ClusterSettings = {}): Promise<ChaosCluster> {
  const { openChaosCluster } = await import('./open-chaos-cluster.ts');
  return openChaosCluster(settings);
}
