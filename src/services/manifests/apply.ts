import { applyObject } from '@turnsole/kube/apply/apply-object';
import { awaitEstablished } from '@turnsole/kube/apply/await-established';
import type { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { isRefusal } from '@turnsole/kube/apply/refusal';
import type { Status } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS, type Resource } from '@turnsole/kube/kinds/resources';
import { CHAOS_ENGINES, type ChaosEngine } from '../../api/index.ts';
import { ANNOTATION_SETTINGS, keptSettingsOf } from '../../chaos/run-record.ts';
import { BadInputError, type InputNote, type InputProblem } from '../errors.ts';
import { applyRank } from '../kind-order.ts';
import type { Manifest } from './load.ts';

/** A manifest's object as it now is in the cluster. */
export interface AppliedObject {
  readonly manifest: Manifest;
  readonly resource: Resource;
  readonly object: KubeObject;
  /** Whether this run created it, and may therefore delete it. */
  readonly created: boolean;
}

/** Manifests in the order in which they can be applied; equal kinds keep the user's order. Pure. */
export function sortForApply(manifests: readonly Manifest[]): Manifest[] {
  return manifests.toSorted((a, b) => applyRank(a.object.kind) - applyRank(b.object.kind));
}

/** What {@link applyManifests} works with. */
export interface ApplyContext {
  readonly client: KubeClient;
  readonly kinds: KindResolver;
  /** Namespace of objects that name none. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** Called with the warnings of the cluster about objects that it accepts: a deprecated kind, a policy that is not enforced. */
  readonly onWarning?: (warning: InputNote) => void;
  /** Called with each object as soon as it is stored, so that it is known also when a later one is refused. */
  readonly onApplied?: (applied: AppliedObject) => void;
}

/** The fields' owner in server-side apply. */
const FIELD_MANAGER = 'turnsole';

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
    else {
      applied.push(outcome);
      context.onApplied?.(outcome);
    }
  }
  if (problems.length > 0) throw new BadInputError(problems);
  return applied;
}

/** Whether an installation brings the kinds of an API; `uninstall` takes them away, also from a cluster that was born with them. */
function isOfInstall(apiVersion: string): boolean {
  return apiVersion.startsWith(`${CHAOS_ENGINES.group}/`);
}

async function applyManifest(
  manifest: Manifest,
  context: ApplyContext,
): Promise<AppliedObject | InputProblem> {
  const { apiVersion, kind } = manifest.object;
  const resource = await context.kinds.resolve(apiVersion, kind);
  if (typeof resource === 'string') {
    const field = resource.startsWith('unknown kind') ? 'kind' : 'apiVersion';
    const message = `${resource}${isOfInstall(apiVersion) ? ' "turnsole install" brings it' : ''}`;
    return { ...placeOf(manifest, field), field, code: 'KIND_UNKNOWN', message };
  }
  const { client, signal, kinds } = context;
  const namespace = resource.namespaced ? namespaceOf(manifest, context.namespace) : undefined;
  const onWarning = (message: string): void => context.onWarning?.({ ...placeOf(manifest), message });
  try {
    const options = { namespace, signal, onWarning, fieldManager: FIELD_MANAGER };
    const { after, created } = await applyObject(client, resource, withSettings(manifest.object), options);
    if (resource.kind === CUSTOM_RESOURCE_DEFINITIONS.kind) {
      // Objects of the new kind may stand in the same file.
      await awaitEstablished(client, after.metadata.name, signal);
      kinds.forget();
    }
    return { manifest, resource, object: after, created };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return {
      ...placeOf(manifest),
      code: 'REFUSED_BY_CLUSTER',
      message: `the cluster refused it: ${error.status.message ?? error.message}${adviceOn(error.status)}`,
    };
  }
}

/** What to do where a namespace is missing: manifests that were exported name that of their agent. Pure. */
function adviceOn({ code, details }: Status): string {
  if (code !== 404 || details?.kind !== 'namespaces') return '';
  return (
    `; add a Namespace ${details.name} to the files, and the ServiceAccounts with their roles that the objects name in it, ` +
    'or create them with kubectl first'
  );
}

/** Namespace of a manifest: its own, else the run's. */
export function namespaceOf(manifest: Manifest, fallback: string): string {
  return manifest.object.metadata.namespace ?? fallback;
}

/** Place and name of a manifest, for messages. */
export function placeOf(
  manifest: Manifest,
  ...path: readonly (string | number)[]
): Omit<InputNote, 'message'> {
  const { kind, metadata } = manifest.object;
  const name = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  return { file: manifest.file, line: manifest.lineOf(path), object: `${kind} ${name}` };
}

/** An engine with its settings in an annotation as well: clients that know only upstream's fields drop them from the spec. Pure. */
function withSettings(object: Manifest['object']): Manifest['object'] {
  if (object.kind !== CHAOS_ENGINES.kind || !object.apiVersion.startsWith(`${CHAOS_ENGINES.group}/`))
    return object;
  // Structure is checked before anything is applied.
  const settings = keptSettingsOf((object as unknown as ChaosEngine).spec);
  if (Object.keys(settings).length === 0) return object;
  const { metadata } = object;
  const annotations = { ...metadata.annotations, [ANNOTATION_SETTINGS]: JSON.stringify(settings) };
  return { ...object, metadata: { ...metadata, annotations } };
}
