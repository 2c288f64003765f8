import type { ManifestPlan } from '../schema/generated/types.ts';
import type { ObservedCluster } from './observed-cluster.ts';

/**
 * Plans a manifest on the cluster that the server watches. The first plan loads faults and the rules of plans, a quarter of the server's
 * modules, since most servers watch no cluster.
 */
export async function planOnCluster(
  { client }: ObservedCluster,
  manifest: string,
  namespace: string,
  signal: AbortSignal,
): Promise<ManifestPlan> {
  const { planManifest } = await import('../../services/plan/plan-manifest.ts');
  return planManifest(manifest, { client, namespace, signal });
}
