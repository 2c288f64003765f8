import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { lastingContainers } from '@turnsole/kube/kinds/lasting-containers';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { InjectionTarget } from '../../api/index.ts';
import type { Fault } from '../injection/fault.ts';
import type { ExperimentSettings } from '../injection/settings/compile-settings.ts';
import type { PlanExperimentInput } from './experiment-plan.ts';
import type { PlannedHit } from './plan-targets.ts';
import type { PlanProblem } from './settings-problems.ts';

/** What keeps the machine of an embedded cluster's nodes from the fault. */
export async function planNode(
  { localNode, client, signal = new AbortController().signal }: PlanExperimentInput,
  fault: Fault,
  settings: ExperimentSettings | undefined,
  { targets, countToBe }: PlannedHit,
): Promise<readonly PlanProblem[]> {
  if (localNode === undefined) return [];
  const { nodeObstacles } = await import('./node-obstacles.ts');
  const targetsShareTools =
    // Targets to be may bring programs of their own.
    countToBe === 0 &&
    fault.needs?.targetTools !== undefined &&
    !(await anyHasOwnPath(client, targets, signal));
  const found = await nodeObstacles({
    fault,
    tunables: settings?.tunables,
    node: localNode,
    targetsShareTools,
    signal,
  });
  return found.map((message) => ({ code: 'NODE', message }));
}

/** Whether a target says itself where its programs are. */
async function anyHasOwnPath(
  client: KubeClient,
  targets: readonly InjectionTarget[],
  signal: AbortSignal,
): Promise<boolean> {
  const pods = await Promise.all(
    targets.map(({ name, namespace = '' }) => client.find<Pod>(PODS, name, { namespace, signal })),
  );
  return pods
    .flatMap((pod) => lastingContainers(pod?.spec))
    .some(
      ({ env, envFrom }) => (envFrom ?? []).length > 0 || (env ?? []).some(({ name }) => name === 'PATH'),
    );
}
