import { isConflict, isNotFound } from '../client/errors.ts';
import { type KubeObject, type LabelSelector, objectKey } from '../kinds/core.ts';
import type { Resource } from '../kinds/resources.ts';
import { ownerReference } from '../runtime/index.ts';
import type { ControllerContext } from './context.ts';
import { decideClaims } from './decide-claims.ts';
import { BY_CONTROLLER, orphansOf } from './informers.ts';
import { placeOf } from './writer.ts';

/** The owner that claims, and what. */
interface ClaimRequest<T extends KubeObject> {
  readonly owner: KubeObject;
  readonly ownerResource: Resource;
  readonly selector: LabelSelector | undefined;
  /** Kind of the dependents. */
  readonly resource: Resource;
  /** Further condition besides the selector. */
  readonly eligible?: (candidate: T) => boolean;
  /** Selects the dependents to check: others are neither adopted nor released. @default all */
  readonly relevant?: (candidate: T) => boolean;
}

/**
 * The dependents an owner has now, after it took what matches its selector and has no manager, and let go what does not
 * match any more.
 */
export async function claim<T extends KubeObject>(
  context: ControllerContext,
  request: ClaimRequest<T>,
  signal: AbortSignal,
): Promise<T[]> {
  const { owner, ownerResource, selector, resource, eligible, relevant = () => true } = request;
  const view = context.informers.view<T>(resource);
  const candidates = [
    ...view.byIndex(BY_CONTROLLER, owner.metadata.uid ?? ''),
    ...view.byIndex(BY_CONTROLLER, orphansOf(owner.metadata.namespace)),
  ].filter(relevant);
  const claims = decideClaims(owner, selector, candidates, eligible);
  const owned = [...claims.owned];
  for (const dependent of claims.release) {
    const references = (dependent.metadata.ownerReferences ?? []).filter(
      ({ uid }) => uid !== owner.metadata.uid,
    );
    await writeReferences(context, resource, dependent, references, signal);
  }
  if (claims.adopt.length > 0 && (await mayAdopt(context, owner, ownerResource, signal))) {
    for (const dependent of claims.adopt) {
      const references = [
        ...(dependent.metadata.ownerReferences ?? []),
        ownerReference(ownerResource, owner),
      ];
      const adopted = await writeReferences(context, resource, dependent, references, signal);
      if (adopted !== undefined) owned.push(adopted);
    }
  }
  return owned;
}

/** Whether the owner still is what the cache says; adopting for a deleted namesake would doom the adopted object. */
async function mayAdopt(
  { client }: ControllerContext,
  owner: KubeObject,
  resource: Resource,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await client.find<KubeObject>(resource, owner.metadata.name, { ...placeOf(owner), signal });
  return found?.metadata.uid === owner.metadata.uid && found?.metadata.deletionTimestamp === undefined;
}

async function writeReferences<T extends KubeObject>(
  { writer, logger }: ControllerContext,
  resource: Resource,
  dependent: T,
  ownerReferences: NonNullable<KubeObject['metadata']['ownerReferences']>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const { uid, resourceVersion } = dependent.metadata;
  try {
    const metadata = { uid, resourceVersion, ownerReferences };
    return await writer.patch<T>(resource, dependent, 'merge', { metadata }, signal);
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
    // It changed or went meanwhile; its watch event brings the owner back here.
    logger.debug({ dependent: objectKey(dependent), err: error }, 'claim lost a race');
    return undefined;
  }
}
