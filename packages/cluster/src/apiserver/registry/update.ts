import type { FieldError } from '@turnsole/kube/schema/field-error';
import { equalJson } from '@turnsole/kube/text/json';
import type { Version } from '../../store/index.ts';
import { badRequest, conflict, invalid, MODIFIED, notFound, StatusError } from '../http/status.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import { type ApiObject, restore, semanticallyEqual } from '../object.ts';
import { objectOf } from '../stored-object.ts';
import { invalidField } from '../validation/field.ts';
import { warningsOf } from '../validation/warnings.ts';
import { checkNamespace, creating, toStored, type Written } from './create.ts';
import { serve } from './encode.ts';
import type { ServerParts, WriteContext } from './environment.ts';
import { immutableMetadata, inheritMetadata, validateMetadata, validateMetadataUpdate } from './metadata.ts';
import { trackOwnership } from './ownership.ts';
import { completeAtOnce, type PendingWrite } from './pending-write.ts';
import type { ServedKind } from './registry.ts';

/** An update as update, patch and subresources share it. */
export interface UpdateRequest {
  readonly kind: ServedKind;
  readonly namespace: string;
  readonly name: string;
  /** Empty for the object itself, or the subresource that is written, such as `status`. */
  readonly subresource: string;
  /** Makes the new object, as served, from the present one; later steps change the result. */
  readonly produce: (current: ApiObject) => ApiObject;
  /** Makes an object to create when none exists. @default none, which is NotFound */
  readonly produceMissing?: () => ApiObject | undefined;
  readonly context: WriteContext;
  /** Whether this is a patch: its identity is that of the object it was applied to. */
  readonly isPatch?: boolean;
  /** Whether spec and status are written at once, as a binding does; the generation stays, for nobody asks for anything new. */
  readonly writesStatusToo?: boolean;
}

/** Changes an object, or creates it where the request allows, without asking webhooks. */
export function updateObject(env: ServerParts, request: UpdateRequest): Written {
  return completeAtOnce(updating(env, request));
}

/** The change of an object, or its creation where the request allows. An update that changes nothing stores nothing. */
export function* updating(env: ServerParts, request: UpdateRequest): PendingWrite<Written> {
  const { kind, namespace, name } = request;
  const { definition } = kind;
  const version = env.store.get(definition.table, namespace, name);
  if (version !== undefined) return yield* replacing(env, request, version);
  const missing = request.produceMissing?.();
  if (missing === undefined) throw notFound(definition, name);
  return yield* creating(env, kind, namespace, missing, request.context);
}

/**
 * Steps: new object, identity, stored form, what the request may not change, defaults, admission, preparation, ownership,
 * generation, validation, review, commit.
 */
function* replacing(env: ServerParts, request: UpdateRequest, version: Version): PendingWrite<Written> {
  const { kind, namespace, name, subresource, context } = request;
  const { definition } = kind;
  const { rules } = definition;
  const part = definition.parts?.[subresource];
  const old = objectOf(version);
  const produced = request.produce(serve(kind, old));
  checkIdentity(request, produced);
  const mismatch = 'the namespace of the provided object does not match the namespace sent on the request';
  checkNamespace(definition, namespace, produced, mismatch);
  const object = toStored(kind, produced);
  checkVersion(request, object, version);
  const immutable = immutableMetadata(object, old);
  inheritMetadata(object, old);
  rules.applyDefaults?.(object);
  const rule = { now: env.clock.now(), user: context.user };
  if (part?.ownsWhatIsSent === true && !isUnchanged(object, old))
    trackOwnership(kind, object, old, subresource, context, rule.now);
  if (subresource === 'status') takeOnlyStatus(definition, object, old);
  else if (part !== undefined) part.restrict(object, old, rule);
  else if (definition.hasStatus && request.writesStatusToo !== true) keepStatus(object, old);
  const attempt = {
    operation: 'update',
    definition,
    subresource,
    namespace,
    name,
    object,
    old,
    context,
  } as const;
  env.admit(attempt);
  yield { phase: 'mutating', attempt };
  if (subresource === 'status') rules.prepareStatusUpdate?.(object, old, rule);
  else if (subresource === '') rules.prepareUpdate?.(object, old, rule);
  if (!isUnchanged(object, old)) trackOwnership(kind, object, old, subresource, context, rule.now);
  else if (context.isApply !== true) inheritOwnership(object, old);
  if (definition.hasGeneration && definition.keepsGeneration !== true && !keepsGeneration(request))
    bumpGeneration(definition, object, old);
  const errors = findErrors(kind, subresource, object, old, immutable);
  if (errors.length > 0) throw invalid(definition.group, definition.kind, name, errors);
  yield { phase: 'validating', attempt };
  env.review(attempt);
  if (!semanticallyEqual(object.spec, old.spec))
    context.warnings.push(...warningsOf(definition.table, object));
  object.metadata.resourceVersion = old.metadata.resourceVersion ?? '';
  if (context.dryRun) return { object, created: false };
  if (isReleased(object)) {
    // Watchers see the object as it was; the writer sees what was written, which never got a version.
    env.store.delete(definition.table, version, { ...old, metadata: { ...old.metadata } });
    return { object, created: false };
  }
  if (equalJson(object, old)) return { object: old, created: false };
  return { object: objectOf(env.store.update(definition.table, version, object)), created: false };
}

function keepsGeneration({ subresource, writesStatusToo }: UpdateRequest): boolean {
  return subresource === 'status' || writesStatusToo === true;
}

/** Whether nothing but ownership differs. */
function isUnchanged(object: ApiObject, old: ApiObject): boolean {
  if (
    !equalJson(object.metadata.managedFields, old.metadata.managedFields) &&
    object.metadata.managedFields !== undefined
  )
    return false;
  const bare = (whole: ApiObject): ApiObject => ({
    ...whole,
    metadata: { ...whole.metadata, managedFields: [], resourceVersion: '' },
  });
  return equalJson(bare(object), bare(old));
}

function inheritOwnership(object: ApiObject, old: ApiObject): void {
  const { managedFields } = old.metadata;
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
}

/** The last finalizer of an object under deletion is gone: the object is deleted now. */
function isReleased(object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (deletionTimestamp === undefined || (finalizers?.length ?? 0) > 0) return false;
  if (hasSpecFinalizers(object)) return false;
  return (deletionGracePeriodSeconds ?? 0) === 0;
}

/** Namespaces have finalizers in their spec too. */
export function hasSpecFinalizers(object: ApiObject): boolean {
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return false;
  const { spec } = object;
  if (typeof spec !== 'object' || spec === null || !('finalizers' in spec)) return false;
  return Array.isArray(spec.finalizers) && spec.finalizers.length > 0;
}

function checkIdentity({ name }: UpdateRequest, object: ApiObject): void {
  const given = object.metadata.name ?? '';
  if (given === '') {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
}

/** The key under which the real server keeps the object, which its messages show. */
function storageKey({ group, plural, versions }: KindDefinition, key: string): string {
  if (versions[0]?.type === undefined) return `/registry/${group}/${plural}/${key}`;
  return `/registry/${group === '' && plural === 'services' ? 'services/specs' : plural}/${key}`;
}

function checkVersion(request: UpdateRequest, object: ApiObject, version: Version): void {
  const { kind, isPatch } = request;
  const { definition } = kind;
  const { name } = version;
  const { resourceVersion = '', uid } = object.metadata;
  const present = version.object.metadata;
  // A patch is checked like any other change; only a whole object says by its uid which one it means.
  if (isPatch !== true && uid !== undefined && uid !== '' && uid !== present.uid) {
    const key = storageKey(definition, version.key);
    const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${present.uid}`;
    throw conflict(definition, name, why);
  }
  if (resourceVersion === '' || resourceVersion === '0') {
    if (definition.allowsUnconditionalUpdate) return;
    const detail = 'must be specified for an update';
    // This message names the resource where all others name the kind.
    throw invalid(definition.group, definition.plural, name, [
      invalidField('metadata.resourceVersion', 0, detail),
    ]);
  }
  if (!/^\d+$/.test(resourceVersion)) {
    throw new StatusError(
      500,
      '',
      `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`,
    );
  }
  if (resourceVersion !== present.resourceVersion) throw conflict(definition, name, MODIFIED);
}

/**
 * A write to `status` keeps everything else as it is, metadata included except for managed fields, and for annotations
 * where the kind allows them.
 */
function takeOnlyStatus(definition: KindDefinition, object: ApiObject, old: ApiObject): void {
  const { status, metadata } = object;
  restore(object, old);
  if (definition.statusTakesAnnotations === true) {
    if (metadata.annotations === undefined) delete object.metadata.annotations;
    else object.metadata.annotations = metadata.annotations;
  }
  if (status === undefined || status === null) delete object.status;
  else object.status = status;
}

function keepStatus(object: ApiObject, old: ApiObject): void {
  if (old.status === undefined) delete object.status;
  else object.status = old.status;
}

/** Anything but metadata and status is what the generation counts. */
function bumpGeneration(definition: KindDefinition, object: ApiObject, old: ApiObject): void {
  const changed = (field: string): boolean =>
    field !== 'metadata' &&
    (field !== 'status' || !definition.hasStatus) &&
    !semanticallyEqual(object[field], old[field]);
  const fields = new Set([...Object.keys(object), ...Object.keys(old)]);
  const isAnnotated =
    definition.generationCountsAnnotations === true &&
    !semanticallyEqual(object.metadata.annotations, old.metadata.annotations);
  for (const field of fields) {
    if (!isAnnotated && !changed(field)) continue;
    object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    return;
  }
}

function findErrors(
  kind: ServedKind,
  subresource: string,
  object: ApiObject,
  old: ApiObject,
  immutable: readonly FieldError[],
): FieldError[] {
  const { definition, version } = kind;
  const { rules } = definition;
  // The real server checks metadata in general, then as an update, then once more with the kind: causes repeat.
  const update = [...immutable, ...validateMetadataUpdate(object, old)];
  const errors = [...validateMetadata(definition, object), ...update, ...update];
  if (version.validate !== undefined) errors.push(...version.validate(object, old));
  if (subresource === 'status') errors.push(...(rules.validateStatusUpdate?.(object, old) ?? []));
  errors.push(...(definition.parts?.[subresource]?.validateUpdate(object, old) ?? []));
  if (subresource !== '') return errors;
  errors.push(...(rules.validate?.(object) ?? []), ...(rules.validateUpdate?.(object, old) ?? []));
  return errors;
}
