import {
  DAEMON_SETS,
  DEPLOYMENT_CONFIGS,
  DEPLOYMENTS,
  type KubeObject,
  PODS,
  type Pod,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
  ROLLOUTS,
  STATEFUL_SETS,
} from '../../../api/index.ts';
import { isActive } from '../../../api/pod-phase.ts';
import { askUntil } from '../../injection/ask-until.ts';
import { StatusCheckError } from '../../injection/errors.ts';
import type { FaultContext } from '../../injection/fault.ts';
import { observePods } from '../observe-pods.ts';
import { type Owner, ownerOf } from '../owner.ts';
import { isReady } from './judge-pods.ts';

/** A workload that has to recover. */
export interface Workload {
  readonly namespace: string;
  readonly owner: Owner;
}

/** Workload kinds whose wanted number of pods is known. */
const RESOURCES: Readonly<Record<string, Resource>> = {
  deployment: DEPLOYMENTS,
  statefulset: STATEFUL_SETS,
  daemonset: DAEMON_SETS,
  replicaset: REPLICA_SETS,
  replicationcontroller: REPLICATION_CONTROLLERS,
  rollout: ROLLOUTS,
  deploymentconfig: DEPLOYMENT_CONFIGS,
};

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
  const resource = RESOURCES[owner.kind];
  const [workload, observed] = await Promise.all([
    resource === undefined ? undefined : client.find(resource, owner.name, { namespace, signal }),
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
  return recoveryProblem(owned, workload === undefined ? undefined : wantedPods(workload));
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

/** How many pods a workload wants; undefined where its kind does not say. Pure. */
export function wantedPods(workload: KubeObject): number | undefined {
  // Workloads of six kinds, some of them custom: only these two numbers are read, and checked.
  const { spec, status } = workload as {
    spec?: { replicas?: unknown };
    status?: { desiredNumberScheduled?: unknown };
  };
  const wanted = status?.desiredNumberScheduled ?? spec?.replicas;
  if (typeof wanted === 'number') return wanted;
  return undefined;
}
