import { DurationError, parseDuration } from '@turnsole/kube/text/duration';
import { isObject } from '@turnsole/kube/text/json';

/** A value that is not what its key takes; the message says what that is. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}

export function object(value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new ValueError(`expected an object, found ${JSON.stringify(value)}`);
}

/** Only these fields; another one is refused by its name. */
export function fields<const Name extends string>(
  value: unknown,
  names: readonly Name[],
): Readonly<Partial<Record<Name, unknown>>> {
  const found = object(value);
  const unknown = Object.keys(found).filter((key) => !(names as readonly string[]).includes(key));
  if (unknown.length > 0)
    throw new ValueError(`the field ${unknown.join(', ')} cannot be honoured; known are ${names.join(', ')}`);
  return found as Readonly<Partial<Record<Name, unknown>>>;
}

export function text(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') return String(value);
  throw new ValueError(`expected a text, found ${JSON.stringify(value)}`);
}

/** A whole number of at least 0. */
export function count(value: unknown): number {
  return wholeNumber(value, 0);
}

/** A whole number of at least 1. */
export function positiveCount(value: unknown): number {
  return wholeNumber(value, 1);
}

function wholeNumber(value: unknown, least: number): number {
  const number = numberOf(value);
  if (number !== undefined && Number.isSafeInteger(number) && number >= least) return number;
  throw new ValueError(`expected a whole number of at least ${least}, found ${JSON.stringify(value)}`);
}

/** A number above 0. */
export function positive(value: unknown): number {
  const number = numberOf(value);
  if (number !== undefined && Number.isFinite(number) && number > 0) return number;
  throw new ValueError(`expected a number above 0, found ${JSON.stringify(value)}`);
}

/** ConfigMaps hold texts: a number may be written as one. */
function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' ? number : undefined;
}

export function flag(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new ValueError(`expected true or false, found ${JSON.stringify(value)}`);
}

/** A duration of Go, such as `5s`. */
export function duration(value: unknown): string {
  const written = text(value);
  try {
    parseDuration(written);
    return written;
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new ValueError(`expected a duration such as 30s, found ${JSON.stringify(value)}: ${error.message}`);
  }
}

export function texts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(text);
  throw new ValueError(`expected a list of texts, found ${JSON.stringify(value)}`);
}

/** What a reader makes of a value that may be absent. */
export function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value);
}
