/** The Kubernetes client: one cluster, JSON in and out. See ../README.md. */
export type { AnsweredCall } from './api-call.ts';
export { type ClientOptions, createClient } from './client.ts';
export { ClusterConfigError } from './config/errors.ts';
export { isInCluster, loadInClusterConfig } from './config/in-cluster.ts';
export type { KubeconfigOptions } from './config/kubeconfig.ts';
export { type LoadConfigOptions, loadConfig } from './config/load-config.ts';
export {
  ApiError,
  ConnectionError,
  ExecError,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isNotFound,
  type Status,
} from './errors.ts';
export type * from './types.ts';
export { PATCH_TYPES } from './types.ts';

import type { KubeconfigOptions } from './config/kubeconfig.ts';
import type { ClusterConfig } from './types.ts';

/** The configuration a kubeconfig gives for one context; see `config/kubeconfig.ts`, which is loaded only now. */
export async function loadKubeconfig(options: KubeconfigOptions = {}): Promise<ClusterConfig> {
  const module = await import('./config/kubeconfig.ts');
  return await module.loadKubeconfig(options);
}
