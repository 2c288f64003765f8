/**
 * Field errors for the kinds built into the server. Their paths are written as the real server writes them
 * (`spec.containers[0].name`, `metadata.annotations[key]`), which is why they are made from text.
 */

import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from '@turnsole/kube/schema/field-error';
import { isObject } from '@turnsole/kube/text/json';
import { asNumber, asString, type Json } from '../object.ts';

export function requiredField(path: string, detail = ''): FieldError {
  return { ...required([], detail), path };
}

export function invalidField(path: string, badValue: unknown, detail: string): FieldError {
  return { ...invalid([], badValue, detail), path };
}

export function forbiddenField(path: string, detail: string): FieldError {
  return { ...forbidden([], detail), path };
}

export function duplicateField(path: string, badValue: unknown): FieldError {
  return { ...duplicate([], badValue), path };
}

export function unsupportedField(path: string, badValue: unknown, supported: readonly string[]): FieldError {
  return { ...notSupported([], badValue, supported), path };
}

export function missingField(path: string, badValue: unknown): FieldError {
  return { ...notFound([], badValue), path };
}

/** The errors found so far in an object; each method adds one. */
export class FieldErrors extends Array<FieldError> {
  /** Mapping or filtering gives a plain list. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  required(path: string, detail = ''): void {
    this.push(requiredField(path, detail));
  }

  invalid(path: string, badValue: unknown, detail: string): void {
    this.push(invalidField(path, badValue, detail));
  }

  forbidden(path: string, detail: string): void {
    this.push(forbiddenField(path, detail));
  }

  duplicate(path: string, badValue: unknown): void {
    this.push(duplicateField(path, badValue));
  }

  /** Unless the value is one of these. */
  oneOf(path: string, value: unknown, allowed: readonly string[]): void {
    if (!allowed.includes(asString(value))) this.push(unsupportedField(path, value, allowed));
  }

  /** Unless it is a number of a TCP port. */
  port(path: string, value: unknown): void {
    if (typeof value === 'number' && value >= 1 && value <= 65_535) return;
    this.invalid(path, value ?? 0, 'must be between 1 and 65535, inclusive');
  }

  /** Problems of those fields of an object at `path` that are below 0. */
  counts(path: string, object: Json, fields: readonly string[]): void {
    for (const field of fields) {
      const value = asNumber(object[field]);
      if (value < 0) this.invalid(`${path}.${field}`, value, 'must be greater than or equal to 0');
    }
  }

  /** Requires a valid name. */
  requiredName(path: string, name: string, check: (name: string) => readonly string[]): void {
    if (name === '') this.required(path);
    else this.named(path, name, check);
  }

  /** Requires a valid name that is none of these; the name is added to them. */
  newName(path: string, name: string, names: Set<string>, check: (name: string) => readonly string[]): void {
    this.requiredName(path, name, check);
    if (name !== '' && names.has(name)) this.duplicate(path, name);
    names.add(name);
  }

  /** All that a check has against a text. */
  named(path: string, value: string, check: (value: string) => readonly string[]): void {
    for (const words of check(value)) this.invalid(path, value, words);
  }
}

/**
 * A bad value that messages show as this text: for values that a real server prints otherwise than as JSON with sorted keys. A function, because
 * the formatter shows a function by its text.
 */
export function literal(text: string): unknown {
  return Object.assign(() => undefined, { toString: () => text });
}

/** A structure of the server's as JSON, its fields in this order, those that are not there as null. */
export function structure(fields: Readonly<Record<string, unknown>>): unknown {
  return literal(JSON.stringify(fields, (_, value: unknown) => (value === undefined ? null : value)));
}

/** Labels as they are shown; none are null. */
export function shownLabels(labels: unknown): unknown {
  return isObject(labels) && Object.keys(labels).length > 0 ? labels : literal('null');
}

/** A label selector in the order in which its fields are shown. */
export function shownSelector(selector: unknown): unknown {
  const { matchLabels, matchExpressions } = isObject(selector) ? selector : {};
  return literal(JSON.stringify({ matchLabels, matchExpressions }));
}
