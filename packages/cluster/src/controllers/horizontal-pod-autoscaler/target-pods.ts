import type { FreshView } from '@turnsole/kube/controllers/fresh-view';
import { BY_NAMESPACE } from '@turnsole/kube/controllers/informers';
import type { Pod } from '@turnsole/kube/kinds/core';
import { LabelSelectorError, matchesLabels, parseLabelSelector } from '@turnsole/kube/text/label-selector';
import type { AutoscalingInput } from './decide-autoscaling.ts';

/** An autoscaler by its key, and the selector of its target's pods. */
interface Selecting {
  readonly key: string;
  readonly selector: string;
}

/** The target's pods; or why they cannot be determined. */
type TargetPods = Pick<AutoscalingInput, 'pods' | 'selectorProblem'>;

/** Finds the pods of an autoscaler's target, unless another autoscaler of the namespace scales some of them. */
export function targetPods(
  pods: Pick<FreshView<Pod>, 'byIndex'>,
  namespace: string,
  { key, selector }: Selecting,
  others: readonly Selecting[],
): TargetPods {
  if (selector === '') {
    return invalid("the HPA target's scale is missing a selector: selector is required");
  }
  const select = (text: string): Pod[] => {
    const parsed = parseLabelSelector(text);
    return pods
      .byIndex(BY_NAMESPACE, namespace)
      .filter(({ metadata }) => matchesLabels(parsed, metadata.labels));
  };
  try {
    const own = select(selector);
    const names = new Set(own.map(({ metadata }) => metadata.name));
    const rivals = others.filter(
      (other) =>
        other.key !== key &&
        other.selector !== '' &&
        other.key.startsWith(`${namespace}/`) &&
        select(other.selector).some(({ metadata }) => names.has(metadata.name)),
    );
    if (rivals.length === 0) return { pods: own };
    const all = [key, ...rivals.map((rival) => rival.key)].toSorted().join(' ');
    const message = `pods by selector: ${selector} are controlled by multiple HPAs: [${all}]`;
    return { pods: own, selectorProblem: { reason: 'AmbiguousSelector', message } };
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    return invalid(
      `couldn't convert selector into a corresponding internal selector object: ${error.message}`,
    );
  }
}

function invalid(message: string): TargetPods {
  return { pods: [], selectorProblem: { reason: 'InvalidSelector', message } };
}
