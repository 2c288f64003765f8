import type { ObjectMeta } from '../kinds/core.ts';
import { isObject } from '../text/json.ts';
import { labelValueProblems, qualifiedNameProblems, subdomainProblems } from '../text/names.ts';
import { type FieldError, invalid, required } from './field-error.ts';
import type { PathSegment } from './path.ts';

const NOT_TEXT = 'must be text; in YAML put quotes around numbers, true and false';

/** What a kind allows as a name; a DNS subdomain unless said. */
type NameRule = (name: string) => readonly string[];

/** The API server's limit for all keys and values of annotations together. */
const ANNOTATIONS_LIMIT_BYTES = 256 * 1024;

/**
 * All problems of an object's metadata: name or generateName, labels, annotations, finalizers, owner references. The
 * words are the API server's (`test-data/recorded-metadata.json`).
 */
export function validateObjectMeta(
  metadata: Partial<ObjectMeta>,
  path: readonly PathSegment[] = ['metadata'],
  nameRule: NameRule = subdomainProblems,
): FieldError[] {
  const { name = '', generateName = '', labels, annotations, finalizers } = metadata;
  const errors: FieldError[] = [];
  if (generateName !== '') {
    // The suffix that will follow may end it, so a trailing dash is right here.
    errors.push(
      ...nameErrors([...path, 'generateName'], generateName, nameRule, generateName.replace(/-$/, 'a')),
    );
  }
  if (name !== '') errors.push(...nameErrors([...path, 'name'], name, nameRule));
  else if (generateName === '') errors.push(required([...path, 'name'], 'name or generateName is required'));
  errors.push(...validateLabels(labels, [...path, 'labels']));
  errors.push(...validateAnnotations(annotations, [...path, 'annotations']));
  for (const [index, finalizer] of (finalizers ?? []).entries()) {
    errors.push(...finalizerErrors(finalizer, [...path, 'finalizers'], index));
  }
  errors.push(...ownerErrors(metadata, [...path, 'ownerReferences']));
  return errors;
}

function nameErrors(
  path: readonly PathSegment[],
  shown: string,
  rule: NameRule,
  checked = shown,
): FieldError[] {
  return rule(checked).map((problem) => invalid(path, shown, problem));
}

/** Problems of a map of labels: keys are qualified names, values short. */
export function validateLabels(
  labels: Readonly<Record<string, unknown>> | null | undefined,
  path: readonly PathSegment[],
): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((problem) => invalid(path, key, problem)),
    ...(typeof value === 'string'
      ? labelValueProblems(value).map((problem) => invalid(path, value, problem))
      : [invalid([...path, key], value, NOT_TEXT)]),
  ]);
}

/** Problems of a map of annotations: keys are qualified names in any case, values of any kind up to a total size. */
export function validateAnnotations(
  annotations: Readonly<Record<string, unknown>> | null | undefined,
  path: readonly PathSegment[],
): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const errors = entries.flatMap(([key, value]) => [
    ...qualifiedNameProblems(key.toLowerCase()).map((problem) => invalid(path, key, problem)),
    ...(typeof value === 'string' ? [] : [invalid([...path, key], value, NOT_TEXT)]),
  ]);
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(`${key}${String(value)}`), 0);
  if (bytes > ANNOTATIONS_LIMIT_BYTES) {
    errors.push(invalid(path, `${bytes} bytes`, `must have at most ${ANNOTATIONS_LIMIT_BYTES} bytes`));
  }
  return errors;
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function finalizerErrors(finalizer: string, path: readonly PathSegment[], index: number): FieldError[] {
  const errors = qualifiedNameProblems(finalizer).map((problem) => invalid(path, finalizer, problem));
  if (errors.length === 0 && !finalizer.includes('/') && !STANDARD_FINALIZERS.has(finalizer)) {
    const problem = 'name is neither a standard finalizer name nor is it fully qualified';
    errors.push(invalid([...path, index], finalizer, problem));
  }
  return errors;
}

function ownerErrors(metadata: Partial<ObjectMeta>, path: readonly PathSegment[]): FieldError[] {
  const owners = metadata.ownerReferences ?? [];
  const errors = owners.flatMap((owner, index) => {
    const fields: Record<string, unknown> = isObject(owner) ? owner : {};
    return ['apiVersion', 'kind', 'name', 'uid']
      .filter((field) => fields[field] === undefined || fields[field] === '')
      .map((field) => invalid([...path, index, field], '', `${field} must not be empty`));
  });
  const controllers = owners.filter(({ controller }) => controller === true).map(({ name }) => name);
  if (controllers.length > 1) {
    const found = `Found "true" in references for ${controllers.slice(0, 2).join(' and ')}`;
    const problem = `Only one reference can have Controller set to true. ${found}`;
    errors.push(invalid(path, controllers, problem));
  }
  return errors;
}
