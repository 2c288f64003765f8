import type { KubeObject, LabelSelector } from '../kinds/core.ts';
import { controllerOf } from '../runtime/index.ts';
import { matchesSelector } from '../text/label-selector.ts';

/** The changes of one owner's dependents. */
interface Claims<T extends KubeObject> {
  /** Managed by the owner and matching its selector. */
  readonly owned: T[];
  /** Matching and without a manager: the owner takes them. */
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
