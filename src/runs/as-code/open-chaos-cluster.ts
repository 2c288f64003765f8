/** The cluster in this process that `startCluster` gives, and its session, by which runs use it. */
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { BadInputError, type InputProblem } from '../../services/errors.ts';
import { applyManifests, sortForApply } from '../../services/manifests/apply.ts';
import { parseManifests } from '../../services/manifests/load.ts';
import { awaitWorkloads } from '../../services/run/await-workloads.ts';
import { type ClusterSession, openCluster } from '../session/open-cluster.ts';
import { asChaosError } from './as-chaos-error.ts';
import { abortSignal, callable, checkOptions, type OptionCheck, oneOf, whole } from './check-options.ts';
import type { ChaosCluster, ClusterSettings } from './cluster.ts';
import { durationOption } from './duration-option.ts';

const sessions = new WeakMap<object, ClusterSession>();

/** The session of a cluster that `startCluster` has given; undefined for anything else. */
export function sessionOf(cluster: object): ClusterSession | undefined {
  return sessions.get(cluster);
}

const MAX_NODES = 5000;

const CHECKS: Readonly<Record<keyof ClusterSettings, OptionCheck>> = {
  nodes: whole(1, MAX_NODES),
  isolation: oneOf(['auto', 'none', 'full']),
  images: (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every(
      (command) =>
        Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === 'string'),
    )
      ? undefined
      : "an object of commands by the names of images, such as { 'my/api': ['node', 'server.js'] }",
  signal: abortSignal,
  onWarning: callable,
};

/** @throws ChaosError · the signal's reason */
export async function openChaosCluster(settings: ClusterSettings): Promise<ChaosCluster> {
  checkOptions('startCluster', settings, CHECKS);
  const session = await openOwn(settings).catch((error: unknown) => {
    settings.signal?.throwIfAborted();
    throw asChaosError(error);
  });
  const { embedded } = session;
  if (embedded === undefined) throw new Error('an embedded cluster was asked for');
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= session.close();
    return closed;
  };
  const cluster: ChaosCluster = {
    kubeconfig: embedded.kubeconfigPath,
    server: embedded.server,
    apply: async (manifests, options = {}) => {
      const { namespace, readyTimeout = '2m', signal = new AbortController().signal } = options;
      const readyTimeoutMs = durationOption('apply.readyTimeout', readyTimeout);
      try {
        await applyText(
          manifests,
          { ...session, namespace: namespace ?? session.namespace },
          readyTimeoutMs,
          signal,
        );
      } catch (error) {
        signal.throwIfAborted();
        throw asChaosError(error);
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  sessions.set(cluster, session);
  return cluster;
}

/** A new cluster in this process, with its operator. */
export function openOwn({
  nodes,
  isolation,
  images,
  signal,
  onWarning,
}: ClusterSettings): Promise<ClusterSession> {
  const image = new Map(
    Object.entries(images ?? {}).map(([name, entrypoint]) => [
      name,
      { entrypoint: [...entrypoint], workingDir: process.cwd(), workingDirIfNamed: true },
    ]),
  );
  return openCluster(
    {
      ...(nodes !== undefined && { nodes }),
      ...(isolation !== undefined && { isolation }),
      image,
      withOperator: true,
      withWorkflows: true,
      warn: (sentence) => onWarning?.(sentence),
    },
    signal ?? new AbortController().signal,
  );
}

async function applyText(
  text: string,
  { client, namespace }: ClusterSession,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const problems: InputProblem[] = [];
  const manifests = sortForApply(parseManifests('manifests', text, problems));
  if (problems.length > 0) throw new BadInputError(problems);
  const applied = await applyManifests(manifests, {
    client,
    kinds: new KindResolver(client),
    namespace,
    signal,
  });
  await awaitWorkloads(applied, { client, timeoutMs, signal, patient: false, onReady: () => {} });
}
