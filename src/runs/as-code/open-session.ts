/** The cluster that a plan or a run works on. */

import type { ReadManifests } from '../../services/manifests/read.ts';
import type { Progress } from '../../services/run/progress.ts';
import { openFitting } from '../execute/open-fitting.ts';
import { type ClusterOptions, type ClusterSession, openExisting } from '../session/open-cluster.ts';
import { bringOperator, chaosMissing, chaosSupport } from '../session/operator-of-runs.ts';
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

/** What a cluster is opened for: a plan writes nothing to one that was given. */
type Purpose = 'run' | 'plan';

/** What is known of a cluster before it is asked. */
type KnownCluster = 'nothing' | 'unknown';

/** Whether a cluster has what was not brought: a new one has nothing. Pure. */
export function knownOf(cluster: ClusterRef | undefined): KnownCluster {
  return cluster === undefined ? 'nothing' : 'unknown';
}

/** What it is opened for, and who hears of it. */
interface OpenOptions {
  readonly purpose: Purpose;
  /** What is to be run: a cluster that is started is one that it can be run on. */
  readonly manifests: ReadManifests;
  readonly progress: Pick<Progress, 'step'>;
  readonly signal: AbortSignal;
}

/**
 * Opens the cluster that was given, with an operator for a run where it has none, or starts one.
 *
 * @throws ChaosError for what is no cluster · CommandError when it cannot be used or started · the signal's reason
 */
export async function openSession(
  cluster: ClusterRef | undefined,
  { purpose, manifests, progress, signal }: OpenOptions,
): Promise<OpenedSession> {
  const warn = (sentence: string): void => progress.step(`warning: ${sentence}`);
  if (cluster === undefined) {
    const open = ({ isolation }: ClusterOptions): Promise<ClusterSession> =>
      openOwn({ ...(isolation !== undefined && { isolation }), signal, onWarning: warn });
    const input = { ...manifests, planned: manifests.engines };
    const session = await openFitting(input, {}, { open, progress, signal });
    return { session, isOwn: true, close: (options) => session.close(options) };
  }
  const given = typeof cluster === 'object' && cluster !== null ? sessionOf(cluster) : undefined;
  // It is closed by those who started it.
  if (given !== undefined) return { session: given, isOwn: false, close: () => Promise.resolve() };
  return openGiven(await openExisting(optionsOf(cluster), signal), purpose, signal, warn);
}

/** A cluster by its kubeconfig, with the operator that runs bring where it has none. */
async function openGiven(
  session: ClusterSession,
  purpose: Purpose,
  signal: AbortSignal,
  warn: (sentence: string) => void,
): Promise<OpenedSession> {
  const { client } = session;
  try {
    const support = await chaosSupport(client, signal);
    if (support.kind === 'none') throw chaosMissing();
    const isBrought = support.kind === 'of-runs' && purpose === 'run';
    const operator = isBrought ? bringOperator(client, support.knownImages, warn) : undefined;
    const close = async (): Promise<void> => {
      await operator?.stop();
      await session.close();
    };
    return { session, isOwn: false, close };
  } catch (error) {
    await session.close();
    throw error;
  }
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
