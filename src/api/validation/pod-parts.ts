/** Meaning of the pieces that end up in a pod: what Kubernetes would refuse when the pod is created, said before. */

import type { EnvVar, ResourceRequirements, Toleration } from '@turnsole/kube/kinds/core';
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
} from '@turnsole/kube/schema/field-error';
import type { PathSegment } from '@turnsole/kube/schema/path';
import { isObject } from '@turnsole/kube/text/json';
import {
  envNameProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '@turnsole/kube/text/names';
import { compareQuantities, parseQuantity, type Quantity, QuantityError } from '@turnsole/kube/text/quantity';

type Path = readonly PathSegment[];

/** Environment variables: names that a container takes, and a value or its source but not both. */
export function validateEnv(env: readonly EnvVar[] | null | undefined, path: Path): FieldError[] {
  return (env ?? []).flatMap(({ name, value, valueFrom }, index) => {
    const errors =
      name === ''
        ? [required([...path, index, 'name'])]
        : envNameProblems(name).map((problem) => invalid([...path, index, 'name'], name, problem));
    if (valueFrom !== undefined && value !== undefined && value !== '') {
      errors.push(
        invalid([...path, index, 'valueFrom'], valueFrom, 'may not be specified when `value` is not empty'),
      );
    }
    return errors;
  });
}

/** Something that is mounted: config map, secret or host file. */
interface Mount {
  readonly name?: string;
  readonly mountPath?: string;
}

/** One kind of mounts of a pod, and the fields that each of them must have. */
interface MountList {
  readonly path: Path;
  readonly mounts: readonly Mount[] | null | undefined;
  readonly fields: readonly string[];
}

/** Mounts: complete, and no two of a pod at the same place. */
export function validateMounts(lists: readonly MountList[]): FieldError[] {
  const errors: FieldError[] = [];
  const taken = new Set<string>();
  for (const { path, mounts, fields } of lists) {
    for (const [index, mount] of (mounts ?? []).entries()) {
      const values: Record<string, unknown> = { ...mount };
      for (const field of fields) {
        if (values[field] === undefined || values[field] === '') {
          errors.push(required([...path, index, field], `a mount needs ${fields.join(', ')}`));
        }
      }
      const { name = '', mountPath = '' } = mount;
      if (name !== '') {
        errors.push(
          ...subdomainProblems(name).map((problem) => invalid([...path, index, 'name'], name, problem)),
        );
      }
      if (mountPath === '') continue;
      const place = mountPath.replace(/(.)\/+$/, '$1');
      if (taken.has(place)) errors.push(duplicate([...path, index, 'mountPath'], mountPath, 'mounted twice'));
      taken.add(place);
    }
  }
  return errors;
}

/** Node selectors: the same rules as labels, with the key in the path. */
export function validateNodeSelector(
  selector: Readonly<Record<string, string>> | null | undefined,
  path: Path,
): FieldError[] {
  return Object.entries(selector ?? {}).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((problem) => invalid(path, key, problem)),
    ...labelValueProblems(value).map((problem) => invalid([...path, key], value, problem)),
  ]);
}

const TOLERATION_OPERATORS = ['Exists', 'Equal'];
const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Tolerations: words that Kubernetes knows, in combinations that it accepts. */
export function validateTolerations(
  tolerations: readonly Toleration[] | null | undefined,
  path: Path,
): FieldError[] {
  return (tolerations ?? []).flatMap((toleration, index) => {
    const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
    const here = [...path, index];
    const errors: FieldError[] = [];
    if (operator !== '' && !TOLERATION_OPERATORS.includes(operator)) {
      errors.push(notSupported([...here, 'operator'], operator, TOLERATION_OPERATORS));
    }
    if (effect !== '' && !TAINT_EFFECTS.includes(effect)) {
      errors.push(notSupported([...here, 'effect'], effect, TAINT_EFFECTS));
    }
    if (key === '' && operator !== 'Exists') {
      errors.push(
        invalid(
          [...here, 'operator'],
          operator,
          'operator must be Exists when `key` is empty, which means "match all"',
        ),
      );
    }
    if (operator === 'Exists' && value !== '') {
      errors.push(invalid([...here, 'value'], value, "value must be empty when `operator` is 'Exists'"));
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.push(
        invalid([...here, 'effect'], effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
      );
    }
    return errors;
  });
}

/** Requests and limits: quantities, none negative, no request above its limit. */
export function validateResources(
  resources: ResourceRequirements | null | undefined,
  path: Path,
): FieldError[] {
  if (resources === null || resources === undefined) return [];
  const errors: FieldError[] = [];
  const limits = readQuantities(resources.limits, [...path, 'limits'], errors);
  const requests = readQuantities(resources.requests, [...path, 'requests'], errors);
  for (const [name, request] of requests) {
    const limit = limits.get(name);
    if (limit !== undefined && compareQuantities(request, limit) > 0) {
      const found = resources.requests?.[name];
      errors.push(
        invalid(
          [...path, 'requests', name],
          found,
          `must be less than or equal to ${name} limit of ${resources.limits?.[name]}`,
        ),
      );
    }
  }
  return errors;
}

function readQuantities(amounts: unknown, path: Path, errors: FieldError[]): Map<string, Quantity> {
  const quantities = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(isObject(amounts) ? amounts : {})) {
    try {
      const quantity = parseQuantity(String(text));
      if (quantity.nano < 0n)
        errors.push(invalid([...path, name], text, 'must be greater than or equal to 0'));
      quantities.set(name, quantity);
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error;
      errors.push(invalid([...path, name], text, error.message));
    }
  }
  return quantities;
}

/** An image that is empty or holds blanks is a slip of the pen. */
export function validateImage(image: string | undefined, path: Path, isRequired: boolean): FieldError[] {
  if (image === undefined || image === '') return isRequired ? [required(path, 'the image that is run')] : [];
  if (image.trim() !== image) {
    return [invalid(path, image, 'must not have leading or trailing whitespace')];
  }
  return [];
}

/** Service accounts are objects with names. */
export function validateServiceAccountName(name: string | undefined, path: Path): FieldError[] {
  if (name === undefined || name === '') return [];
  return subdomainProblems(name).map((problem) => invalid(path, name, problem));
}
