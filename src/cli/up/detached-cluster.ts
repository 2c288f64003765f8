import type { ClusterOptions } from '../../runs/session/open-cluster.ts';
import { ClusterRegistry, DEFAULT_CLUSTER } from './registry.ts';

/** Without --kubeconfig and KUBECONFIG, a command uses the cluster of `turnsole up` if one runs. */
export async function withDetachedCluster<T extends ClusterOptions>(options: T): Promise<T> {
  if (options.kubeconfig !== undefined || process.env.KUBECONFIG !== undefined) return options;
  const running = await new ClusterRegistry(process.env).find(DEFAULT_CLUSTER);
  return running === undefined ? options : { ...options, kubeconfig: running.kubeconfig };
}
