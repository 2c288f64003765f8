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
 * A bad value that messages show as this text: for values that Go prints with their type. A function, because the
 * formatter shows anything that is neither JSON nor text as its string.
 */
export function goLiteral(text: string): unknown {
  return Object.assign(() => undefined, { toString: () => text });
}

/** A list of strings as Go prints it: `[]string{"a"}`. */
export function goStrings(values: readonly unknown[]): unknown {
  return goLiteral(`[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`);
}

/** A map of strings as Go prints it: `map[string]string{"a":"b"}`. */
export function goLabels(labels: unknown): unknown {
  return goLiteral(labelsText(labels));
}

function labelsText(labels: unknown): string {
  if (!isObject(labels) || Object.keys(labels).length === 0) return 'map[string]string(nil)';
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${JSON.stringify(labels[key])}`);
  return `map[string]string{${pairs.join(', ')}}`;
}

/** A label selector as Go prints it. */
export function goSelector(selector: unknown): unknown {
  const { matchLabels, matchExpressions } = isObject(selector) ? selector : {};
  const expressions = Array.isArray(matchExpressions)
    ? `[]v1.LabelSelectorRequirement{${matchExpressions.map(requirementText).join(', ')}}`
    : '[]v1.LabelSelectorRequirement(nil)';
  return goLiteral(
    `v1.LabelSelector{MatchLabels:${labelsText(matchLabels)}, MatchExpressions:${expressions}}`,
  );
}

function requirementText(expression: unknown): string {
  const { key, operator, values } = isObject(expression) ? expression : {};
  const list = Array.isArray(values)
    ? `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`
    : '[]string(nil)';
  return `v1.LabelSelectorRequirement{Key:${JSON.stringify(key)}, Operator:${JSON.stringify(operator)}, Values:${list}}`;
}
