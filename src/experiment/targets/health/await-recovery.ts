import { isForbidden } from '@turnsole/kube/client/errors';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { isActive } from '@turnsole/kube/kinds/pod-phase';
import { PODS, type Resource } from '@turnsole/kube/kinds/resources';
import { askUntil } from '../../injection/ask-until.ts';
import { StatusCheckError } from '../../injection/errors.ts';
import type { FaultContext } from '../../injection/fault.ts';
import { observePods } from '../observe-pods.ts';
import { type Intermediates, type Owner, ownerOf } from '../owner.ts';
import { isReady } from './judge-pods.ts';
import { WORKLOAD_KINDS, wantedPods } from './workload-kinds.ts';

/** A workload that has to recover. */
export interface Workload {
  readonly namespace: string;
  readonly owner: Owner;
}

/**
 * Resolves when a workload has as many ready pods as it wants and no pod that is not ready; pods being deleted do not count.
 * As it checks the wanted number too, a workload that has not yet recreated its pods does not pass by chance.
 *
 * @throws StatusCheckError when it has not recovered within STATUS_CHECK_TIMEOUT, with what is missing
 */
export async function awaitRecovery(workload: Workload, context: FaultContext): Promise<void> {
  const { clock, signal, client, recoveryTimeoutMs } = context;
  const { namespace, owner } = workload;
  let problem: string | undefined;
  const recovered = await askUntil({
    clock,
    signal,
    timeoutMs: recoveryTimeoutMs,
    bell: { client, resource: PODS, namespace },
    ask: async () => {
      problem = await look(workload, context);
      return problem === undefined ? true : undefined;
    },
  });
  if (recovered === true) return;
  throw new StatusCheckError(
    `${owner.kind} ${namespace}/${owner.name} has not recovered after ${recoveryTimeoutMs / 1000} s: ${problem}; ` +
      'look at its pods, or raise STATUS_CHECK_TIMEOUT',
    { target: `{${owner.kind}Name: ${owner.name}, namespace: ${namespace}}` },
  );
}

async function look({ namespace, owner }: Workload, context: FaultContext): Promise<string | undefined> {
  const { client, signal } = context;
  const resource = WORKLOAD_KINDS.get(owner.kind);
  const [workload, observed] = await Promise.all([
    resource === undefined ? undefined : readWorkload(resource, { namespace, owner }, context),
    observePods(
      client,
      {
        entries: [{ kind: owner.kind, namespace, names: [owner.name], selector: undefined }],
        targetPods: [],
        nodeLabel: '',
        chaosNamespace: namespace,
      },
      signal,
    ),
  ]);
  context.podsSeen?.all(namespace, observed.lists[0] ?? []);
  if (resource !== undefined && workload === undefined) {
    // Waiting longer would not bring it back.
    throw new StatusCheckError(
      `${owner.kind} ${namespace}/${owner.name} cannot recover: it was deleted meanwhile`,
    );
  }
  const owned = (observed.lists[0] ?? []).filter((pod) => {
    const found = ownerOf(pod, observed);
    return found?.kind === owner.kind && found.name === owner.name;
  });
  const wanted =
    workload === 'forbidden'
      ? wantedByReplicaSets(owner, observed)
      : workload === undefined
        ? undefined
        : wantedPods(workload);
  return recoveryProblem(owned, wanted);
}

/** What hits pods need not be allowed to read their workloads; a refusal now would be an error after the pods are gone. */
async function readWorkload(
  resource: Resource,
  { namespace, owner }: Workload,
  { client, signal }: FaultContext,
): Promise<KubeObject | 'forbidden' | undefined> {
  try {
    return await client.find(resource, owner.name, { namespace, signal });
  } catch (error) {
    if (isForbidden(error)) return 'forbidden';
    throw error;
  }
}

/** The number of a workload that may not be read, by its replica sets or replication controllers; undefined where it has none. Pure. */
export function wantedByReplicaSets(
  { kind, name }: Owner,
  { replicaSets, replicationControllers }: Intermediates,
): number | undefined {
  const own = [...replicaSets.values(), ...replicationControllers.values()].filter(({ metadata }) =>
    metadata.ownerReferences?.some((one) => one.kind.toLowerCase() === kind && one.name === name),
  );
  if (own.length === 0) return undefined;
  return own.reduce((sum, one) => sum + (wantedPods(one) ?? 0), 0);
}

/** What a workload lacks, or undefined. Pure. */
export function recoveryProblem(owned: readonly Pod[], wanted: number | undefined): string | undefined {
  const living = owned.filter(isActive);
  const ready = living.filter(isReady).length;
  const needed = wanted ?? Math.max(1, living.length);
  if (ready < needed) return `${ready} of ${needed} pods are ready`;
  return ready < living.length
    ? `${living.length - ready} of ${living.length} pods are not ready`
    : undefined;
}
