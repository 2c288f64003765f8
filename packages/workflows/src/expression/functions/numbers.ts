import { ExpressionError } from '../errors.ts';
import { int, isList, typeName, type Value } from '../values.ts';
import { asInt, asNumber, type FunctionRow, type FunctionTable, MANY, takes } from './row.ts';

/** Built-in functions of expr for numbers. Source: github.com/expr-lang/expr, docs/language-definition.md. */
export const NUMBER_FUNCTIONS: FunctionTable = {
  abs: numeric((value) => (value < 0 ? (typeof value === 'bigint' ? int(-value) : -value) : value)),
  ceil: numeric((value) => Math.ceil(Number(value))),
  floor: numeric((value) => Math.floor(Number(value))),
  // Half away from zero.
  round: numeric((value) => Math.sign(Number(value)) * Math.round(Math.abs(Number(value)))),
  int: takes(1, ([value = null]) => toInt(value)),
  float: takes(1, ([value = null]) => toFloat(value)),
  max: takes([1, MANY], (args) => extreme(args, (a, b) => a > b)),
  min: takes([1, MANY], (args) => extreme(args, (a, b) => a < b)),
  mean: takes([0, MANY], (args) => {
    const all = numbersIn(args).map(Number);
    return all.length === 0 ? 0 : all.reduce((sum, one) => sum + one, 0) / all.length;
  }),
  median: takes([0, MANY], (args) => {
    const all = numbersIn(args)
      .map(Number)
      .toSorted((a, b) => a - b);
    const middle = Math.floor(all.length / 2);
    if (all.length === 0) return 0;
    return all.length % 2 === 1 ? (all[middle] ?? 0) : ((all[middle - 1] ?? 0) + (all[middle] ?? 0)) / 2;
  }),
  bitand: bitwise((a, b) => a & b),
  bitor: bitwise((a, b) => a | b),
  bitxor: bitwise((a, b) => a ^ b),
  bitnand: bitwise((a, b) => a & ~b),
  bitnot: takes(1, ([value]) => int(~asInt(value))),
  bitshl: bitwise((a, by) => (shift(by) > 63n ? 0n : a << by)),
  bitshr: bitwise((a, by) => a >> shift(by)),
  bitushr: bitwise((a, by) => BigInt.asUintN(64, a) >> shift(by)),
};

function numeric(run: (value: number | bigint) => Value): FunctionRow {
  return takes(1, ([value]) => run(asNumber(value)));
}

function bitwise(run: (a: bigint, b: bigint) => bigint): FunctionRow {
  return takes(2, ([a, b]) => int(run(asInt(a), asInt(b))));
}

function shift(by: bigint): bigint {
  if (by < 0n) throw new ExpressionError(`invalid operation: negative shift count ${by} (type int)`);
  return by > 64n ? 64n : by;
}

/** A whole number of a number or a decimal text. @throws ExpressionError */
export function toInt(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return int(value);
  if (typeof value === 'string' && /^[+-]?\d{1,19}$/.test(value))
    return int(BigInt(value.replace(/^\+/, '')));
  throw notConvertible('int', value);
}

function notConvertible(to: string, value: Value): ExpressionError {
  return typeof value === 'string'
    ? new ExpressionError(`invalid operation: ${to}(${value})`)
    : new ExpressionError(`invalid argument for ${to} (type ${typeName(value)})`);
}

/** A float of a number or a text. @throws ExpressionError */
export function toFloat(value: Value): number {
  if (typeof value === 'bigint' || typeof value === 'number') return Number(value);
  const isText = typeof value === 'string' && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value);
  if (isText) return Number(value);
  throw notConvertible('float', value);
}

/** All numbers among arguments, which may be lists of them. */
function numbersIn(args: readonly Value[]): (number | bigint)[] {
  return args.flatMap((one) => (isList(one) ? numbersIn(one) : [asNumber(one)]));
}

function extreme(
  args: readonly Value[],
  isBetter: (a: number | bigint, b: number | bigint) => boolean,
): Value {
  const [first, ...others] = numbersIn(args);
  if (first === undefined) return null;
  return others.reduce((best, one) => (isBetter(one, best) ? one : best), first);
}
