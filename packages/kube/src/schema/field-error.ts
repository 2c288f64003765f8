import { isObject } from '../text/json.ts';
import { formatPath, type PathSegment } from './path.ts';

/** Kinds of problems; the words are the reasons of the causes of a Kubernetes Status. */
type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany';

/** One problem of one field. */
export interface FieldError {
  /** For people: `spec.experiments[1].name`; empty for the object itself. */
  readonly path: string;
  /** The same for programs, for example to find the line in a file. */
  readonly segments: readonly PathSegment[];
  readonly type: FieldErrorType;
  /** The value found; undefined for a missing one. */
  readonly badValue: unknown;
  /** What is expected; may be empty where the type says it all. */
  readonly detail: string;
}

/** In the place of a value that messages do not show. */
export const OMITTED: unknown = Symbol('omitted');

const TITLES: Readonly<Record<FieldErrorType, string>> = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueNotFound: 'Not found',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
};

function make(
  type: FieldErrorType,
  segments: readonly PathSegment[],
  badValue: unknown,
  detail: string,
): FieldError {
  return { path: formatPath(segments), segments: [...segments], type, badValue, detail };
}

/** A required value is missing. */
export function required(segments: readonly PathSegment[], detail = ''): FieldError {
  return make('FieldValueRequired', segments, undefined, detail);
}

/** The value is of the right type and still wrong. */
export function invalid(segments: readonly PathSegment[], badValue: unknown, detail: string): FieldError {
  return make('FieldValueInvalid', segments, badValue, detail);
}

/** The value is of the wrong type; `badValue` is then the name of the type that was found, as Kubernetes reports it. */
export function typeInvalid(segments: readonly PathSegment[], badValue: unknown, detail: string): FieldError {
  return make('FieldValueTypeInvalid', segments, badValue, detail);
}

/** The value is none of those that are allowed. */
export function notSupported(
  segments: readonly PathSegment[],
  badValue: unknown,
  supported: readonly unknown[],
): FieldError {
  const values = supported.map((value) =>
    JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value)),
  );
  return make('FieldValueNotSupported', segments, badValue, `supported values: ${values.join(', ')}`);
}

/** The value stands somewhere else already. */
export function duplicate(segments: readonly PathSegment[], badValue: unknown, detail = ''): FieldError {
  return make('FieldValueDuplicate', segments, badValue, detail);
}

/** The field must not be there. */
export function forbidden(segments: readonly PathSegment[], detail: string): FieldError {
  return make('FieldValueForbidden', segments, undefined, detail);
}

/** The value names something that is not there. */
export function notFound(segments: readonly PathSegment[], badValue: unknown, detail = ''): FieldError {
  return make('FieldValueNotFound', segments, badValue, detail);
}

/** The text is too long. */
export function tooLong(segments: readonly PathSegment[], badValue: unknown, maxLength: number): FieldError {
  return make('FieldValueTooLong', segments, badValue, `may not be longer than ${maxLength}`);
}

/** The list has too many items. */
export function tooMany(segments: readonly PathSegment[], actual: number, maxItems: number): FieldError {
  return make('FieldValueTooMany', segments, actual, `must have at most ${maxItems} items`);
}

/** `segments` of an error moved below another path, for validators of parts. */
export function under(prefix: readonly PathSegment[], error: FieldError): FieldError {
  const segments = [...prefix, ...error.segments];
  return { ...error, segments, path: formatPath(segments) };
}

/** The whole sentence: `spec.x: Required value`, `spec.x: Unsupported value: "y": supported values: "a", "b"`. */
export function formatFieldError(error: FieldError): string {
  return `${error.path === '' ? '<nil>' : error.path}: ${fieldErrorBody(error)}`;
}

/** The sentence without the path: what a cause of a Kubernetes Status has as its message. */
export function fieldErrorBody(error: FieldError): string {
  const title = TITLES[error.type];
  const shown = showsValue(error) ? `${title}: ${formatValue(error.badValue)}` : title;
  return error.detail === '' ? shown : `${shown}: ${error.detail}`;
}

/** The whole sentence for people, with long values cut: where it is not compared with the words of an API server. */
export function plainFieldError(error: FieldError): string {
  return `${error.path === '' ? 'the object' : error.path}: ${plainErrorBody(error)}`;
}

/** The sentence of {@link plainFieldError} without the path. */
export function plainErrorBody(error: FieldError): string {
  const mistake = /in body must be of type (\w+): "(\w+)"$/.exec(error.detail);
  if (mistake !== null) return `must be of type ${mistake[1]}, and is of type ${mistake[2]}`;
  const title = TITLES[error.type];
  const shown = showsValue(error) ? `${title}: ${shortJson(error.badValue)}` : title;
  return error.detail === '' ? shown : `${shown}: ${error.detail}`;
}

const SHOWN_CHARACTERS = 256;

function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/** All problems in one line, as an API server aggregates them: `[first, second]`, without repetitions. */
export function formatFieldErrors(errors: readonly FieldError[]): string {
  const sentences = [...new Set(errors.map(formatFieldError))];
  return sentences.length === 1 ? (sentences[0] ?? '') : `[${sentences.join(', ')}]`;
}

function showsValue({ type, badValue }: FieldError): boolean {
  if (badValue === OMITTED) return false;
  return type !== 'FieldValueRequired' && type !== 'FieldValueForbidden' && type !== 'FieldValueTooLong';
}

/**
 * A value as an API server's messages show it: as JSON with its keys in order. What a server prints otherwise comes as a function, whose
 * text is shown as it is.
 */
function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '"null"';
  return typeof value === 'function' ? String(value) : JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}
