import { type KubeObject, type LabelSelector, objectKey } from '../kinds/core.ts';
import type { Resource } from '../kinds/resources.ts';
import { controllerOf, fromMapped, type Source } from '../runtime/index.ts';
import { refersTo } from '../runtime/owner-references.ts';
import { matchesSelector } from '../text/label-selector.ts';
import type { FreshView } from './fresh-view.ts';
import { BY_NAMESPACE } from './informers.ts';

/** An owner whose dependents are found by a selector. */
type Selecting = KubeObject & { readonly spec?: { readonly selector?: LabelSelector } };

/**
 * Makes owners ready when a dependent changes: the managing owner, or, for one without a manager, every owner that might
 * adopt it.
 */
export function fromDependents<T extends KubeObject, O extends Selecting>(
  dependents: FreshView<T>,
  owners: FreshView<O>,
  ownerResource: Resource,
): Source {
  return fromMapped(dependents.informer, (dependent) => {
    const reference = controllerOf(dependent);
    const { namespace = '' } = dependent.metadata;
    if (reference !== undefined) {
      return refersTo(reference, ownerResource) ? [`${namespace}/${reference.name}`] : [];
    }
    const { labels } = dependent.metadata;
    if (labels === undefined) return [];
    return owners
      .byIndex(BY_NAMESPACE, namespace)
      .filter((owner) => matchesSelector(owner.spec?.selector, labels))
      .map(objectKey);
  });
}

/** Makes a controller wait for a resource it reads but is not called by. */
export function readOnly(view: {
  readonly informer: { whenSynced(signal: AbortSignal): Promise<void> };
}): Source {
  return { subscribe: () => () => {}, whenSynced: (signal) => view.informer.whenSynced(signal) };
}
