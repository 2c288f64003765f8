import type { Indexes } from '@turnsole/kube/controllers/informers';
import { PODS, type Resource } from '@turnsole/kube/kinds/resources';

/** Index of pods by the node they are bound to. */
export const BY_NODE = 'node';

/** Index of pods by namespace and label, see {@link labelled}. */
export const BY_LABEL = 'label';

/** Value of the index {@link BY_LABEL} for the pods of a namespace that have a label. */
export function labelled(namespace: string | undefined, key: string, value: string): string {
  return `${namespace ?? ''}/${key}=${value}`;
}

/** Whether pods are found under a label by {@link BY_LABEL}. */
export function isIndexed(key: string): boolean {
  return !HASH_LABELS.has(key);
}

/** Labels that are never all of a selector: not worth an entry per pod. */
const HASH_LABELS: ReadonlySet<string> = new Set(['pod-template-hash', 'controller-revision-hash']);

/** Indexes of pods: by node, and by labels, by which services find theirs. */
const POD_INDEXES: Indexes = {
  // Only ever used on pods, whose specification may name a node.
  [BY_LABEL]: ({ metadata }) =>
    Object.entries(metadata.labels ?? {})
      .filter(([key]) => isIndexed(key))
      .map(([key, value]) => labelled(metadata.namespace, key, value)),
  [BY_NODE]: (object) => [(object as { spec?: { nodeName?: string } }).spec?.nodeName ?? ''],
};

/** The indexes of the embedded cluster's informers. */
export const CLUSTER_INDEXES: ReadonlyMap<Resource, Indexes> = new Map([[PODS, POD_INDEXES]]);
