import type { DaemonSet, PodTemplateSpec, StatefulSet } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { ownerReference } from '@turnsole/kube/runtime/index';
import { equivalentJson } from '@turnsole/kube/text/json';
import { templateHash } from './hash.ts';
import type { ControllerRevision } from './types.ts';

/** Label of a pod with the revision it was made from. */
export const CONTROLLER_REVISION_HASH = 'controller-revision-hash';

/** The revision of the present template, and what has to be written for it. */
export interface RevisionDecision {
  readonly update: ControllerRevision;
  /** `create` when no revision has this template; `renumber` when a former one is current again. */
  readonly action: 'none' | 'create' | 'renumber';
}

/** The data of a revision: a patch that would bring the template back (Kubernetes keeps it in this form). */
function revisionData(template: PodTemplateSpec): unknown {
  return { spec: { template: { ...template, $patch: 'replace' } } };
}

/** The template a revision was made from; `undefined` if its data has another form. */
export function templateOfRevision(revision: ControllerRevision): PodTemplateSpec | undefined {
  const { data } = revision;
  if (typeof data !== 'object' || data === null || !('spec' in data)) return undefined;
  const { spec } = data;
  if (typeof spec !== 'object' || spec === null || !('template' in spec)) return undefined;
  // Written by revisionData above, or by Kubernetes in the same form; the API server validates the resulting object.
  const { $patch: _, ...template } = spec.template as PodTemplateSpec & { $patch?: string };
  return template;
}

/** Newest last. */
function byRevision(left: ControllerRevision, right: ControllerRevision): number {
  return left.revision - right.revision || (left.metadata.name < right.metadata.name ? -1 : 1);
}

/**
 * Finds or makes the revision of the owner's template among those the owner has.
 *
 * @param hashLabel label of the revision that carries the bare hash: stateful and daemon sets use different ones
 */
export function decideRevision(
  resource: Resource,
  owner: StatefulSet | DaemonSet,
  revisions: readonly ControllerRevision[],
  hashLabel: string,
): RevisionDecision {
  const template = owner.spec?.template ?? {};
  const sorted = [...revisions].sort(byRevision);
  const next = (sorted.at(-1)?.revision ?? 0) + 1;
  const data = revisionData(template);
  const equal = sorted.findLast((revision) => equivalentJson(revision.data, data));
  if (equal !== undefined) {
    return equal === sorted.at(-1)
      ? { update: equal, action: 'none' }
      : { update: { ...equal, revision: next }, action: 'renumber' };
  }
  const hash = templateHash(template, owner.status?.collisionCount);
  const { namespace, name, annotations } = owner.metadata;
  return {
    action: 'create',
    update: {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        labels: { ...template.metadata?.labels, [hashLabel]: hash },
        annotations,
        ownerReferences: [ownerReference(resource, owner)],
      },
      data,
      revision: next,
    },
  };
}

/** Revisions no longer in use, beyond the history limit, oldest first. */
export function surplusRevisions(
  revisions: readonly ControllerRevision[],
  inUse: ReadonlySet<string>,
  limit: number,
): ControllerRevision[] {
  const unused = revisions.filter(({ metadata }) => !inUse.has(metadata.name)).sort(byRevision);
  return unused.slice(0, Math.max(0, unused.length - limit));
}
