/** Validation of limit ranges: which bounds a type may have, and that they leave room. Source: core/v1 API reference. */
import type { FieldError } from '@turnsole/kube/schema/field-error';
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from '@turnsole/kube/text/quantity';
import { asJson, asObjects, asString, type Json, valueAt } from '../object.ts';
import { FieldErrors } from './field.ts';

/** Pairs of bounds of which the first may not be above the second, in the order in which they are looked at. */
const PAIRS = [
  ['min', 'max', 'min'],
  ['min', 'defaultRequest', 'min'],
  ['min', 'default', 'min'],
  ['defaultRequest', 'max', 'default request'],
  ['defaultRequest', 'default', 'default request'],
  ['default', 'max', 'default'],
] as const;
const WORDS: Readonly<Record<string, string>> = {
  max: 'max',
  defaultRequest: 'default request',
  default: 'default',
};

/** Problems of a LimitRange with its defaults filled in. Pure. */
export function validateLimitRange(spec: Json): FieldError[] {
  const errors = new FieldErrors();
  const seen = new Set<string>();
  for (const [index, limit] of asObjects(spec.limits).entries()) {
    const path = `spec.limits[${index}]`;
    const type = asString(limit.type);
    if (seen.has(type)) errors.duplicate(`${path}.type`, type);
    seen.add(type);
    if (type === 'Pod') {
      for (const field of ['default', 'defaultRequest']) {
        if (Object.keys(asJson(limit[field])).length === 0) continue;
        errors.forbidden(`${path}.${field}`, "may not be specified when `type` is 'Pod'");
      }
    }
    if (
      type === 'PersistentVolumeClaim' &&
      amount(limit, 'min', 'storage') === undefined &&
      amount(limit, 'max', 'storage') === undefined
    ) {
      errors.required(
        `${path}.limits`,
        'either minimum or maximum storage value is required, but neither was provided',
      );
    }
    if (type !== 'Pod') validateBounds(limit, path, errors);
  }
  return errors;
}

function validateBounds(limit: Json, path: string, errors: FieldErrors): void {
  const names = new Set(
    ['min', 'max', 'default', 'defaultRequest'].flatMap((field) => Object.keys(asJson(limit[field]))),
  );
  for (const name of [...names].toSorted()) {
    for (const [lower, upper, word] of PAIRS) {
      const [low, high] = [amount(limit, lower, name), amount(limit, upper, name)];
      if (low === undefined || high === undefined || compareQuantities(low, high) <= 0) continue;
      const why = `${word} value ${formatQuantity(low)} is greater than ${WORDS[upper]} value ${formatQuantity(high)}`;
      // Of a default that is too large the real server shows the bound.
      const shown = lower === 'default' ? high : low;
      errors.invalid(`${path}.${lower}[${name}]`, formatQuantity(shown), why);
    }
  }
}

function amount(limit: Json, field: string, name: string): Quantity | undefined {
  const value = valueAt(limit, field, name);
  return value === undefined ? undefined : parseQuantity(String(value));
}
