import { isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { objectKey } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { AppliedObject } from '../../services/manifests/apply.ts';

/**
 * Deletes what a run created, in reverse order; a missing object is fine, and one that cannot be deleted does not keep the others.
 *
 * @param onTrouble gets a sentence for each object that stays
 * @returns how many objects the run had created
 */
export async function deleteCreated(
  client: KubeClient,
  applied: readonly AppliedObject[],
  onTrouble: (sentence: string) => void,
): Promise<number> {
  const own = applied.filter(({ created }) => created).reverse();
  for (const { resource, object } of own) {
    const { name, namespace } = object.metadata;
    try {
      await client.delete(resource, name, { namespace, propagationPolicy: 'Background' });
    } catch (error) {
      if (isNotFound(error)) continue;
      const title = `${resource.kind} ${objectKey(object)}`;
      onTrouble(`cannot delete ${title}: ${messageOf(error)}; delete it by hand`);
    }
  }
  return own.length;
}
