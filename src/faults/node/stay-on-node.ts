import { isForbidden, isNotFound } from '@turnsole/kube/client/index';
import { objectKey, type Pod, type Toleration } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { retryOnConflict } from '@turnsole/kube/runtime/index';
import { describeError, InjectError } from '../../experiment/injection/errors.ts';
import type { FaultContext } from '../../experiment/injection/fault.ts';
import { chaosRoleOf } from '../../experiment/targets/of-chaos.ts';
import type { Taint } from './claims.ts';

/**
 * Lets chaos' own pods on a node tolerate taints that are about to drive pods away: the experiment has to be there to take them
 * back. Tolerations may be added to pods that run. Idempotent.
 *
 * @throws InjectError when such a pod may not be changed: it would be evicted in the middle of its work
 */
export async function keepChaosPods(
  node: string,
  taints: readonly Taint[],
  context: FaultContext,
): Promise<void> {
  const evicting = taints.filter(({ effect }) => effect === 'NoExecute');
  if (evicting.length === 0) return;
  const { client, signal, note } = context;
  for (const pod of await chaosPodsOn(node, context)) {
    const { name, namespace = '' } = pod.metadata;
    try {
      const isChanged = await retryOnConflict(
        async (attempt) => {
          const current = attempt === 1 ? pod : await client.get<Pod>(PODS, name, { namespace, signal });
          const tolerations = withTolerations(current.spec?.tolerations ?? [], evicting);
          if (tolerations === undefined) return false;
          const { resourceVersion } = current.metadata;
          const patch = { metadata: { resourceVersion }, spec: { tolerations } };
          await client.patch(PODS, name, 'merge', patch, { namespace, signal, repeatable: true });
          return true;
        },
        { signal, clock: context.clock, random: context.random },
      );
      if (isChanged) note('TolerationAdded', `pod/${namespace}/${name}`, `${chaosRoleOf(pod)}, and stays`);
    } catch (cause) {
      if (isNotFound(cause)) continue;
      throw new InjectError(
        `cannot taint node ${node}: pod ${objectKey(pod)} would be evicted, and ${chaosRoleOf(pod)}; grant patch on ` +
          `pods, or keep it from this node by components.nodeSelector (${describeError(cause)})`,
        { cause },
      );
    }
  }
}

/** Chaos pods of all namespaces, or of the engine's where only those may be seen. */
async function chaosPodsOn(node: string, context: FaultContext): Promise<readonly Pod[]> {
  const { client, signal, tunables } = context;
  const fieldSelector = `spec.nodeName=${node}`;
  const list = async (namespace?: string): Promise<readonly Pod[]> => {
    const where = namespace === undefined ? {} : { namespace };
    const { items } = await client.list<Pod>(PODS, { fieldSelector, signal, ...where });
    return items.filter((pod) => chaosRoleOf(pod) !== undefined);
  };
  try {
    return await list();
  } catch (error) {
    if (!isForbidden(error) || tunables === undefined) throw error;
    return list(tunables.CHAOS_NAMESPACE);
  }
}

/** The tolerations completed for these taints; undefined when none is missing. Pure. */
export function withTolerations(
  present: readonly Toleration[],
  taints: readonly Taint[],
): readonly Toleration[] | undefined {
  const missing = taints.filter((taint) => !present.some((toleration) => tolerates(toleration, taint)));
  if (missing.length === 0) return undefined;
  return [...present, ...missing.map(({ key, effect }) => ({ key, operator: 'Exists', effect }))];
}

/** For good: one with tolerationSeconds only delays. */
function tolerates(
  { key = '', operator = 'Equal', value = '', effect = '', tolerationSeconds }: Toleration,
  taint: Taint,
): boolean {
  if (tolerationSeconds !== undefined || (effect !== '' && effect !== taint.effect)) return false;
  if (operator === 'Exists') return key === '' || key === taint.key;
  return key === taint.key && value === taint.value;
}
