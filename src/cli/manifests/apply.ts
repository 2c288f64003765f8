import {
  CHAOS_ENGINES,
  type ChaosEngine,
  CUSTOM_RESOURCE_DEFINITIONS,
  type KubeObject,
  type Resource,
} from '../../api/index.ts';
import { ANNOTATION_SETTINGS, keptSettingsOf } from '../../api/run-record.ts';
import { isAlreadyExists } from '../../kube/client/errors.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { waitForObject } from '../../kube/runtime/wait.ts';
import { BadInputError, type InputProblem } from '../errors.ts';
import { isRefusal, type KindResolver } from './discovery.ts';
import type { Manifest } from './load.ts';

/** A manifest's object as it now is in the cluster. */
export interface AppliedObject {
  readonly manifest: Manifest;
  readonly resource: Resource;
  readonly object: KubeObject;
  /** Whether this run created it, and may therefore delete it. */
  readonly created: boolean;
}

/**
 * What has to exist first: namespaces and definitions before what lives in them, permissions and settings before the
 * workloads that use them, engines last, because applying them starts chaos.
 */
const APPLY_ORDER = [
  'Namespace',
  'CustomResourceDefinition',
  'ServiceAccount',
  'ClusterRole',
  'Role',
  'ClusterRoleBinding',
  'RoleBinding',
  'Secret',
  'ConfigMap',
  'PersistentVolumeClaim',
  'Service',
  'ChaosExperiment',
];
const APPLY_LAST = ['ChaosSchedule', 'ChaosEngine'];

/** Manifests in the order in which they can be applied; equal kinds keep the user's order. Pure. */
export function sortForApply(manifests: readonly Manifest[]): Manifest[] {
  const rank = (manifest: Manifest): number => {
    const { kind } = manifest.object;
    if (APPLY_LAST.includes(kind)) return APPLY_ORDER.length + 1 + APPLY_LAST.indexOf(kind);
    const index = APPLY_ORDER.indexOf(kind);
    return index === -1 ? APPLY_ORDER.length : index;
  };
  return [...manifests].sort((a, b) => rank(a) - rank(b));
}

/** What {@link applyManifests} works with. */
export interface ApplyContext {
  readonly client: KubeClient;
  readonly kinds: KindResolver;
  /** Namespace of objects that name none. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** Told of what the cluster takes and has something to say about: a deprecated kind, a policy that nobody enforces. */
  readonly onWarning?: (warning: InputProblem) => void;
}

const DEFINITION_READY_TIMEOUT_MS = 30_000;

/**
 * Creates or updates objects, in the given order, and returns them as stored.
 *
 * @throws BadInputError with every object that the cluster does not know or refuses; those before it stay applied.
 */
export async function applyManifests(
  manifests: readonly Manifest[],
  context: ApplyContext,
): Promise<AppliedObject[]> {
  const applied: AppliedObject[] = [];
  const problems: InputProblem[] = [];
  for (const manifest of manifests) {
    const outcome = await applyManifest(manifest, context);
    if ('message' in outcome) problems.push(outcome);
    else applied.push(outcome);
  }
  if (problems.length > 0) throw new BadInputError(problems);
  return applied;
}

async function applyManifest(
  manifest: Manifest,
  context: ApplyContext,
): Promise<AppliedObject | InputProblem> {
  const { apiVersion, kind } = manifest.object;
  const resource = await context.kinds.resolve(apiVersion, kind);
  if (typeof resource === 'string') {
    const field = resource.startsWith('unknown kind') ? 'kind' : 'apiVersion';
    return { ...placeOf(manifest, field), field, message: resource };
  }
  try {
    const stored = await createOrPatch(manifest, resource, context);
    if (resource.kind === CUSTOM_RESOURCE_DEFINITIONS.kind) await established(stored.object, context);
    return { manifest, resource, ...stored };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return {
      ...placeOf(manifest),
      message: `the cluster refused it: ${error.status.message ?? error.message}`,
    };
  }
}

async function createOrPatch(
  manifest: Manifest,
  resource: Resource,
  context: ApplyContext,
): Promise<{ object: KubeObject; created: boolean }> {
  const { client, signal } = context;
  const namespace = resource.namespaced ? namespaceOf(manifest, context.namespace) : undefined;
  const { object } = manifest;
  const onWarning = (message: string): void => context.onWarning?.({ ...placeOf(manifest), message });
  const options = {
    ...{ namespace, signal, onWarning },
    fieldManager: 'turnsole',
    fieldValidation: 'Strict',
  } as const;
  try {
    return { object: await client.create(resource, withSettings(object, 'create'), options), created: true };
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // A merge patch sets what the manifest says and leaves alone what the cluster's controllers have added.
    const patched = await client.patch(
      resource,
      object.metadata.name,
      'merge',
      withSettings(object, 'patch'),
      options,
    );
    return { object: patched, created: false };
  }
}

/** Namespace of a manifest: its own, else the run's. */
export function namespaceOf(manifest: Manifest, fallback: string): string {
  return manifest.object.metadata.namespace ?? fallback;
}

/** Where a manifest stands and what it is called, for messages. */
export function placeOf(
  manifest: Manifest,
  ...path: readonly (string | number)[]
): Omit<InputProblem, 'message'> {
  const { kind, metadata } = manifest.object;
  const name = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  return { file: manifest.file, line: manifest.lineOf(path), object: `${kind} ${name}` };
}

/** Waits until a new kind is served; objects of it may stand in the same file. */
async function established(definition: KubeObject, context: ApplyContext): Promise<void> {
  interface Definition extends KubeObject {
    status?: { conditions?: readonly { type: string; status: string }[] };
  }
  await waitForObject<Definition>(
    context.client,
    CUSTOM_RESOURCE_DEFINITIONS,
    definition.metadata.name,
    (object) =>
      object?.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ??
      false,
    { timeoutMs: DEFINITION_READY_TIMEOUT_MS, signal: context.signal },
  );
  context.kinds.forget();
}

/**
 * An engine with its settings in an annotation as well: clients that know only upstream's fields drop them from the spec. Other
 * kinds as they are. Pure.
 */
function withSettings(object: Manifest['object'], verb: 'create' | 'patch'): Manifest['object'] {
  if (object.kind !== CHAOS_ENGINES.kind || !object.apiVersion?.startsWith(`${CHAOS_ENGINES.group}/`))
    return object;
  // Structure is checked before anything is applied.
  const settings = keptSettingsOf((object as unknown as ChaosEngine).spec);
  const hasSettings = Object.keys(settings).length > 0;
  if (!hasSettings && verb === 'create') return object;
  const kept = hasSettings ? JSON.stringify(settings) : null;
  const { metadata } = object;
  const annotations = { ...metadata.annotations, [ANNOTATION_SETTINGS]: kept };
  // A merge patch removes what is null.
  return { ...object, metadata: { ...metadata, annotations } } as Manifest['object'];
}
