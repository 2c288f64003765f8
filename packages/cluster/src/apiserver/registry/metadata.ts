/** Rules of metadata that hold for every kind. Source: API conventions, Metadata; k8s.io/apiserver `pkg/registry/rest`. */
import type { OwnerReference } from '@turnsole/kube/kinds/core';
import { type FieldError, tooLong } from '@turnsole/kube/schema/field-error';
import type { KindDefinition } from '../kinds/kind.ts';
import { type ApiObject, timestamp } from '../object.ts';
import { FieldErrors, forbiddenField, structure } from '../validation/field.ts';
import { validateLabels } from '../validation/labels.ts';
import { checkQualifiedName } from '../validation/names.ts';

/** All annotations of an object together may not be larger. */
const ANNOTATIONS_LIMIT_BYTES = 256 * 1024;
/** Sets what the server decides at creation and drops what a client may not say. */
export function initialiseMetadata(
  object: ApiObject,
  {
    uid,
    now,
    hasGeneration,
  }: { readonly uid: string; readonly now: number; readonly hasGeneration: boolean },
): void {
  const { metadata } = object;
  metadata.uid = uid;
  metadata.creationTimestamp = timestamp(now);
  delete metadata.resourceVersion;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  if ('selfLink' in metadata) delete metadata.selfLink;
  if (hasGeneration) metadata.generation = 1;
  dropEmpty(object);
}

/** Takes over what an update cannot change. */
export function inheritMetadata(object: ApiObject, old: ApiObject): void {
  const { metadata } = object;
  const from = old.metadata;
  setOrDrop(object, 'uid', from.uid);
  setOrDrop(object, 'creationTimestamp', from.creationTimestamp);
  setOrDrop(object, 'deletionTimestamp', from.deletionTimestamp);
  setOrDrop(object, 'deletionGracePeriodSeconds', from.deletionGracePeriodSeconds);
  setOrDrop(object, 'generation', from.generation);
  setOrDrop(object, 'namespace', from.namespace);
  if (from.generateName !== undefined && metadata.generateName === undefined) {
    metadata.generateName = from.generateName;
  }
  if ('selfLink' in metadata) delete metadata.selfLink;
  dropEmpty(object);
}

function setOrDrop<Field extends keyof ApiObject['metadata']>(
  object: ApiObject,
  field: Field,
  value: ApiObject['metadata'][Field],
): void {
  if (value === undefined) delete object.metadata[field];
  else object.metadata[field] = value;
}

/** Empty maps and lists of metadata do not exist on the wire. */
function dropEmpty({ metadata }: ApiObject): void {
  for (const field of ['labels', 'annotations'] as const) {
    const found = metadata[field];
    if (found === null || (found !== undefined && Object.keys(found).length === 0)) delete metadata[field];
  }
  for (const field of ['ownerReferences', 'finalizers', 'managedFields'] as const) {
    const found = metadata[field];
    if (found === null || found?.length === 0) delete metadata[field];
  }
  for (const field of ['generateName', 'namespace'] as const)
    if (metadata[field] === '') delete metadata[field];
}

/** Problems of the metadata of an object that is written. */
export function validateMetadata(definition: KindDefinition, { metadata }: ApiObject): FieldError[] {
  const { name = '', generateName = '' } = metadata;
  const errors = new FieldErrors();
  if (generateName !== '') {
    // The prefix is completed before it is judged: a trailing dash is usual.
    for (const words of definition.checkName(`${generateName.replace(/[-.]$/, '')}x`)) {
      errors.invalid('metadata.generateName', generateName, words);
    }
  }
  if (name === '') errors.required('metadata.name', 'name or generateName is required');
  else errors.named('metadata.name', name, definition.checkName);
  errors.push(...validateLabels(metadata.labels, 'metadata.labels'));
  errors.push(...validateAnnotations(metadata.annotations, 'metadata.annotations'));
  errors.push(...validateOwners(metadata.ownerReferences));
  errors.push(...validateFinalizers(metadata.finalizers, isOwnKind(definition)));
  return errors;
}

function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: string,
): FieldError[] {
  const errors = new FieldErrors();
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    for (const words of checkQualifiedName(key.toLowerCase())) errors.invalid(path, key, words);
    bytes += key.length + value.length;
  }
  if (bytes > ANNOTATIONS_LIMIT_BYTES) {
    const error = tooLong([], '', ANNOTATIONS_LIMIT_BYTES);
    errors.push({ ...error, path, detail: `may not be more than ${ANNOTATIONS_LIMIT_BYTES} bytes` });
  }
  return errors;
}

function validateOwners(owners: ApiObject['metadata']['ownerReferences']): FieldError[] {
  const errors = new FieldErrors();
  let controller = '';
  for (const owner of owners ?? []) {
    const path = 'metadata.ownerReferences';
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if ((owner[field] ?? '') !== '') continue;
      const words = field === 'apiVersion' ? 'version must not be empty' : 'must not be empty';
      errors.invalid(`${path}.${field}`, '', words);
    }
    if (
      owner.kind === 'Event' &&
      (owner.apiVersion === 'v1' || owner.apiVersion.startsWith('events.k8s.io/'))
    ) {
      const [version = '', group = ''] = owner.apiVersion.split('/').toReversed();
      const detail = `${group}/${version}, Kind=Event is disallowed from being an owner`;
      errors.invalid(path, shownOwner(owner), detail);
    }
    if (owner.controller !== true) continue;
    const shown = `${owner.kind}/${owner.name}`;
    if (controller !== '') {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${shown}`;
      errors.invalid('metadata.ownerReferences', '', detail);
    }
    controller = shown;
  }
  return errors;
}

/** Kinds of Kubernetes itself, apart from definitions: their finalizers need a domain or a standard name. */
function isOwnKind({ versions, group }: KindDefinition): boolean {
  return versions[0]?.type !== undefined && group !== 'apiextensions.k8s.io';
}

/** An owner reference as it is shown. */
function shownOwner({ apiVersion, kind, name, uid }: OwnerReference): unknown {
  return structure({ apiVersion, kind, name, uid });
}

function validateFinalizers(finalizers: readonly string[] | undefined, isStrict: boolean): FieldError[] {
  const errors = new FieldErrors();
  for (const [index, finalizer] of (finalizers ?? []).entries()) {
    const path = `metadata.finalizers[${index}]`;
    errors.named('metadata.finalizers', finalizer, checkQualifiedName);
    if (
      isStrict &&
      !finalizer.includes('/') &&
      !STANDARD_FINALIZERS.has(finalizer) &&
      checkQualifiedName(finalizer).length === 0
    ) {
      errors.invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified');
    }
  }
  if (finalizers?.includes('orphan') === true && finalizers.includes('foregroundDeletion')) {
    errors.invalid(
      'metadata.finalizers',
      finalizers,
      'finalizer orphan and foregroundDeletion cannot be both set',
    );
  }
  return errors;
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Fields of metadata that an update gives and that cannot change; to be asked before they are taken over. */
export function immutableMetadata(object: ApiObject, old: ApiObject): FieldError[] {
  const { uid, deletionTimestamp } = object.metadata;
  const errors = new FieldErrors();
  if (uid !== undefined && uid !== '' && uid !== old.metadata.uid) {
    errors.invalid('metadata.uid', uid, 'field is immutable');
  }
  if (deletionTimestamp !== undefined && old.metadata.deletionTimestamp === undefined) {
    errors.invalid('metadata.deletionTimestamp', deletionTimestamp, 'field is immutable');
  }
  return errors;
}

/** Problems of what an update does to metadata. */
export function validateMetadataUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const { labels, annotations, ownerReferences } = object.metadata;
  return [
    ...newFinalizers(object, old),
    ...validateLabels(labels, 'metadata.labels'),
    ...validateAnnotations(annotations, 'metadata.annotations'),
    ...validateOwners(ownerReferences),
  ];
}

function newFinalizers(object: ApiObject, old: ApiObject): FieldError[] {
  if (old.metadata.deletionTimestamp === undefined) return [];
  const before = new Set(old.metadata.finalizers ?? []);
  const added = (object.metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer));
  if (added.length === 0) return [];
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbiddenField('metadata.finalizers', detail)];
}
