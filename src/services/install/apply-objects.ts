import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import { applyDefinitions } from './apply-definitions.ts';
import { type ApplyObjectsContext, applyInstallObject } from './apply-object.ts';
import type { InstallObject } from './install-object.ts';

/**
 * Stores the definitions first, then the other objects in the given order, as {@link applyInstallObject} does. Idempotent.
 *
 * @throws CommandError (could not run) naming the object that the cluster does not know or refuses
 */
export async function applyObjects(
  objects: readonly InstallObject[],
  context: ApplyObjectsContext,
): Promise<void> {
  const isDefinition = ({ kind }: InstallObject): boolean => kind === CUSTOM_RESOURCE_DEFINITIONS.kind;
  await applyDefinitions(objects.filter(isDefinition), context);
  for (const object of objects.filter((one) => !isDefinition(one))) {
    const { outcome, remarks } = await applyInstallObject(object, context);
    context.onApplied(object, outcome, remarks);
  }
}
