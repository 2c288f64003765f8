import { setConditionAt } from '@turnsole/kube/kinds/conditions';
import type { Namespace } from '@turnsole/kube/kinds/core';
import type { NamespaceCondition } from '../shared/types.ts';

/** The finalizer in `spec.finalizers` that this controller takes when the namespace is empty. */
const KUBERNETES_FINALIZER = 'kubernetes';

/** The remaining objects of one resource in a namespace. */
export interface Remaining {
  /** `plural.group`; the group is empty for the core one, and the dot stays, as in Kubernetes' messages. */
  readonly resource: string;
  readonly count: number;
  /** How many of them each finalizer holds. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** What one pass of a terminating namespace found. */
interface NamespaceFindings {
  readonly remaining: readonly Remaining[];
  /** Why deleting failed. */
  readonly deletionError: string | undefined;
}

/** Conditions of a terminating namespace, as `kubectl describe namespace` shows them. */
export function namespaceConditions(
  namespace: Namespace,
  findings: NamespaceFindings,
  nowMs: number,
): NamespaceCondition[] {
  const { remaining, deletionError } = findings;
  const verdicts: readonly NamespaceCondition[] = [
    no('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    no(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    deletionError === undefined
      ? no(
          'NamespaceDeletionContentFailure',
          'ContentDeleted',
          'All content successfully deleted, may be waiting on finalization',
        )
      : yes(
          'NamespaceDeletionContentFailure',
          'ContentDeletionFailed',
          `Failed to delete all resource types, 1 remaining: ${deletionError}`,
        ),
    remaining.length === 0
      ? no('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed')
      : yes('NamespaceContentRemaining', 'SomeResourcesRemain', describeRemaining(remaining)),
    describeFinalizers(remaining),
  ];
  let conditions = namespace.status?.conditions ?? [];
  for (const verdict of verdicts) conditions = setConditionAt<NamespaceCondition>(conditions, verdict, nowMs);
  return [...conditions];
}

function yes(type: string, reason: string, message: string): NamespaceCondition {
  return { type, status: 'True', reason, message };
}

function no(type: string, reason: string, message: string): NamespaceCondition {
  return { type, status: 'False', reason, message };
}

function describeRemaining(remaining: readonly Remaining[]): string {
  const parts = remaining.map(({ resource, count }) => `${resource} has ${count} resource instances`);
  return `Some resources are remaining: ${parts.sort().join(', ')}`;
}

function describeFinalizers(remaining: readonly Remaining[]): NamespaceCondition {
  const counts = new Map<string, number>();
  for (const { finalizers } of remaining) {
    for (const [finalizer, count] of finalizers) counts.set(finalizer, (counts.get(finalizer) ?? 0) + count);
  }
  if (counts.size === 0) {
    return no(
      'NamespaceFinalizersRemaining',
      'ContentHasNoFinalizers',
      'All content-preserving finalizers finished',
    );
  }
  const parts = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  return yes(
    'NamespaceFinalizersRemaining',
    'SomeFinalizersRemain',
    `Some content in the namespace has finalizers remaining: ${parts.sort().join(', ')}`,
  );
}

/** Whether this controller has the last word on the namespace. */
export function isTerminating(namespace: Namespace): boolean {
  return (
    namespace.metadata.deletionTimestamp !== undefined &&
    namespace.spec?.finalizers?.includes(KUBERNETES_FINALIZER) === true
  );
}

/** The namespace without this controller's finalizer. */
export function finalized(namespace: Namespace): Namespace {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((one) => one !== KUBERNETES_FINALIZER);
  return { ...namespace, spec: { ...namespace.spec, finalizers } };
}
