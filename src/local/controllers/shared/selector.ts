import type { LabelSelector } from '../../../api/core.ts';

type Labels = Readonly<Record<string, string>>;

/** Whether labels carry every pair of a plain map selector (services, replication controllers, nodeSelector). */
export function matchesLabels(selector: Labels, labels: Labels | undefined): boolean {
  for (const [key, value] of Object.entries(selector)) if (labels?.[key] !== value) return false;
  return true;
}

/**
 * Whether labels satisfy a label selector. An absent selector selects nothing, an empty one everything (API
 * conventions). An unknown operator selects nothing: refusing is safer than adopting foreign pods.
 */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  if (selector === undefined) return false;
  if (!matchesLabels(selector.matchLabels ?? {}, labels)) return false;
  return (selector.matchExpressions ?? []).every((requirement) => {
    const value = labels?.[requirement.key];
    const values = requirement.values ?? [];
    switch (requirement.operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      default:
        return false;
    }
  });
}

/** Whether a selector says nothing, i.e. would select everything. */
export function isEmptySelector(selector: LabelSelector | undefined): boolean {
  return (
    Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0
  );
}
