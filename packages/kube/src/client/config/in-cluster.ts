import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../text/error-message.ts';
import type { ClusterConfig } from '../types.ts';
import { ClusterConfigError } from './errors.ts';
import { createTokenFile } from './token-file.ts';

/** A kubelet notices after some seconds that its machine has slept. */
const SUCCESSOR_MS = 15_000;

/** Where Kubernetes mounts a pod's credentials. */
const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Whether the process runs in a pod of a cluster. */
export function isInCluster(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env.KUBERNETES_SERVICE_HOST ?? '') !== '';
}

/**
 * The configuration of a pod's service account.
 *
 * `TURNSOLE_POD_ROOT`, where set, stands for the root of the pod's volumes (docs/architecture.md, "Pods as
 * processes"). The token is read again as it is rotated.
 *
 * @throws ClusterConfigError outside a cluster, or when the pod has no mounted credentials
 */
export async function loadInClusterConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
  clock?: Clock,
): Promise<ClusterConfig> {
  const host = env.KUBERNETES_SERVICE_HOST ?? '';
  if (host === '') {
    throw new ClusterConfigError(
      'the in-cluster configuration',
      'KUBERNETES_SERVICE_HOST',
      'it is not set, so this is no pod; give --kubeconfig',
    );
  }
  const port = env.KUBERNETES_SERVICE_PORT ?? '443';
  const directory = join(env.TURNSOLE_POD_ROOT ?? '/', SERVICE_ACCOUNT_DIR);
  const tokenFile = join(directory, 'token');
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    certificateAuthority: readMounted(join(directory, 'ca.crt')),
    namespace: readMounted(join(directory, 'namespace')).trim(),
    ...createTokenFile(tokenFile, tokenFile, clock, SUCCESSOR_MS),
  };
}

function readMounted(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const detail = messageOf(error);
    throw new ClusterConfigError(
      file,
      undefined,
      `it cannot be read (${detail}); set automountServiceAccountToken of the pod or its service account to true`,
      { cause: error },
    );
  }
}
