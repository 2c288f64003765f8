import type { Budget } from '../budget.ts';
import { ExpressionError } from '../errors.ts';
import { isList, isMap, isNumber, typeName, type Value, type ValueMap } from '../values.ts';

/** What functions may use beside their arguments. */
export interface FunctionContext {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 up to, but not including, 1. */
  readonly random: () => number;
  readonly budget: Budget;
}

/** A function of an expression language. The evaluator charges its cost before it runs, so that none can forget to. */
export interface FunctionRow {
  /** Fewest and most arguments; most may be Infinity. */
  readonly arity: readonly [number, number];
  /** Characters and elements that its result will have, guessed from above. @default those of its arguments */
  readonly size?: (args: readonly Value[]) => number;
  readonly run: (args: readonly Value[], context: FunctionContext) => Value;
}

export type FunctionTable = Readonly<Record<string, FunctionRow>>;

/** Characters of a text, elements of a list or map with everything in them; 1 for anything else. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length;
  if (isList(value)) return value.reduce((sum: number, item) => sum + sizeOf(item), 1);
  if (isMap(value))
    return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + sizeOf(item), 1);
  return 1;
}

/** No upper limit of a number of arguments. */
export const MANY = Number.POSITIVE_INFINITY;

/** A row for a function of so many arguments, or of fewest and most, whose result is no larger than they are. */
export function takes(count: number | FunctionRow['arity'], run: FunctionRow['run']): FunctionRow {
  return { arity: typeof count === 'number' ? [count, count] : count, run };
}

/** A row for a function of texts. */
export function textFunction(count: number, run: (...texts: string[]) => Value): FunctionRow {
  return takes(count, (args) => run(...args.map(asText)));
}

export function asText(value: Value | undefined): string {
  if (typeof value === 'string') return value;
  throw wrongType('string', value);
}

export function asList(value: Value | undefined): readonly Value[] {
  if (value !== undefined && isList(value)) return value;
  throw wrongType('array', value);
}

export function asMap(value: Value | undefined): ValueMap {
  if (value !== undefined && isMap(value)) return value;
  throw wrongType('map', value);
}

export function asInt(value: Value | undefined): bigint {
  if (typeof value === 'bigint') return value;
  throw wrongType('int', value);
}

export function asNumber(value: Value | undefined): number | bigint {
  if (value !== undefined && isNumber(value)) return value;
  throw wrongType('number', value);
}

export function asBoolean(value: Value | undefined): boolean {
  if (typeof value === 'boolean') return value;
  throw wrongType('bool', value);
}

function wrongType(expected: string, value: Value | undefined): ExpressionError {
  return new ExpressionError(`cannot use ${typeName(value ?? null)} as ${expected}`);
}
