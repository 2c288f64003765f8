import type { Type } from '@turnsole/kube/schema/kubernetes/types';
import { isObject } from '@turnsole/kube/text/json';
import { fieldsOf } from './types.ts';

/** A field whose value has another form than Argo's types say. */
interface WrongType {
  /** `spec.templates[0].steps` */
  readonly path: string;
  /** What the field has to be: `a list`. */
  readonly expected: string;
  /** What it is: `an object`. */
  readonly found: string;
}

/**
 * The fields below `spec` of an object of a workflow kind that nothing could read: a list in place of a map, a text in place of a number or
 * a boolean. Numbers and booleans in place of texts are not among them: they are read as texts. Empty for other kinds. Pure.
 */
export function wrongTypes(object: { readonly kind?: string; readonly spec?: unknown }): WrongType[] {
  const type = fieldsOf(object.kind ?? '')?.get('spec');
  return type === undefined ? [] : [...visit(type, object.spec, 'spec')];
}

function* visit(type: Type, value: unknown, path: string): Generator<WrongType> {
  if (value === undefined || value === null) return;
  if (type.kind === 'scalar') {
    const expected = expectedScalar(type.letter, value);
    if (expected !== undefined) yield { path, expected, found: foundIn(value) };
    return;
  }
  const isFit = type.kind === 'list' ? Array.isArray(value) : isObject(value);
  if (!isFit) {
    yield { path, expected: type.kind === 'list' ? 'a list' : 'an object', found: foundIn(value) };
    return;
  }
  yield* below(type, value, path);
}

function* below(type: Type, value: object, path: string): Generator<WrongType> {
  if (type.kind === 'list') {
    for (const [index, item] of (value as readonly unknown[]).entries())
      yield* visit(type.of, item, `${path}[${index}]`);
    return;
  }
  const fields = type.kind === 'struct' ? fieldsOf(type.name) : undefined;
  for (const [key, item] of Object.entries(value)) {
    const field = type.kind === 'map' ? type.of : fields?.get(key);
    if (field !== undefined) yield* visit(field, item, `${path}.${key}`);
  }
}

/** Letters of scalars that a number may be written for, beside texts. */
const NUMBERS = new Set(['i', 'l', 'd']);
/** Letters of the fields whose value may have any type. */
const ANY = new Set(['R', 'A', 'F']);

/** What a scalar has to be, where the value is none. */
function expectedScalar(letter: string, value: unknown): string | undefined {
  if (ANY.has(letter)) return undefined;
  if (letter === 'b') return typeof value === 'boolean' ? undefined : 'a boolean';
  if (NUMBERS.has(letter)) return typeof value === 'number' ? undefined : 'a number';
  return typeof value === 'object' ? 'a text' : undefined;
}

function foundIn(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return typeof value === 'string'
    ? `the text ${JSON.stringify(value)}`
    : `the ${typeof value} ${String(value)}`;
}
