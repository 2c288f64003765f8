import { applyObject, outcomeOf } from '@turnsole/kube/apply/apply-object';
import type { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { isRefusal } from '@turnsole/kube/apply/refusal';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { NAMESPACES, type Resource } from '@turnsole/kube/kinds/resources';
import { CommandError } from '../errors.ts';
import { besideOthers } from './beside-others.ts';
import type { InstallObject } from './install-object.ts';
import { LABEL_INSTALLATION } from './names.ts';

/** How objects are stored. */
export interface ApplyObjectsContext {
  readonly client: KubeClient;
  readonly kinds: KindResolver;
  readonly signal: AbortSignal;
  /**
   * Called with each object once it is stored.
   *
   * @param remarks sentences about what another writer had set in it: what of that was replaced, and what stays
   */
  readonly onApplied: (object: InstallObject, outcome: ApplyOutcome, remarks: readonly string[]) => void;
}

/** An object of an installation, stored. */
interface AppliedObject {
  readonly outcome: ApplyOutcome;
  /** About what another writer had set in it. */
  readonly remarks: readonly string[];
}

/** What applying an object did; `kept`: a namespace or definition of another owner, which is used as it is. */
export type ApplyOutcome = ReturnType<typeof outcomeOf> | 'kept';

/** The fields' owner in server-side apply. */
const FIELD_MANAGER = 'turnsole-install';

/**
 * Stores one object of an installation. Objects of an earlier release, or of upstream's manifests, are taken over; the settings that
 * others have written into a ChaosExperiment stay ({@link besideOthers}).
 *
 * @throws CommandError (could not run) naming the object that the cluster does not know or refuses
 */
export async function applyInstallObject(
  asked: InstallObject,
  context: ApplyObjectsContext,
): Promise<AppliedObject> {
  const { client, signal } = context;
  const { object, resource } = await resolve(asked, context);
  const { name, namespace } = object.metadata;
  try {
    if (resource.kind === NAMESPACES.kind && (await isOfOthers(name, context)))
      return { outcome: 'kept', remarks: [] };
    let remarks: readonly string[] = [];
    const over = (before: KubeObject): KubeObject => {
      const beside = besideOthers(object, before, FIELD_MANAGER);
      remarks = beside.remarks;
      return beside.object;
    };
    const options = { namespace, signal, fieldManager: FIELD_MANAGER, over };
    return { outcome: outcomeOf(await applyObject(client, resource, object, options)), remarks };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const message = `cannot apply ${describe(object)}: ${error.status.message ?? error.message}`;
    throw new CommandError(message, 'INSTALL_REFUSED', { cause: error });
  }
}

async function isOfOthers(name: string, { client, signal }: ApplyObjectsContext): Promise<boolean> {
  const namespace = await client.find<KubeObject>(NAMESPACES, name, { signal });
  return namespace !== undefined && namespace.metadata.labels?.[LABEL_INSTALLATION] === undefined;
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
  throw new CommandError(`cannot apply ${describe(object)}: ${problem}`, 'INSTALL_REFUSED');
}

/** The same fields under an older name, for clusters before Kubernetes 1.21. */
const OLDER_VERSIONS: Readonly<Record<string, readonly string[]>> = { 'policy/v1': ['policy/v1beta1'] };

/** `Deployment litmus/turnsole-operator`. */
export function describe({ kind, metadata }: Pick<InstallObject, 'kind' | 'metadata'>): string {
  const { name, namespace } = metadata;
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
