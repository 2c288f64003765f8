/**
 * The language of rules: CEL with the functions that Kubernetes adds. Source: kubernetes.io, Common Expression Language in
 * Kubernetes; for strings, the extension of cel-go.
 */
import { Environment, Optional } from '@marcbachmann/cel-js';
import { Pattern } from '@turnsole/kube/text/pattern';
import { addNetwork } from './network-functions.ts';
import { addPatchTypes } from './patch-types.ts';
import { addQuantities } from './quantity-functions.ts';

/** An expression cannot be evaluated; the message says why. */
export class CelError extends Error {
  override readonly name = 'CelError';
}

let base: Environment | undefined;

/** A fresh environment, to which variables and types can be added. */
export function newEnvironment(): Environment {
  base ??= makeBase();
  return base.clone();
}

function makeBase(): Environment {
  const environment = new Environment({
    unlistedVariablesAreDyn: false,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
  });
  addStrings(environment);
  addLists(environment);
  addSets(environment);
  addQuantities(environment);
  addNetwork(environment);
  addJsonPatch(environment);
  addPatchTypes(environment);
  return environment;
}

function addStrings(environment: Environment): void {
  environment
    // The language's own uses JavaScript's expressions, which differ; see compile.ts.
    .registerFunction(`string.${MATCHES}(string): bool`, (text: string, pattern: string) =>
      Pattern.read(pattern).isIn(text),
    )
    .registerFunction('string.find(string): string', (text: string, pattern: string) => {
      return Pattern.read(pattern).first(text)?.text ?? '';
    })
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => {
      return findAll(text, pattern, undefined);
    })
    .registerFunction(
      'string.findAll(string, int): list<string>',
      (text: string, pattern: string, limit: bigint) =>
        findAll(text, pattern, limit < 0n ? undefined : Number(limit)),
    )
    .registerFunction('string.charAt(int): string', (text: string, at: bigint) => {
      const characters = [...text];
      if (at < 0n || at > characters.length) throw new CelError(`index out of range: ${at}`);
      return characters[Number(at)] ?? '';
    })
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      text.replaceAll(from, () => to),
    )
    .registerFunction(
      'string.replace(string, string, int): string',
      (text: string, from: string, to: string, limit: bigint) => replaceSome(text, from, to, Number(limit)),
    )
    .registerFunction('string.reverse(): string', (text: string) => [...text].reverse().join(''))
    .registerFunction('string.format(list): string', format);
}

/** `"%s of %d".format([a, b])`: the clauses of cel-go's extension for strings. @throws CelError */
function format(text: string, values: readonly unknown[]): string {
  let used = 0;
  const next = (clause: string): unknown => {
    if (used >= values.length) throw new CelError(`format: ${clause} has no value`);
    used += 1;
    return values[used - 1];
  };
  const result = text.replaceAll(/%(?:%|(?:\.(\d+))?([sdfeboxX])|.?)/gs, (clause, digits, letter) => {
    if (clause === '%%') return '%';
    const write = typeof letter === 'string' ? CLAUSES[letter] : undefined;
    if (write === undefined) throw new CelError(`format: unrecognized clause ${clause}`);
    return write(next(clause), Number(digits ?? DEFAULT_DIGITS), clause);
  });
  if (used < values.length) throw new CelError(`format: ${values.length - used} values too many`);
  return result;
}

const DEFAULT_DIGITS = 6;

type Clause = (value: unknown, digits: number, clause: string) => string;

const inBase =
  (base: number): Clause =>
  (value, _digits, clause) => {
    if (typeof value === 'boolean' && base === 2) return value ? '1' : '0';
    if (typeof value === 'bigint') return value.toString(base);
    if (typeof value === 'string' && base === 16) return Buffer.from(value).toString('hex');
    throw new CelError(`format: ${clause} takes a whole number`);
  };

const decimal =
  (write: (value: number, digits: number) => string): Clause =>
  (value, digits, clause) => {
    if (typeof value !== 'number' && typeof value !== 'bigint')
      throw new CelError(`format: ${clause} takes a number`);
    return write(Number(value), digits);
  };

const CLAUSES: Readonly<Record<string, Clause>> = {
  s: shown,
  d: (value, digits, clause) =>
    typeof value === 'number' ? String(value) : inBase(10)(value, digits, clause),
  f: decimal((value, digits) => value.toFixed(digits)),
  e: decimal((value, digits) => value.toExponential(digits).replace(/e([+-])(\d)$/, 'e$10$2')),
  b: inBase(2),
  o: inBase(8),
  x: inBase(16),
  X: (value, digits, clause) => inBase(16)(value, digits, clause).toUpperCase(),
};

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = [...entriesOf(value)].map(([key, item]) => `${shown(key)}: ${shown(item)}`);
  return `{${entries.sort().join(', ')}}`;
}

/** The name under which expressions of Go are matched. */
export const MATCHES = 'matchesGo';

function findAll(text: string, pattern: string, most: number | undefined): string[] {
  return Pattern.read(pattern)
    .all(text, most)
    .map((match) => match.text);
}

function replaceSome(text: string, from: string, to: string, limit: number): string {
  if (limit < 0) return text.replaceAll(from, () => to);
  let left = limit;
  return text.replaceAll(from, (found) => {
    left -= 1;
    return left >= 0 ? to : found;
  });
}

function addLists(environment: Environment): void {
  environment
    .registerFunction('list.isSorted(): bool', (list: readonly unknown[]) =>
      list.every((item, index) => index === 0 || compare(list[index - 1], item) <= 0),
    )
    .registerFunction('list<int>.sum(): int', (list: readonly bigint[]) => list.reduce((a, b) => a + b, 0n))
    .registerFunction('list<double>.sum(): double', (list: readonly number[]) =>
      list.reduce((a, b) => a + b, 0),
    )
    .registerFunction('list.min(): dyn', (list: readonly unknown[]) => extreme(list, 'min', -1))
    .registerFunction('list.max(): dyn', (list: readonly unknown[]) => extreme(list, 'max', 1))
    .registerFunction('list.indexOf(dyn): int', (list: readonly unknown[], item: unknown) =>
      BigInt(list.findIndex((other) => isSame(other, item))),
    )
    .registerFunction('list.lastIndexOf(dyn): int', (list: readonly unknown[], item: unknown) =>
      BigInt(list.findLastIndex((other) => isSame(other, item))),
    )
    .registerFunction(
      'list.slice(int, int): list<dyn>',
      (list: readonly unknown[], from: bigint, to: bigint) => {
        if (from < 0n || to < from || to > list.length) throw new CelError(`cannot slice ${from} to ${to}`);
        return list.slice(Number(from), Number(to));
      },
    )
    .registerFunction('list.distinct(): list<dyn>', (list: readonly unknown[]) =>
      list.filter((item, index) => list.findIndex((other) => isSame(other, item)) === index),
    );
}

function extreme(list: readonly unknown[], name: string, sign: number): unknown {
  const [first, ...rest] = list;
  if (first === undefined) throw new CelError(`${name} called on empty list`);
  return rest.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best), first);
}

function compare(a: unknown, b: unknown): number {
  const isComparable = ['bigint', 'number', 'string', 'boolean'].includes(typeof a) || a instanceof Date;
  if (!isComparable || typeof a !== typeof b) throw new CelError('the items of the list cannot be compared');
  // Both are of one type that has an order.
  const [left, right] = [a, b] as [number, number];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Equality of values as expressions see them: numbers, texts, lists, maps and objects of a schema. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Date || b instanceof Date) return a instanceof Date && b instanceof Date && +a === +b;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, at) => isSame(item, b[at]))
    );
  }
  const [left, right] = [entriesOf(a), entriesOf(b)];
  return (
    left.size === right.size &&
    [...left].every(([key, value]) => right.has(key) && isSame(value, right.get(key)))
  );
}

function entriesOf(value: object): ReadonlyMap<unknown, unknown> {
  return value instanceof Map ? value : new Map<unknown, unknown>(Object.entries(value));
}

/** Type of the constant `sets`, which stands in front of the functions' names, as in `sets.contains(a, b)`. */
class Sets {}

function addSets(environment: Environment): void {
  const holds = (list: readonly unknown[], wanted: readonly unknown[]): boolean =>
    wanted.every((item) => list.some((other) => isSame(other, item)));
  type Lists = [sets: Sets, a: readonly unknown[], b: readonly unknown[]];
  environment
    .registerType('kubernetes.Sets', { ctor: Sets, fields: {} })
    .registerConstant('sets', 'kubernetes.Sets', new Sets())
    .registerFunction('kubernetes.Sets.contains(list, list): bool', (...[, a, b]: Lists) => holds(a, b))
    .registerFunction(
      'kubernetes.Sets.equivalent(list, list): bool',
      (...[, a, b]: Lists) => holds(a, b) && holds(b, a),
    )
    .registerFunction('kubernetes.Sets.intersects(list, list): bool', (...[, a, b]: Lists) =>
      b.some((item) => holds(a, [item])),
    );
}

/** Type of the constant `jsonpatch`, as in `jsonpatch.escapeKey(key)`. */
class JsonPatch {}

function addJsonPatch(environment: Environment): void {
  environment
    .registerType('kubernetes.JsonPatch', { ctor: JsonPatch, fields: {} })
    .registerConstant('jsonpatch', 'kubernetes.JsonPatch', new JsonPatch())
    .registerFunction('kubernetes.JsonPatch.escapeKey(string): string', (_: JsonPatch, key: string) =>
      key.replaceAll('~', '~0').replaceAll('/', '~1'),
    );
}

export { Optional };
