import type { Deployment, PodTemplateSpec, ReplicaSet } from '@turnsole/kube/kinds/core';
import { equivalentJson } from '@turnsole/kube/text/json';
import { parseTime } from '@turnsole/kube/text/time';

/** Label that distinguishes the replica sets of a deployment, and their pods. */
export const POD_TEMPLATE_HASH = 'pod-template-hash';
/** Annotation with the number of a template among all a deployment has had. */
export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';

/** Annotations of a deployment that its replica sets do not inherit. */
const OWN_ANNOTATIONS = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);

type Annotations = Readonly<Record<string, string>>;

/** The number of a revision annotation; 0 without one. */
export function revisionOf(object: ReplicaSet | Deployment): number {
  const text = object.metadata.annotations?.[REVISION];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : 0;
}

function withoutHash(template: PodTemplateSpec | undefined): unknown {
  const { [POD_TEMPLATE_HASH]: _, ...labels } = template?.metadata?.labels ?? {};
  const { creationTimestamp: __, labels: ___, ...metadata } = template?.metadata ?? {};
  return { spec: template?.spec, metadata: { ...metadata, labels: Object.entries(labels).sort() } };
}

/** Whether a replica set was made from this template: equal but for the hash label. */
export function equalTemplates(
  left: PodTemplateSpec | undefined,
  right: PodTemplateSpec | undefined,
): boolean {
  return equivalentJson(withoutHash(left), withoutHash(right));
}

/** Oldest first; the name settles what was created in the same second. */
export function byCreation(left: ReplicaSet, right: ReplicaSet): number {
  const difference =
    (parseTime(left.metadata.creationTimestamp) ?? 0) - (parseTime(right.metadata.creationTimestamp) ?? 0);
  return difference !== 0 ? difference : left.metadata.name < right.metadata.name ? -1 : 1;
}

/** The replica set of the present template (the oldest, should there be several), and all others, oldest first. */
export function splitReplicaSets(
  deployment: Deployment,
  replicaSets: readonly ReplicaSet[],
): { readonly current: ReplicaSet | undefined; readonly old: readonly ReplicaSet[] } {
  const sorted = [...replicaSets].sort(byCreation);
  const current = sorted.find((set) => equalTemplates(set.spec?.template, deployment.spec?.template));
  return { current, old: sorted.filter((set) => set !== current) };
}

/** Size annotations of a replica set: what the deployment wanted when it was last scaled. */
export function sizeAnnotations(replicas: number, maxReplicas: number): Annotations {
  return { [DESIRED_REPLICAS]: String(replicas), [MAX_REPLICAS]: String(maxReplicas) };
}

/** The deployment's replicas when this set was last scaled; `undefined` when not known. */
export function annotatedReplicas(set: ReplicaSet): number | undefined {
  return numberIn(set, DESIRED_REPLICAS);
}

/** The deployment's replicas plus surge when this set was last scaled; `undefined` when not known. */
export function annotatedMaxReplicas(set: ReplicaSet): number | undefined {
  return numberIn(set, MAX_REPLICAS);
}

function numberIn(set: ReplicaSet, annotation: string): number | undefined {
  const text = set.metadata.annotations?.[annotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/**
 * Annotations of the replica set of the present template: the deployment's own ones, the revision, and, when a former
 * revision is current again (a rollback), the revisions it had before.
 */
export function currentSetAnnotations(
  deployment: Deployment,
  present: Annotations | undefined,
  newRevision: number,
): Annotations {
  const annotations: Record<string, string> = { ...present };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!OWN_ANNOTATIONS.has(key)) annotations[key] = value;
  }
  const former = annotations[REVISION];
  if (former === undefined || Number(former) < newRevision) {
    annotations[REVISION] = String(newRevision);
    if (former !== undefined) {
      const history = annotations[REVISION_HISTORY];
      const entries = history === undefined || history === '' ? [] : history.split(',');
      if (!entries.includes(former)) entries.push(former);
      annotations[REVISION_HISTORY] = entries.join(',');
    }
  }
  return annotations;
}
