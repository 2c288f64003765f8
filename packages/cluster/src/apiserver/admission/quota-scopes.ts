import { type ApiObject, asJson, asList, asObjects, asString, type Json, valueAt } from '../object.ts';
import { podAmounts } from './resources.ts';

/**
 * Whether an object is one of those that a quota is about: all of them, or, where the quota has scopes, the pods that are
 * in each of them. Source: kubernetes.io, Resource Quotas, Quota scopes.
 */
export function isInScope(quota: ApiObject, table: string, object: ApiObject): boolean {
  const scopes = [
    ...asList(asJson(quota.spec).scopes).map((name): Json => ({ scopeName: name, operator: 'Exists' })),
    ...asObjects(valueAt(quota.spec, 'scopeSelector', 'matchExpressions')),
  ];
  return scopes.length === 0 || (table === 'pods' && scopes.every((scope) => isPodInScope(scope, object)));
}

function isPodInScope(scope: Json, pod: ApiObject): boolean {
  switch (scope.scopeName) {
    case 'Terminating':
      return asJson(pod.spec).activeDeadlineSeconds !== undefined;
    case 'NotTerminating':
      return asJson(pod.spec).activeDeadlineSeconds === undefined;
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return matches(scope, asString(asJson(pod.spec).priorityClassName));
    case 'CrossNamespacePodAffinity':
      return ['podAffinity', 'podAntiAffinity'].some((kind) =>
        reachesOut(valueAt(pod.spec, 'affinity', kind)),
      );
    default:
      return false;
  }
}

/** No container requests or limits CPU or memory. */
function isBestEffort(pod: ApiObject): boolean {
  return (['requests', 'limits'] as const).every((kind) => {
    const amounts = podAmounts(pod, kind);
    return ['cpu', 'memory'].every((name) => (amounts.get(name)?.nano ?? 0n) === 0n);
  });
}

function matches({ operator, values }: Json, name: string): boolean {
  switch (operator) {
    case 'In':
      return asList(values).includes(name);
    case 'NotIn':
      return !asList(values).includes(name);
    case 'DoesNotExist':
      return name === '';
    default:
      return name !== '';
  }
}

/** Whether any of its terms names other namespaces. */
function reachesOut(affinity: unknown): boolean {
  const required = asObjects(valueAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution'));
  const preferred = asObjects(valueAt(affinity, 'preferredDuringSchedulingIgnoredDuringExecution'));
  const terms = [...required, ...preferred.map((term) => asJson(term.podAffinityTerm))];
  return terms.some((term) => asList(term.namespaces).length > 0 || term.namespaceSelector !== undefined);
}
