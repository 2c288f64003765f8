import { isDeepStrictEqual } from 'node:util';
import { type KubeObject, NAMESPACES, type Resource } from '../../api/index.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { isRefusal, type KindResolver } from '../manifests/discovery.ts';
import type { InstallObject } from './install-object.ts';
import { LABEL_INSTALLATION } from './names.ts';

/** What objects are stored with. */
export interface ApplyObjectsContext {
  readonly client: KubeClient;
  readonly kinds: KindResolver;
  readonly signal: AbortSignal;
  /** Told of each object once it is stored. */
  readonly onApplied: (object: InstallObject, outcome: ApplyOutcome) => void;
}

/** What applying an object did; `kept`: a namespace of somebody else, which is used as it is. */
export type ApplyOutcome = 'created' | 'changed' | 'unchanged' | 'kept';

/** The fields' owner in server-side apply. */
const FIELD_MANAGER = 'turnsole-install';

/**
 * Stores one object by server-side apply. Idempotent: what is there already is brought to the same state, fields that others
 * have added stay.
 *
 * @throws CommandError (could not run) naming the object that the cluster does not know or refuses
 */
export async function applyObject(asked: InstallObject, context: ApplyObjectsContext): Promise<ApplyOutcome> {
  const { client, signal } = context;
  const { object, resource } = await resolve(asked, context);
  const { name, namespace } = object.metadata;
  const options = { ...(namespace === undefined ? {} : { namespace }), signal };
  try {
    const before = await client.find<KubeObject>(resource, name, options);
    if (resource.kind === NAMESPACES.kind && before !== undefined && !isOurs(before)) return 'kept';
    const after = await client.patch<KubeObject>(resource, name, 'apply', object, {
      ...options,
      fieldManager: FIELD_MANAGER,
      // Objects of an earlier release, or of upstream's manifests, are taken over.
      force: true,
    });
    if (before === undefined) return 'created';
    return isDeepStrictEqual(ownPart(before), ownPart(after)) ? 'unchanged' : 'changed';
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const message = `cannot apply ${describe(object)}: ${error.status.message ?? error.message}`;
    throw new CommandError(message, EXIT.couldNotRun, { cause: error });
  }
}

/** The object without what others write all the time. */
function ownPart({ metadata, ...object }: KubeObject): object {
  const { resourceVersion, managedFields, ...rest } = metadata;
  return { ...object, metadata: rest, status: undefined };
}

/** The object in a version that the cluster serves, with its resource. */
async function resolve(
  object: InstallObject,
  { kinds }: ApplyObjectsContext,
): Promise<{ readonly object: InstallObject; readonly resource: Resource }> {
  let problem = '';
  for (const apiVersion of [object.apiVersion, ...(OLDER_VERSIONS[object.apiVersion] ?? [])]) {
    const resource = await kinds.resolve(apiVersion, object.kind);
    if (typeof resource !== 'string') return { object: { ...object, apiVersion }, resource };
    problem ||= resource;
  }
  throw new CommandError(`cannot apply ${describe(object)}: ${problem}`, EXIT.couldNotRun);
}

/** The same fields under an older name, for clusters before Kubernetes 1.21. */
const OLDER_VERSIONS: Readonly<Record<string, readonly string[]>> = { 'policy/v1': ['policy/v1beta1'] };

function isOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.[LABEL_INSTALLATION] !== undefined;
}

/** `Deployment litmus/turnsole-operator`. */
export function describe({ kind, metadata }: Pick<InstallObject, 'kind' | 'metadata'>): string {
  const { name, namespace } = metadata;
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
