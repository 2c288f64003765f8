import type { Node, PodSpec, Toleration } from '@turnsole/kube/kinds/core';
import { hasLabels } from '@turnsole/kube/text/label-selector';
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Taint } from './types.ts';

/** Whether one toleration is about this taint. An empty key with Exists is about every taint, no effect about all. */
export function isTolerationFor(toleration: Toleration, taint: Taint): boolean {
  if ((toleration.effect ?? '') !== '' && toleration.effect !== taint.effect) return false;
  if ((toleration.key ?? '') !== '' && toleration.key !== taint.key) return false;
  if (toleration.operator === 'Exists') return true;
  return (toleration.key ?? '') !== '' && (toleration.value ?? '') === (taint.value ?? '');
}

/** The first taint with one of these effects that no toleration is about. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): Taint | undefined {
  return (taints ?? []).find(
    (taint) =>
      effects.includes(taint.effect) &&
      !(tolerations ?? []).some((toleration) => isTolerationFor(toleration, taint)),
  );
}

/** Whether the node satisfies one term; a term that says nothing is satisfied by no node. */
export function matchesNodeTerm(term: NodeSelectorTerm, node: Node): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length + fields.length === 0) return false;
  return (
    expressions.every((requirement) =>
      matchesRequirement(requirement, node.metadata.labels?.[requirement.key]),
    ) &&
    fields.every((requirement) =>
      matchesRequirement(requirement, requirement.key === 'metadata.name' ? node.metadata.name : undefined),
    )
  );
}

function matchesRequirement(requirement: NodeSelectorRequirement, value: string | undefined): boolean {
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
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** Whether the node satisfies any term of a node selector. */
function matchesNodeSelector(selector: NodeSelector, node: Node): boolean {
  return selector.nodeSelectorTerms.some((term) => matchesNodeTerm(term, node));
}

/** Whether the pod's nodeSelector and required node affinity allow the node. */
export function allowsNode(spec: PodSpec | undefined, node: Node): boolean {
  if (!hasLabels(spec?.nodeSelector ?? {}, node.metadata.labels)) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesNodeSelector(required, node);
}
