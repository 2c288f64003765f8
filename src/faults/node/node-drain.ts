import { ApiError, isConflict, isForbidden, isNotFound } from '@turnsole/kube/client/index';
import { type KubeObject, type Node, objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { NODES, PODS } from '@turnsole/kube/kinds/resources';
import type { InjectionEffect, InjectionTarget } from '../../api/index.ts';
import { askUntil } from '../../experiment/injection/ask-until.ts';
import { describeError, InjectError } from '../../experiment/injection/errors.ts';
import type {
  Fault,
  FaultContext,
  Injection,
  Observed,
  PlanInput,
} from '../../experiment/injection/fault.ts';
import { chaosDuration } from '../../experiment/injection/settings/common-tunables.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { claimNode, releaseNode } from './claim-node.ts';
import { decideDrain } from './decide-drain.ts';
import { awaitHealthyInForce, sleepUntil } from './health-in-force.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(
    60,
    'How long the node is cordoned. Its pods have to leave it in this time.',
  ),
} as const satisfies TunableSchema;

/** The taint that Kubernetes gives to a node which is cordoned. */
const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/**
 * Cordons a node and evicts its pods, which their disruption budgets may delay.
 *
 * What is touched: `spec.unschedulable` of the node, and an annotation that says who has set it; the pods are evicted through the
 * API. Pods of daemon sets, of static manifests and of chaos itself stay. How it is undone: the node is uncordoned, unless another client
 * had cordoned it. The workloads of evicted pods make new ones; pods without a workload are gone. What remains if the experiment
 * dies: the cordon, until recovery.
 */
export const nodeDrain: Fault<typeof tunables> = {
  name: 'node-drain',
  summary: 'Cordons a node and evicts its pods.',
  tunables,
  targets: 'node',
  shape: 'sustained',
  where: 'api',
  injectMessage: 'Injecting node-drain chaos on target node',
  taints: () => [CORDON],
  permissions: [
    { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'patch'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
    { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  ],
  // Pods that were left out would stay on the node, and it would not be drained.
  everywhere: true,
  observe,
  plan,
  inject,
  effect: ({ target }) => Promise.resolve(drainEffect(left.get(target.name))),
  revert: (injection, context) => {
    left.delete(injection.target.name);
    return releaseNode(injection, context);
  },
  hold,
};

export default nodeDrain;

async function observe({ name }: InjectionTarget, { client, signal }: FaultContext): Promise<Observed> {
  const { metadata } = await client.get<Node>(NODES, name, { signal });
  return { uid: metadata.uid };
}

function plan({ targets }: PlanInput<typeof tunables>): readonly Injection[] {
  return targets.map(({ observed, ...target }) => ({
    id: target.name,
    target: typeof observed?.uid === 'string' ? { ...target, uid: observed.uid } : target,
    parameters: {},
  }));
}

async function inject(injection: Injection, context: FaultContext): Promise<void> {
  const { name } = injection.target;
  const granted = await claimNode(injection, { cordon: true }, context);
  if (granted.cordon === true) return;
  context.note('AlreadyCordoned', `node/${name}`, `another client has cordoned node ${name}: it stays so`);
}

async function hold(
  injections: readonly Injection[],
  context: FaultContext,
  durationMs: number,
): Promise<void> {
  const endsAt = context.clock.monotonic() + durationMs;
  await Promise.all(injections.map(({ target }) => drain(target.name, context, durationMs)));
  await awaitHealthyInForce(context);
  await sleepUntil(endsAt, context);
}

/** How many pods have left the nodes that this process has drained. */
const left = new Map<string, number>();

/** The effect by the number of evicted pods; undefined for a node that was not drained. Pure. */
function drainEffect(evicted: number | undefined): InjectionEffect | undefined {
  if (evicted === undefined) return undefined;
  return evicted > 0
    ? { seen: true, message: `${evicted} pods were evicted` }
    : {
        seen: false,
        message:
          "no pod had to leave the node: there were only those of daemon sets, static ones and chaos' own; choose another node",
      };
}

/** Evicts until no pod is left that has to leave; retries refused pods whenever a pod of the node changes, or after a while. */
async function drain(node: string, context: FaultContext, timeoutMs: number): Promise<void> {
  const { client, clock, signal, note } = context;
  const fieldSelector = `spec.nodeName=${node}`;
  const evicted = new Set<string>();
  let waiting: readonly string[] = [];
  let kept: readonly string[] = [];
  const done = await askUntil({
    clock,
    signal,
    timeoutMs,
    bell: { client, resource: PODS, fieldSelector },
    ask: async () => {
      const pods = await podsOn(fieldSelector, context);
      const plan = decideDrain(pods);
      kept = plan.spared;
      const refused = await Promise.all(
        plan.leaving.map(async (pod) => {
          const reason = await evict(pod, context);
          if (reason === undefined) evicted.add(objectKey(pod));
          return `pod ${objectKey(pod)}: ${reason ?? 'it is being evicted'}`;
        }),
      );
      waiting = [...refused, ...plan.going.map((pod) => `pod ${objectKey(pod)}: it has not ended yet`)];
      return waiting.length === 0 ? true : undefined;
    },
  });
  if (done === undefined) {
    throw new InjectError(
      `node ${node} is not drained after ${timeoutMs / 1000} s: ${waiting.join('; ')}; ` +
        'raise TOTAL_CHAOS_DURATION, or look at the PodDisruptionBudgets and the replicas of these pods',
      { target: `{nodeName: ${node}}` },
    );
  }
  const stayed = kept.length === 0 ? '' : `; not evicted: ${kept.join(', ')}`;
  left.set(node, evicted.size);
  note('Drained', `node/${node}`, `${evicted.size} pods have left node ${node}${stayed}`);
}

async function podsOn(fieldSelector: string, { client, signal }: FaultContext): Promise<readonly Pod[]> {
  try {
    return (await client.list<Pod>(PODS, { fieldSelector, signal })).items;
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    const why = `it takes the permission to list pods in all namespaces (a ClusterRole): ${describeError(cause)}`;
    throw new InjectError(`cannot find the pods to evict: ${why}`, { cause });
  }
}

/** Tries the first; servers before 1.22 know only the second. */
const EVICTION_VERSIONS = ['policy/v1', 'policy/v1beta1'] as const;

interface Eviction extends KubeObject {
  readonly deleteOptions: { readonly preconditions: { readonly uid?: string } };
}

/**
 * Asks the API server to evict a pod, which its disruption budget may refuse.
 *
 * @returns undefined when it is on its way, or gone, or another pod has its name by now; else why it may not go yet
 * @throws ApiError for anything else, such as a missing permission
 */
async function evict(
  { metadata }: Pod,
  { client, signal }: Pick<FaultContext, 'client' | 'signal'>,
): Promise<string | undefined> {
  const { name, namespace = '', uid } = metadata;
  for (const [index, apiVersion] of EVICTION_VERSIONS.entries()) {
    const body: Eviction = {
      apiVersion,
      kind: 'Eviction',
      metadata: { name, namespace },
      deleteOptions: { preconditions: uid === undefined ? {} : { uid } },
    };
    try {
      await client.create<Eviction>(PODS, body, {
        namespace,
        subresource: 'eviction',
        signal,
        repeatable: true,
      });
      return undefined;
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return undefined;
      if (!(error instanceof ApiError)) throw error;
      const isUnknown = error.code === 400 && index < EVICTION_VERSIONS.length - 1;
      if (isUnknown) continue;
      // 429: the budget allows none at the moment. 500: several budgets cover the pod, which evictions do not support.
      if (error.code === 429 || error.code === 500) return error.status.message ?? error.message;
      throw error;
    }
  }
  return undefined;
}
