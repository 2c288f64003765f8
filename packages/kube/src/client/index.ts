/** The Kubernetes client: one cluster, JSON in and out. See ../README.md. */
export { createClient } from './client.ts';
export {
  ApiError,
  ConnectionError,
  ExecError,
  isConflict,
  isForbidden,
  isNotFound,
} from './errors.ts';
export type * from './types.ts';

import type { KubeconfigOptions } from './config/kubeconfig.ts';
import type { ClusterConfig } from './types.ts';

/** The configuration a kubeconfig gives for one context; see `config/kubeconfig.ts`, which is loaded only now. */
export async function loadKubeconfig(options: KubeconfigOptions = {}): Promise<ClusterConfig> {
  const module = await import('./config/kubeconfig.ts');
  return await module.loadKubeconfig(options);
}
