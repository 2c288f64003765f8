import { ExpressionError } from '../errors.ts';
import { asInt, type FunctionRow, type FunctionTable, MANY, takes } from '../functions/row.ts';
import { int, type Value } from '../values.ts';
import { toFloat64, toInt64, toText } from './convert.ts';

/** Functions of numbers, which take texts as well. Source: masterminds.github.io/sprig, math. */
export const NUMBERS: FunctionTable = {
  atoi: takes(1, ([text]) => toInt64(/^[+-]?\d+$/.test(toText(text)) ? text : '0')),
  int: takes(1, ([value]) => toInt64(value)),
  int64: takes(1, ([value]) => toInt64(value)),
  float64: takes(1, ([value]) => toFloat64(value)),
  toDecimal: takes(1, ([value]) => fromOctal(toText(value))),
  add: takes([0, MANY], (args) => args.reduce<bigint>((sum, one) => int(sum + toInt64(one)), 0n)),
  add1: takes(1, ([value]) => int(toInt64(value) + 1n)),
  sub: takes(2, ([a, b]) => int(toInt64(a) - toInt64(b))),
  mul: takes([1, MANY], (args) => args.reduce<bigint>((product, one) => int(product * toInt64(one)), 1n)),
  div: takes(2, ([a, b]) => toInt64(a) / divisor(b)),
  mod: takes(2, ([a, b]) => toInt64(a) % divisor(b)),
  max: extreme((a, b) => a > b),
  biggest: extreme((a, b) => a > b),
  min: extreme((a, b) => a < b),
  addf: takes([0, MANY], (args) => args.map(toFloat64).reduce((a, b) => decimal(a + b), 0)),
  add1f: takes(1, ([value]) => decimal(toFloat64(value) + 1)),
  subf: float((a, b) => a - b),
  mulf: float((a, b) => a * b),
  divf: float((a, b) => {
    if (b === 0) throw new ExpressionError('decimal division by 0');
    return a / b;
  }),
  maxf: float(Math.max),
  minf: float(Math.min),
  ceil: takes(1, ([value]) => Math.ceil(toFloat64(value))),
  floor: takes(1, ([value]) => Math.floor(toFloat64(value))),
  round: takes([2, 3], ([value, places, on]) => rounded(toFloat64(value), Number(asInt(places)), on)),
  until: {
    arity: [1, 1],
    size: ([count]) => Math.abs(Number(asInt(count))),
    run: ([count]) => steps(0n, asInt(count), asInt(count) < 0n ? -1n : 1n),
  },
  untilStep: {
    arity: [3, 3],
    size: ([start, stop, step]) => stepCount(asInt(start), asInt(stop), asInt(step)),
    run: ([start, stop, step]) => steps(asInt(start), asInt(stop), asInt(step)),
  },
  seq: {
    arity: [0, 3],
    size: (args) => sequenceOf(args.map(asInt)).count * 20,
    run: (args) => {
      const { start, stop, step } = sequenceOf(args.map(asInt));
      return steps(start, stop, step).join(' ');
    },
  },
  randInt: takes(2, ([least, most], { random }) => {
    const [from, to] = [asInt(least), asInt(most)];
    if (to <= from) throw new ExpressionError('randInt: the first number must be below the second');
    return from + BigInt(Math.floor(random() * Number(to - from)));
  }),
};

function extreme(isBetter: (a: bigint, b: bigint) => boolean): FunctionRow {
  return takes([1, MANY], (args) =>
    args.map(toInt64).reduce((best, one) => (isBetter(one, best) ? one : best)),
  );
}

function float(calculate: (a: number, b: number) => number): FunctionRow {
  return takes([1, MANY], (args) => args.map(toFloat64).reduce((a, b) => decimal(calculate(a, b))));
}

/** Sprig calculates in decimals: 0.1 + 0.2 is 0.3. */
function decimal(value: number): number {
  return Number(value.toPrecision(16));
}

function divisor(value: Value | undefined): bigint {
  const by = toInt64(value);
  if (by === 0n) throw new ExpressionError('runtime error: integer divide by zero');
  return by;
}

function fromOctal(text: string): bigint {
  return /^[0-7]{1,21}$/.test(text) ? int(BigInt(`0o${text}`)) : 0n;
}

function rounded(value: number, places: number, on: Value | undefined): number {
  const power = 10 ** places;
  const digits = power * value;
  const isUp = digits - Math.trunc(digits) >= (on === undefined ? 0.5 : toFloat64(on));
  return (isUp ? Math.ceil(digits) : Math.floor(digits)) / power;
}

function stepCount(start: bigint, stop: bigint, step: bigint): number {
  const isReachable = stop < start ? step < 0n : step > 0n;
  return isReachable ? Math.ceil(Number(stop - start) / Number(step)) : 0;
}

/** From start up to, but not including, stop. */
function steps(start: bigint, stop: bigint, step: bigint): bigint[] {
  return Array.from({ length: stepCount(start, stop, step) }, (_, index) => start + BigInt(index) * step);
}

/** `seq end`, `seq start end`, `seq start step end`: the end is included, as with the program of that name. */
function sequenceOf(args: readonly bigint[]) {
  const start = args.length < 2 ? 1n : (args[0] ?? 1n);
  const end = args.at(-1) ?? 0n;
  const direction = end < start ? -1n : 1n;
  const step = args.length === 3 ? (args[1] ?? 1n) : direction;
  const isNothing = args.length === 0 || (end < start && step > 0n);
  const stop = isNothing ? start : end + direction;
  return { start, stop, step, count: stepCount(start, stop, step) };
}
