/** The operator that a run brings to a cluster that has none. */
import { randomUUID } from 'node:crypto';
import { isForbidden, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Node } from '@turnsole/kube/kinds/core';
import { NODES } from '@turnsole/kube/kinds/resources';
import { LeaderElection, LeadershipLostError } from '@turnsole/kube/runtime/leader-election';
import { CHAOS_ENGINES, OPERATOR_LEASE } from '../../api/index.ts';
import { KNOWN_IMAGES_VARIABLE, knownImagesOf } from '../../chaos/known-images.ts';
import { ANNOTATION_OPERATOR_OF_RUNS } from '../../embedded/chaos-options.ts';
import { aborted } from '../../process/signals.ts';
import { CommandError } from '../../services/errors.ts';
import { startLocalOperator } from './open-cluster.ts';

/** Where the Lease of the operators of several runs is. */
const LEASE_NAMESPACE = 'default';

/** Whether a cluster has chaos at all, and whether its runs bring the operator. */
type ChaosSupport =
  | { readonly kind: 'none' }
  | { readonly kind: 'installed' }
  | { readonly kind: 'of-runs'; readonly knownImages: readonly string[] };

/**
 * What a cluster that was given has of Turnsole.
 *
 * @throws ApiError, ConnectionError when it does not answer · the signal's reason
 */
export async function chaosSupport(client: KubeClient, signal: AbortSignal): Promise<ChaosSupport> {
  const { group, version } = CHAOS_ENGINES;
  const isServed = await client.raw('GET', `/apis/${group}/${version}`, undefined, { signal }).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );
  if (!isServed) return { kind: 'none' };
  const nodes = await client.list<Node>(NODES, { signal }).catch((error: unknown) => {
    // Whoever may not read nodes is on a cluster of others, who have installed what they need.
    if (isForbidden(error)) return { items: [] };
    throw error;
  });
  const [known] = nodes.items.flatMap(
    ({ metadata }) => metadata.annotations?.[ANNOTATION_OPERATOR_OF_RUNS] ?? [],
  );
  return known === undefined
    ? { kind: 'installed' }
    : { kind: 'of-runs', knownImages: knownImagesOf({ [KNOWN_IMAGES_VARIABLE]: known }) };
}

/** The error for a cluster without the kinds of chaos, with what to do. */
export function chaosMissing(): CommandError {
  return new CommandError(
    'the cluster serves no ChaosEngines, as Turnsole is not installed on it: start a cluster of @turnsole/cluster by ' +
      'startCluster(await withChaos({ … })), or use startCluster of turnsole; on any other cluster run "turnsole install" first',
    'CHAOS_NOT_INSTALLED',
  );
}

/**
 * Starts an operator in this process for a run. Of several runs at a time, in this process or others, one has the operator that works; when
 * it ends, that of another takes over.
 *
 * @param warn gets a sentence when it cannot work any more
 */
export function bringOperator(
  client: KubeClient,
  knownImages: readonly string[],
  warn: (sentence: string) => void,
): { stop(): Promise<void> } {
  const stop = new AbortController();
  const election = new LeaderElection({
    ...{ client, namespace: LEASE_NAMESPACE, name: OPERATOR_LEASE },
    identity: `run-${process.pid}-${randomUUID()}`,
    lead: async (leading) => {
      const operator = await startLocalOperator(client, { verbose: false, knownImages, signal: leading });
      await aborted(leading);
      await operator.stop();
    },
  });
  const working = untilStopped(election, stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) warn(`the operator of this run has ended: ${(error as Error).message}`);
  });
  return {
    stop: async () => {
      stop.abort();
      await working;
    },
  };
}

/** Stands for election again after leadership was lost: an operator starts from what is stored, whoever worked meanwhile. */
async function untilStopped(election: LeaderElection, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await election.run(signal);
    } catch (error) {
      if (!(error instanceof LeadershipLostError)) throw error;
    }
  }
}
