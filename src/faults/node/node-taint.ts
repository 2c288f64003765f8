import { isForbidden, unless } from '@turnsole/kube/client/errors';
import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { NODES, PODS } from '@turnsole/kube/kinds/resources';
import type { InjectionEffect, InjectionTarget } from '../../api/index.ts';
import { podHasEnded } from '../../chaos/pod-end.ts';
import { InjectError } from '../../experiment/injection/errors.ts';
import type {
  Fault,
  FaultContext,
  Injection,
  Observed,
  PlanInput,
} from '../../experiment/injection/fault.ts';
import { chaosDuration } from '../../experiment/injection/settings/common-tunables.ts';
import { list } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { chaosRoleOf } from '../../experiment/targets/of-chaos.ts';
import { claimNode, releaseNode } from './claim-node.ts';
import { conflictingTaints, formatTaint, isSameTaint, type Taint } from './claims.ts';
import { awaitHealthyInForce, sleepUntil } from './health-in-force.ts';
import { parseTaints, TAINT_FORM } from './parse-taints.ts';
import { keepChaosPods } from './stay-on-node.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(60, 'How long the node is tainted.'),
  TAINTS: list(
    { required: true, form: TAINT_FORM },
    'Taints to set, separated by commas. Without =value the value is node-taint, without :effect the effect is NoExecute.',
  ),
} as const satisfies TunableSchema;

/**
 * Sets taints on a node: new pods keep away from it, and with NoExecute those that are there leave.
 *
 * What is touched: `spec.taints` of the node, and an annotation that says who has set them; with NoExecute chaos' own pods there get
 * a toleration. How it is undone: the taints are removed; one that was there before stays, and so do all others. What remains if the
 * experiment dies: the taints, until recovery.
 */
export const nodeTaint: Fault<typeof tunables> = {
  name: 'node-taint',
  summary: 'Sets taints on a node.',
  tunables,
  validate: ({ TAINTS }) => parseTaints(TAINTS).problems,
  targets: 'node',
  shape: 'sustained',
  where: 'api',
  injectMessage: 'Injecting node-taint chaos on target node',
  taints: ({ TAINTS }) => parseTaints(TAINTS).taints,
  permissions: [
    { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'patch'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'patch'] },
  ],
  observe,
  plan,
  inject,
  idleReason: ({ TAINTS }) => idleTaints(parseTaints(TAINTS).taints),
  doubts: ({ TAINTS }) => untraceable(parseTaints(TAINTS).taints),
  effect,
  revert: (injection, context) => {
    ranBefore.delete(injection.id);
    return releaseNode(injection, context);
  },
  hold: async (_injections, context, durationMs) => {
    const endsAt = context.clock.monotonic() + durationMs;
    await awaitHealthyInForce(context);
    await sleepUntil(endsAt, context);
  },
};

export default nodeTaint;

async function observe({ name }: InjectionTarget, { client, signal }: FaultContext): Promise<Observed> {
  const { metadata, spec } = await client.get<Node>(NODES, name, { signal });
  return { uid: metadata.uid, taints: spec?.taints ?? [] };
}

function plan({ tunables: { TAINTS }, targets }: PlanInput<typeof tunables>): readonly Injection[] {
  const { taints } = parseTaints(TAINTS);
  return targets.map(({ observed = {}, ...target }) => {
    // Read by `observe`, which gives the node's taints.
    const present = (observed.taints ?? []) as readonly Taint[];
    refuseConflicts(target.name, present, taints);
    const isThere = taints.every((taint) => present.some((own) => isSameTaint(own, taint)));
    return {
      ...(isThere ? { idle: 'the node has these taints already; choose others' } : {}),
      id: target.name,
      target: typeof observed.uid === 'string' ? { ...target, uid: observed.uid } : target,
      parameters: { taints },
    };
  });
}

/** Why taints of a kind move no pod, and forbid none; undefined where one does. Pure. */
function idleTaints(taints: readonly Taint[]): string | undefined {
  return taints.every(({ effect: kind }) => kind === 'PreferNoSchedule')
    ? 'TAINTS has PreferNoSchedule alone, which moves no pod that runs and forbids no new one'
    : undefined;
}

/** Why the effect of taints cannot be known. Pure. */
function untraceable(taints: readonly Taint[]): readonly string[] {
  if (taints.some(({ effect: kind }) => kind === 'NoExecute')) return [];
  return [
    'has an effect that is not known in the end: NoSchedule moves no pod that runs, and leaves no trace of new ones that it kept away',
  ];
}

function refuseConflicts(
  node: string,
  present: Parameters<typeof conflictingTaints>[0],
  taints: readonly Taint[],
) {
  const conflicting = conflictingTaints(present, taints);
  if (conflicting.length === 0) return;
  throw new InjectError(
    `cannot taint node ${node} with ${conflicting.map(formatTaint).join(', ')}: it has a taint of that key and effect with ` +
      'another value already; use another key',
    { target: `{nodeName: ${node}}` },
  );
}

/** Pods that ran on the nodes of this process' injections when taints were set that drive pods away. */
const ranBefore = new Map<string, readonly string[]>();

/** NoSchedule leaves no trace of the pods that it kept away. */
async function effect(
  { id, target }: Injection,
  context: FaultContext,
): Promise<InjectionEffect | undefined> {
  const before = ranBefore.get(id);
  const now = before && (await podsRunningOn(target.name, context));
  return before && now && leavingEffect(before, now);
}

async function inject(injection: Injection, context: FaultContext): Promise<void> {
  const { name } = injection.target;
  // The ledger keeps what `plan` of this file has made.
  const taints = injection.parameters.taints as readonly Taint[];
  await keepChaosPods(name, taints, context);
  if (taints.some(({ effect: kind }) => kind === 'NoExecute')) {
    const pods = await podsRunningOn(name, context);
    if (pods !== undefined && !ranBefore.has(injection.id)) ranBefore.set(injection.id, pods);
  }
  const granted = await claimNode(injection, { taints }, context, ({ spec }) =>
    refuseConflicts(name, spec?.taints ?? [], taints),
  );
  const others = taints.filter(
    (taint) => !granted.taints?.some((own) => formatTaint(own) === formatTaint(taint)),
  );
  if (others.length === 0) return;
  const list = others.map(formatTaint).join(', ');
  context.note('AlreadyTainted', `node/${name}`, `another client has set ${list} on node ${name}: it stays`);
}

/** The uids of the pods that run on a node, chaos' own left out; undefined where not all namespaces may be seen. */
async function podsRunningOn(
  node: string,
  { client, signal }: FaultContext,
): Promise<readonly string[] | undefined> {
  const fieldSelector = `spec.nodeName=${node}`;
  const pods = await unless(isForbidden, client.list<Pod>(PODS, { fieldSelector, signal }));
  return pods?.items.flatMap((pod) =>
    podHasEnded(pod) || pod.metadata.deletionTimestamp !== undefined || chaosRoleOf(pod) !== undefined
      ? []
      : [pod.metadata.uid ?? ''],
  );
}

/** What the pods of a node say of taints that drive pods away, by those that ran there before and now. Pure. */
export function leavingEffect(before: readonly string[], now: readonly string[]): InjectionEffect {
  const left = before.filter((uid) => !now.includes(uid)).length;
  if (left > 0) return { seen: true, message: `${left} of ${before.length} pods have left the node` };
  return {
    seen: false,
    message:
      before.length === 0
        ? 'there was no pod on the node that could have left; choose another node'
        : `none of the ${before.length} pods on the node has left: they tolerate the taints, or for longer than this lasted`,
  };
}
