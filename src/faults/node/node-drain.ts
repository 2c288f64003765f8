import { NODES, type Node, objectKey, PODS, type Pod } from '../../api/index.ts';
import {
  askUntil,
  chaosDuration,
  describeError,
  type Fault,
  type FaultContext,
  InjectError,
  type Injection,
  type InjectionTarget,
  type PlanInput,
  type TunableSchema,
} from '../../experiment/index.ts';
import { isForbidden } from '../../kube/client/index.ts';
import { claimNode, releaseNode } from './claim-node.ts';
import { decideDrain } from './decide-drain.ts';
import { evict } from './evict.ts';
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
 * API. Pods of daemon sets, of static manifests and of chaos itself stay. How it is undone: the node is uncordoned, unless somebody
 * else had cordoned it; evicted pods are their workloads' to make anew, and those without one are gone. What remains if the
 * experiment dies: the cordon, until recovery.
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
  // Those of a node's pods that were left out would stay, and the node would not be drained.
  everywhere: true,
  observe,
  plan,
  inject,
  revert: releaseNode,
  hold,
};

export default nodeDrain;

async function observe(
  { name }: InjectionTarget,
  { client, signal }: FaultContext,
): Promise<Readonly<Record<string, unknown>>> {
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
  context.note('AlreadyCordoned', `node/${name}`, `somebody else has cordoned node ${name}: it stays so`);
}

async function hold(
  injections: readonly Injection[],
  context: FaultContext,
  durationMs: number,
): Promise<void> {
  const endsAt = context.clock.now() + durationMs;
  await Promise.all(injections.map(({ target }) => drain(target.name, context, durationMs)));
  await awaitHealthyInForce(context);
  await sleepUntil(endsAt, context);
}

/** Evicts until nothing is left to leave; refused pods are asked for again whenever a pod of the node changes, or after a while. */
async function drain(node: string, context: FaultContext, timeoutMs: number): Promise<void> {
  const { client, clock, signal, note } = context;
  const fieldSelector = `spec.nodeName=${node}`;
  const evicted = new Set<string>();
  let waiting: readonly string[] = [];
  let spared: readonly string[] = [];
  const done = await askUntil({
    clock,
    signal,
    timeoutMs,
    bell: { client, resource: PODS, fieldSelector },
    ask: async () => {
      const pods = await podsOn(fieldSelector, context);
      const plan = decideDrain(pods);
      spared = plan.spared;
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
  const left = spared.length === 0 ? '' : `; not evicted: ${spared.join(', ')}`;
  note('Drained', `node/${node}`, `${evicted.size} pods have left node ${node}${left}`);
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
