import { KindResolver } from '../../kube/apply/kind-resolver.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { applyObjects } from '../../services/install/apply-objects.ts';
import type { InstallObject } from '../../services/install/install-object.ts';

/** Applies the objects of an agent. @returns what became of them: `31 created, 2 unchanged` */
export async function applyAgent(
  client: KubeClient,
  objects: readonly InstallObject[],
  signal: AbortSignal,
): Promise<string> {
  const counts = new Map<string, number>();
  await applyObjects(objects, {
    ...{ client, signal, kinds: new KindResolver(client) },
    onApplied: (_object, outcome) => void counts.set(outcome, (counts.get(outcome) ?? 0) + 1),
  });
  return [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
}
