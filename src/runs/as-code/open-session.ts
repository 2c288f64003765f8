/** The cluster that a plan or a run works on. */

import { type ClusterOptions, type ClusterSession, openExisting } from '../session/open-cluster.ts';
import { ChaosError } from './errors.ts';
import { openOwn, sessionOf } from './open-chaos-cluster.ts';
import type { ClusterRef } from './run-options.ts';

/** A session, and how a run leaves it. */
interface OpenedSession {
  readonly session: ClusterSession;
  /** Whether the cluster ends with the run, and all that is in it. */
  readonly isOwn: boolean;
  /** Lets go of the cluster; one that was given goes on. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** What is known of a cluster before it is asked. */
type KnownCluster = 'nothing' | 'unknown';

/** Whether a cluster has what was not brought: a new one has nothing. Pure. */
export function knownOf(cluster: ClusterRef | undefined): KnownCluster {
  return cluster === undefined ? 'nothing' : 'unknown';
}

/**
 * Opens the cluster that was given, or starts one.
 *
 * @throws ChaosError for what is no cluster · CommandError when it cannot be used or started · the signal's reason
 */
export async function openSession(
  cluster: ClusterRef | undefined,
  signal: AbortSignal,
  warn: (sentence: string) => void,
): Promise<OpenedSession> {
  if (cluster === undefined) {
    const session = await openOwn({ signal, onWarning: warn });
    return { session, isOwn: true, close: (options) => session.close(options) };
  }
  const given = typeof cluster === 'object' && cluster !== null ? sessionOf(cluster) : undefined;
  // It is closed by those who started it.
  if (given !== undefined) return { session: given, isOwn: false, close: () => Promise.resolve() };
  const session = await openExisting(optionsOf(cluster), signal);
  return { session, isOwn: false, close: () => session.close() };
}

function optionsOf(cluster: ClusterRef): ClusterOptions {
  const given: { readonly kubeconfig?: string; readonly context?: string } =
    typeof cluster === 'string' ? { kubeconfig: cluster } : (cluster ?? {});
  const { kubeconfig, context } = given;
  const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';
  if ((kubeconfig ?? context) === undefined || !isText(kubeconfig) || !isText(context)) {
    const message =
      'expected a cluster of startCluster, the path or text of a kubeconfig, or { kubeconfig, context }; ' +
      'leave it out for a cluster that is started for the run';
    throw new ChaosError(message, { code: 'OPTION_INVALID', problems: [{ field: 'cluster', message }] });
  }
  const isContent = kubeconfig !== undefined && /^\s*\{|\n/.test(kubeconfig);
  return {
    ...(kubeconfig !== undefined && (isContent ? { kubeconfigText: kubeconfig } : { kubeconfig })),
    ...(context !== undefined && { context }),
  };
}
