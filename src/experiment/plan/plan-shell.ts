import type { Pod } from '@turnsole/kube/kinds/core';
import { lastingContainers } from '@turnsole/kube/kinds/lasting-containers';
import { PODS } from '@turnsole/kube/kinds/resources';
import { noShellText } from '../../chaos/no-shell.ts';
import type { Fault } from '../injection/fault.ts';
import type { ExperimentPlan, PlanExperimentInput } from './experiment-plan.ts';
import type { PlanProblem } from './settings-problems.ts';

/** Folders over which a volume may bring a shell that the image has not. */
const OF_SHELLS = /^\/(bin|usr)?(\/bin)?(\/sh)?\/?$/;

/** What speaks against a fault that runs commands in its targets: images that are known to have no shell. */
export async function planShell(
  { localNode, client, signal }: PlanExperimentInput,
  fault: Fault,
  targets: ExperimentPlan['targets'],
): Promise<readonly PlanProblem[]> {
  const { targetShell } = fault.needs ?? {};
  const hasShell = localNode?.hasShell;
  if (targetShell === undefined || hasShell === undefined) return [];
  const found = await Promise.all(
    targets.map(async ({ name, namespace = '', container }) => {
      const pod = await client.find<Pod>(PODS, name, { namespace, signal });
      const { image = '', volumeMounts = [] } =
        lastingContainers(pod?.spec).find((one) => one.name === container) ?? {};
      const isKnown = image !== '' && !volumeMounts.some(({ mountPath }) => OF_SHELLS.test(mountPath));
      const hasNone = isKnown && (await hasShell(image)) === false;
      const message = noShellText({ name, namespace, container }, targetShell.instead);
      return hasNone ? [[image, message] as const] : [];
    }),
  );
  // One for all pods of an image.
  const messages = [...new Map(found.flat()).values()];
  return messages.map((message) => ({ code: 'CHAOS_INJECT_ERROR', message }));
}
