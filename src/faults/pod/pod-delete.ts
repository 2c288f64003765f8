import { isConflict, isNotFound, unless } from '@turnsole/kube/client/errors';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { TargetSelectionError } from '../../experiment/injection/errors.ts';
import type { ApiPulse, FaultContext, Injection, PlanInput } from '../../experiment/injection/fault.ts';
import { chaosDuration, chaosInterval } from '../../experiment/injection/settings/common-tunables.ts';
import { flag } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema } from '../../experiment/injection/tunables.ts';
import { awaitRecovery, type Workload } from '../../experiment/targets/health/await-recovery.ts';

const tunables = {
  TOTAL_CHAOS_DURATION: chaosDuration(30, 'How long pods are deleted.'),
  CHAOS_INTERVAL: chaosInterval(10, 'Time from one deletion to the next; a range with RANDOMNESS.'),
  FORCE: flag(false, 'Delete with grace period 0: the processes get no chance to end in order.'),
} as const satisfies TunableSchema;

/**
 * Deletes pods through the API, round after round, and waits until their workloads have recovered.
 *
 * What is touched: the chosen pods, each only as the incarnation (uid) that was chosen. How it is undone: by the workload that
 * recreates them; there is nothing to revert. What remains if this process dies: nothing.
 *
 * Two decisions beyond upstream. A bare pod, which nothing would recreate, is refused before anything is hit, where upstream
 * deletes it and then fails. And a workload counts as recovered when it has as many ready pods as it wants, where upstream
 * looks only at the pods that happen to exist.
 */
export const podDelete: ApiPulse<typeof tunables> = {
  name: 'pod-delete',
  summary: 'Deletes pods of an application, repeatedly, and checks that they come back.',
  tunables,
  targets: 'pods',
  shape: 'pulse',
  where: 'api',
  permissions: [
    { apiGroups: [''], resources: ['pods'], verbs: ['list', 'delete'] },
    { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
    { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets'], verbs: ['get'] },
  ],
  historyTarget: ({ target }) => target.owner ?? target,
  plan,
  inject,
  revert: () => Promise.resolve(),
  settle,
};

export default podDelete;

function plan({ tunables: { FORCE }, targets }: PlanInput<typeof tunables>): readonly Injection[] {
  const bare = targets.filter(({ owner }) => owner === undefined);
  if (bare.length > 0) {
    const names = bare.map(({ namespace, name }) => `${namespace}/${name}`).join(', ');
    throw new TargetSelectionError(
      `cannot delete ${names}: no workload owns it and nothing would recreate it; ` +
        'target pods of a Deployment, StatefulSet or DaemonSet',
    );
  }
  return targets.map((target) => ({
    id: `${target.namespace}.${target.name}`,
    target,
    parameters: { force: FORCE },
  }));
}

async function inject({ target, parameters }: Injection, { client, signal }: FaultContext): Promise<void> {
  const { namespace, name, uid } = target;
  const deleted = client.delete<Pod>(PODS, name, {
    namespace,
    preconditions: { uid },
    repeatable: true,
    ...(parameters.force === true ? { gracePeriodSeconds: 0 } : {}),
    signal,
  });
  // Gone, or replaced by another incarnation: what was chosen does not exist any more, which is what was wanted.
  await unless((error) => isNotFound(error) || isConflict(error), deleted);
}

async function settle(injections: readonly Injection[], context: FaultContext): Promise<void> {
  const workloads = new Map<string, Workload>();
  for (const { target } of injections) {
    const { owner, namespace = '' } = target;
    if (owner !== undefined) workloads.set(`${namespace}/${owner.kind}/${owner.name}`, { namespace, owner });
  }
  await Promise.all([...workloads.values()].map((workload) => awaitRecovery(workload, context)));
}
