/**
 * Validates JSON values against structural schemas and reports every problem at once.
 *
 * The words of the messages are those of the Kubernetes API server (kube-openapi, apiextensions-apiserver), so that
 * tools and people who know them feel at home. Two differences are on purpose: a value of the wrong type is reported
 * once, without follow-up errors about its content, and a failed oneOf/anyOf names its field instead of `<nil>`.
 * `test-data/recorded-validation.json` holds what a real API server answered; the tests compare with it.
 *
 * Recursion follows the schema and not the value, so a deeply nested value cannot exhaust the stack.
 */
import { isObject } from '../text/json.ts';
import { Pattern, type PatternBudget, PatternError } from '../text/pattern.ts';
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-error.ts';
import { hasFormat } from './format.ts';
import { formatPath, type PathSegment } from './path.ts';
import { propertySchema, type StructuralSchema } from './schema.ts';

/** Deepest nesting of a schema that is followed; beyond it values are refused rather than the stack exhausted. */
export const MAX_SCHEMA_DEPTH = 500;

/** Steps that patterns may take for one value, altogether: less than a second, also where pattern and text are made for it. */
const PATTERN_STEPS = 25_000_000;
/** Choices of schemas times items can be billions; this many take about a second. */
const MAX_VISITS = 300_000;

/**
 * All problems of `value`; an empty list means that it is valid. Fields whose value is undefined count as absent.
 *
 * @param old what is replaced: parts that are as they were may have problems, since their schema may be younger than they are
 *   (kubernetes.io, CustomResourceDefinitions, Validation ratcheting)
 */
export function validate(schema: StructuralSchema, value: unknown, old?: unknown): FieldError[] {
  const walk: Walk = { errors: [], path: [], left: { visits: MAX_VISITS, steps: PATTERN_STEPS } };
  visit(schema, value, walk, old);
  // Unvisited parts have no errors, so the list would mean nothing.
  if (walk.left.visits < 0) return [invalid([], '', 'too large to be checked against its schema')];
  return walk.errors;
}

interface Walk {
  readonly errors: FieldError[];
  /** The present path; pushed and popped, and copied only into errors. */
  readonly path: PathSegment[];
  /** What the whole value may still cost: steps of patterns, and pairs of schema and value to look at. */
  readonly left: PatternBudget & { visits: number };
}

/** @param old the value that `value` replaces; undefined for a new one, and where the old one cannot be matched */
function visit(schema: StructuralSchema, value: unknown, walk: Walk, old?: unknown): void {
  const before = walk.errors.length;
  check(schema, value, walk, old);
  if (walk.errors.length === before || old === undefined || !isEqual(value, old)) return;
  // Keys of lists are asked for of all lists.
  const kept = walk.errors.splice(before).filter(({ type }) => type === 'FieldValueDuplicate');
  walk.errors.push(...kept);
}

function check(schema: StructuralSchema, value: unknown, walk: Walk, old: unknown): void {
  walk.left.visits -= 1;
  if (walk.left.visits < 0) return;
  if (walk.path.length > MAX_SCHEMA_DEPTH) {
    walk.errors.push(invalid(walk.path, '', `nested deeper than ${MAX_SCHEMA_DEPTH} levels`));
    return;
  }
  if (!checkType(schema, value, walk)) return;
  if (schema.enum !== undefined && !schema.enum.some((allowed) => isEqual(allowed, value))) {
    walk.errors.push(notSupported(walk.path, value, schema.enum));
  }
  if (value !== null) {
    if (typeof value === 'string') checkString(schema, value, walk);
    else if (typeof value === 'number') checkNumber(schema, value, walk);
    else if (Array.isArray(value)) checkArray(schema, value, walk, old);
    else if (isObject(value)) checkObject(schema, value, walk, old);
  }
  checkCombinations(schema, value, walk);
}

/** Says `spec.x in body`, as the API server begins its sentences. */
function here(walk: Walk): string {
  return `${formatPath(walk.path)} in body`;
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  // Beyond 64 bits the API server has no integers; `format: int32` it does not check at all.
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'integer' : 'number';
  return typeof value;
}

function checkType(schema: StructuralSchema, value: unknown, walk: Walk): boolean {
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  if (schema.type === undefined && !intOrString) return true;
  if (value === null && schema.nullable === true) return true;
  const found = typeName(value);
  const fits = intOrString
    ? found === 'integer' || found === 'string'
    : found === schema.type || (schema.type === 'number' && found === 'integer');
  if (!fits) {
    const expected = intOrString ? 'integer,string' : schema.type;
    walk.errors.push(
      typeInvalid(walk.path, found, `${here(walk)} must be of type ${expected}: ${JSON.stringify(found)}`),
    );
  }
  return fits;
}

function checkString(schema: StructuralSchema, value: string, walk: Walk): void {
  const { maxLength, minLength, pattern, format } = schema;
  // Lengths count code points; the cheap test on UTF-16 units comes first.
  if (maxLength !== undefined && value.length > maxLength && codePoints(value) > maxLength) {
    walk.errors.push(tooLong(walk.path, value, maxLength));
  }
  if (minLength !== undefined && codePoints(value) < minLength) {
    walk.errors.push(invalid(walk.path, value, `${here(walk)} should be at least ${minLength} chars long`));
  }
  if (pattern !== undefined) checkPattern(schema, pattern, value, walk);
  if (format !== undefined && !hasFormat(format, value)) {
    walk.errors.push(
      typeInvalid(walk.path, value, `${here(walk)} must be of type ${format}: ${JSON.stringify(value)}`),
    );
  }
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

// Read once per schema node; a collected schema takes its pattern with it.
const patterns = new WeakMap<StructuralSchema, Pattern | PatternError>();

function checkPattern(schema: StructuralSchema, source: string, value: string, walk: Walk): void {
  const pattern = patterns.get(schema) ?? orProblem(() => Pattern.read(source));
  patterns.set(schema, pattern);
  const found = pattern instanceof PatternError ? pattern : orProblem(() => pattern.isIn(value, walk.left));
  if (found === true) return;
  const why =
    found === false ? `${here(walk)} should match '${source}'` : `cannot be checked: ${found.message}`;
  walk.errors.push(invalid(walk.path, value, why));
}

function orProblem<T>(search: () => T): T | PatternError {
  try {
    return search();
  } catch (error) {
    if (error instanceof PatternError) return error;
    throw error;
  }
}

function checkNumber(schema: StructuralSchema, value: number, walk: Walk): void {
  const { minimum, maximum, multipleOf } = schema;
  const fail = (expectation: string): void => {
    walk.errors.push(invalid(walk.path, value, `${here(walk)} ${expectation}`));
  };
  if (minimum !== undefined) {
    if (schema.exclusiveMinimum === true && value <= minimum) fail(`should be greater than ${minimum}`);
    else if (value < minimum) fail(`should be greater than or equal to ${minimum}`);
  }
  if (maximum !== undefined) {
    if (schema.exclusiveMaximum === true && value >= maximum) fail(`should be less than ${maximum}`);
    else if (value > maximum) fail(`should be less than or equal to ${maximum}`);
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) {
    fail(`should be a multiple of ${multipleOf}`);
  }
}

function checkArray(schema: StructuralSchema, value: readonly unknown[], walk: Walk, old: unknown): void {
  const { minItems, maxItems, items } = schema;
  if (minItems !== undefined && value.length < minItems) {
    walk.errors.push(
      invalid(walk.path, value.length, `${here(walk)} should have at least ${minItems} items`),
    );
  }
  if (maxItems !== undefined && value.length > maxItems) {
    walk.errors.push(tooMany(walk.path, value.length, maxItems));
  }
  if (schema.uniqueItems === true && hasRepetition(value)) {
    walk.errors.push(invalid(walk.path, value, `${here(walk)} shouldn't contain duplicates`));
  }
  if (items !== undefined) {
    const before = itemsBefore(schema, old);
    for (const [index, item] of value.entries()) {
      walk.path.push(index);
      visit(items, item, walk, before === undefined ? undefined : before.get(identityOf(schema, item)));
      walk.path.pop();
    }
  }
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set' || listType === 'map') checkListKeys(schema, value, walk);
}

function hasRepetition(items: readonly unknown[]): boolean {
  return new Set(items.map(canonical)).size < items.length;
}

/** Items of a set are unique, those of a map by their keys; a missing key counts as its default. */
function checkListKeys(schema: StructuralSchema, value: readonly unknown[], walk: Walk): void {
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const isMap = schema['x-kubernetes-list-type'] === 'map';
    if (isMap && !isObject(item)) continue;
    const identity = isMap ? keysOf(schema, item) : item;
    const text = canonical(identity);
    if (seen.has(text)) walk.errors.push(duplicate([...walk.path, index], identity));
    seen.add(text);
  }
}

/** What tells items of a map list apart. */
function keysOf(schema: StructuralSchema, item: unknown): unknown {
  if (!isObject(item)) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return Object.fromEntries(
    keys.flatMap((key) => {
      const part = Object.hasOwn(item, key) ? item[key] : propertySchema(schema.items ?? {}, key)?.default;
      return part === undefined ? [] : [[key, part]];
    }),
  );
}

function identityOf(schema: StructuralSchema, item: unknown): string {
  return canonical(keysOf(schema, item) ?? null);
}

/** Items of a list before, by their keys; undefined for lists whose items have none. */
function itemsBefore(schema: StructuralSchema, old: unknown): ReadonlyMap<string, unknown> | undefined {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return undefined;
  return new Map(old.map((item) => [identityOf(schema, item), item]));
}

/** Text that is the same for equal values, whatever the order of their fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

function checkObject(
  schema: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
  walk: Walk,
  old: unknown,
): void {
  const { additionalProperties, minProperties, maxProperties } = schema;
  const present = Object.keys(value).filter((key) => value[key] !== undefined);
  if (minProperties !== undefined && present.length < minProperties) {
    walk.errors.push(
      invalid(walk.path, present.length, `${here(walk)} should have at least ${minProperties} properties`),
    );
  }
  if (maxProperties !== undefined && present.length > maxProperties) {
    walk.errors.push(
      invalid(walk.path, present.length, `${here(walk)} should have at most ${maxProperties} properties`),
    );
  }
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(value, key) || value[key] === undefined)
      walk.errors.push(required([...walk.path, key]));
  }
  for (const key of present) {
    const known = propertySchema(schema, key);
    if (known === undefined && additionalProperties === false) {
      walk.errors.push(
        invalid(
          [...walk.path, key],
          value[key],
          `${formatPath([...walk.path, key])} in body is a forbidden property`,
        ),
      );
      continue;
    }
    const next = known ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (next === undefined) continue;
    walk.path.push(key);
    visit(next, value[key], walk, isObject(old) && Object.hasOwn(old, key) ? old[key] : undefined);
    walk.path.pop();
  }
  if (schema['x-kubernetes-embedded-resource'] === true) checkEmbedded(value, walk);
}

/** An embedded object names its kind. */
function checkEmbedded(value: Readonly<Record<string, unknown>>, walk: Walk): void {
  for (const key of ['apiVersion', 'kind']) {
    const found = Object.hasOwn(value, key) ? value[key] : undefined;
    if (found === undefined || found === '')
      walk.errors.push(required([...walk.path, key], 'must not be empty'));
    else if (typeof found !== 'string')
      walk.errors.push(invalid([...walk.path, key], found, 'must be a string'));
  }
  const metadata = Object.hasOwn(value, 'metadata') ? value.metadata : undefined;
  if (metadata !== undefined && !isObject(metadata)) {
    walk.errors.push(invalid([...walk.path, 'metadata'], metadata, 'must be an object'));
  }
}

/** The problems of `value` against one branch, at the same path. */
function tryBranch(schema: StructuralSchema, value: unknown, walk: Walk): FieldError[] {
  const branch: Walk = { errors: [], path: [...walk.path], left: walk.left };
  visit(schema, value, branch);
  return branch.errors;
}

function checkCombinations(schema: StructuralSchema, value: unknown, walk: Walk): void {
  const fail = (rule: string, because: readonly FieldError[]): void => {
    walk.errors.push(invalid(walk.path, '', `${JSON.stringify(formatPath(walk.path))} ${rule}`), ...because);
  };
  if (schema.allOf !== undefined) {
    const branches = schema.allOf.map((branch) => tryBranch(branch, value, walk));
    const none = branches.some(isEmpty) ? '' : '. None validated';
    if (!branches.every(isEmpty)) fail(`must validate all the schemas (allOf)${none}`, branches.flat());
  }
  if (schema.anyOf !== undefined) {
    const branches = schema.anyOf.map((branch) => tryBranch(branch, value, walk));
    if (!branches.some(isEmpty)) fail('must validate at least one schema (anyOf)', nearest(branches));
  }
  if (schema.oneOf !== undefined) {
    const branches = schema.oneOf.map((branch) => tryBranch(branch, value, walk));
    const valid = branches.filter(isEmpty).length;
    const rule = 'must validate one and only one schema (oneOf)';
    if (valid === 0) fail(`${rule}. Found none valid`, nearest(branches));
    else if (valid > 1) fail(`${rule}. Found ${valid} valid alternatives`, []);
  }
  if (schema.not !== undefined && isEmpty(tryBranch(schema.not, value, walk))) {
    fail('must not validate the schema (not)', []);
  }
}

function isEmpty(errors: readonly FieldError[]): boolean {
  return errors.length === 0;
}

/** The errors of the branch that came closest: more useful than "none valid" alone. */
function nearest(branches: readonly FieldError[][]): readonly FieldError[] {
  return branches.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** Deep equality of JSON values; the order of fields does not matter. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
  );
}
