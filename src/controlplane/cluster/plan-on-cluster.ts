import { planManifest } from '../../services/plan/plan-manifest.ts';
import type { ManifestPlan } from '../schema/generated/types.ts';
import type { ObservedCluster } from './observed-cluster.ts';

/** Plans a manifest on the cluster that the server looks at. Faults and the rules of plans are loaded when somebody asks for one. */
export function planOnCluster(
  { client }: ObservedCluster,
  manifest: string,
  namespace: string,
  signal: AbortSignal,
): Promise<ManifestPlan> {
  return planManifest(manifest, { client, namespace, signal });
}
