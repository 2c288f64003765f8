import type { KubeObject, LabelSelector, OwnerReference } from '../../../api/core.ts';
import type { Resource } from '../../../api/resources.ts';
import { controllerOf } from '../../../kube/runtime/index.ts';
import { matchesSelector } from './selector.ts';

/** Group part of an apiVersion text. */
export function groupOf(apiVersion: string | undefined): string {
  if (apiVersion === undefined) return '';
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Whether the reference is to an object of this kind and group, whatever its version. */
export function refersTo(reference: OwnerReference | undefined, resource: Resource): boolean {
  return reference?.kind === resource.kind && groupOf(reference.apiVersion) === resource.group;
}

/** What is to be done about the dependents of one owner. */
export interface Claims<T extends KubeObject> {
  /** Managed by the owner and matching its selector. */
  readonly owned: T[];
  /** Matching and managed by nobody: the owner takes them. */
  readonly adopt: T[];
  /** Managed by the owner but no longer matching: the owner lets them go. */
  readonly release: T[];
}

/**
 * Sorts objects into those the owner has, should take and should let go.
 *
 * Nothing is taken or released while the owner itself is going, and nothing that is going is touched. (Kubernetes'
 * ControllerRefManager.) Before adopting, the shell reads the owner again from the server: a cached owner may be one
 * that was deleted and created anew.
 */
export function decideClaims<T extends KubeObject>(
  owner: KubeObject,
  selector: LabelSelector | undefined,
  candidates: Iterable<T>,
  eligible: (candidate: T) => boolean = () => true,
): Claims<T> {
  const claims: Claims<T> = { owned: [], adopt: [], release: [] };
  const ownerIsGoing = owner.metadata.deletionTimestamp !== undefined;
  for (const candidate of candidates) {
    const reference = controllerOf(candidate);
    const matches = matchesSelector(selector, candidate.metadata.labels) && eligible(candidate);
    const isGoing = candidate.metadata.deletionTimestamp !== undefined;
    if (reference !== undefined) {
      if (reference.uid !== owner.metadata.uid) continue;
      if (matches) claims.owned.push(candidate);
      else if (!ownerIsGoing && !isGoing) claims.release.push(candidate);
    } else if (matches && !ownerIsGoing && !isGoing) {
      claims.adopt.push(candidate);
    }
  }
  return claims;
}
