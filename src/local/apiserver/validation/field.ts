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
} from '../../../api/validation/field-error.ts';

/** An error of a kind that takes a value and words. */
export function fieldError(
  make: (segments: readonly string[], badValue: unknown, detail: string) => FieldError,
  path: string,
  badValue: unknown,
  detail: string,
): FieldError {
  return { ...make([], badValue, detail), path };
}

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
