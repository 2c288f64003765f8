import type { ClusterConfig } from '../types.ts';
import { isInCluster, loadInClusterConfig } from './in-cluster.ts';

/** Where a process gets its cluster from. */
interface LoadConfigOptions {
  /** Value of a `--kubeconfig` flag. */
  readonly kubeconfig?: string | undefined;
  /** Value of a `--context` flag. */
  readonly context?: string | undefined;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * The cluster of a process: that of the flags, else the one whose pod it runs in, else the kubeconfig.
 *
 * @throws ClusterConfigError
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClusterConfig> {
  const env = options.env ?? process.env;
  const hasFlag = (options.kubeconfig ?? '') !== '' || options.context !== undefined;
  if (!hasFlag && isInCluster(env)) return await loadInClusterConfig(env);
  const { loadKubeconfig } = await import('./kubeconfig.ts');
  return await loadKubeconfig({ path: options.kubeconfig, context: options.context, env });
}
