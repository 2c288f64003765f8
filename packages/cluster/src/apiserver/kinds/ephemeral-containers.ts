/** Containers that are added to a pod that runs, for debugging. Source: kubernetes.io, Ephemeral Containers. */
import type { FieldError } from '@turnsole/kube/schema/field-error';
import {
  type ApiObject,
  asJson,
  asList,
  asObjects,
  asString,
  isJson,
  type Json,
  restore,
  semanticallyEqual,
} from '../object.ts';
import { FieldErrors, forbiddenField, missingField } from '../validation/field.ts';
import { validateContainer } from '../validation/pod-spec.ts';
import { validateVolumes } from '../validation/volumes.ts';
import type { PartRules } from './kind.ts';

const PATH = 'spec.ephemeralContainers';
/** What they may not be used for: services of the pod that clients rely on. */
const ALLOWED: ReadonlySet<string> = new Set([
  'name',
  'image',
  'command',
  'args',
  'workingDir',
  'envFrom',
  'env',
  'volumeMounts',
  'volumeDevices',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'imagePullPolicy',
  'securityContext',
  'stdin',
  'stdinOnce',
  'tty',
  'targetContainerName',
]);
const NOT_ALLOWED = 'cannot be set for an Ephemeral Container';

/** The subresource ephemeralcontainers of pods. */
export const EPHEMERAL_CONTAINERS: PartRules = { restrict, validateUpdate };

/** Problems of a pod that begins with them. */
export function refuseEphemeralAtCreation({ spec }: ApiObject): FieldError[] {
  if (asList(asJson(spec).ephemeralContainers).length === 0) return [];
  return [forbiddenField(PATH, 'cannot be set on create')];
}

function restrict(object: ApiObject, old: ApiObject): void {
  const { ephemeralContainers } = asJson(object.spec);
  restore(object, old);
  const { ephemeralContainers: _before, ...spec } = asJson(old.spec);
  object.spec = ephemeralContainers === undefined ? spec : { ...spec, ephemeralContainers };
}

function validateUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const spec = asJson(object.spec);
  const present = asObjects(spec.ephemeralContainers);
  const errors = validateContainers(present, spec);
  for (const before of asObjects(asJson(old.spec).ephemeralContainers)) {
    const name = asString(before.name);
    const after = present.find((container) => container.name === name);
    const what = `existing ephemeral containers ${JSON.stringify(name)} may not be`;
    if (after === undefined) errors.forbidden(PATH, `${what} removed\n`);
    else if (!semanticallyEqual(after, before)) {
      errors.forbidden(PATH, `${what} changed\n${changedFields(before, after)}`);
    }
  }
  return errors;
}

function validateContainers(containers: readonly Json[], spec: Json): FieldErrors {
  const errors = new FieldErrors();
  // The volumes were checked with the pod, and do not change.
  const volumes = validateVolumes(asObjects(spec.volumes), 'spec.volumes', new FieldErrors());
  const others = [...asObjects(spec.containers), ...asObjects(spec.initContainers)].map(({ name }) =>
    asString(name),
  );
  const names = new Set(others);
  for (const [index, container] of containers.entries()) {
    const at = `${PATH}[${index}]`;
    const { resources: _resources, ...checked } = container;
    validateContainer(checked, at, volumes, new Set(), errors);
    const name = asString(container.name);
    if (names.has(name)) errors.duplicate(`${at}.name`, name);
    names.add(name);
    const target = asString(container.targetContainerName);
    if (target !== '' && !others.includes(target)) {
      errors.push(missingField(`${at}.targetContainerName`, target));
    }
    for (const [field, value] of Object.entries(container)) {
      if (!ALLOWED.has(field) && !isEmpty(value)) errors.forbidden(`${at}.${field}`, NOT_ALLOWED);
    }
    for (const [mount, { subPath, subPathExpr }] of asObjects(container.volumeMounts).entries()) {
      const place = `${at}.volumeMounts[${mount}]`;
      if (asString(subPath) !== '') errors.forbidden(`${place}.subPath`, NOT_ALLOWED);
      if (asString(subPathExpr) !== '') errors.forbidden(`${place}.subPathExpr`, NOT_ALLOWED);
    }
  }
  return errors;
}

function isEmpty(value: unknown): boolean {
  if (isJson(value)) return Object.keys(value).length === 0;
  return Array.isArray(value) ? value.length === 0 : value === undefined || value === null || value === '';
}

/** In the place of the differences that a real server prints, which are those of its Go types. */
function changedFields(before: Json, after: Json): string {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].filter((field) => !semanticallyEqual(before[field], after[field])).join(', ');
}
