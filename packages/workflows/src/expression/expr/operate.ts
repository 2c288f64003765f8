import { ExpressionError } from '../errors.ts';
import { matches } from '../patterns.ts';
import {
  Duration,
  equalValues,
  Instant,
  int,
  isList,
  isMap,
  isNumber,
  orderOf,
  typeName,
  type Value,
} from '../values.ts';

/** Applies a binary operator that evaluates both sides. Pure. @throws ExpressionError without a place */
export function operate(operator: string, a: Value, b: Value): Value {
  switch (operator) {
    case '==':
      return equalValues(a, b);
    case '!=':
      return !equalValues(a, b);
    case '<':
      return ordered(operator, a, b) < 0;
    case '<=':
      return ordered(operator, a, b) <= 0;
    case '>':
      return ordered(operator, a, b) > 0;
    case '>=':
      return ordered(operator, a, b) >= 0;
    case '+':
      return add(a, b);
    case '-':
      return subtract(a, b);
    case '*':
    case '/':
    case '%':
    case '**':
    case '^':
      return multiply(operator, a, b);
    case 'in':
      return isIn(a, b);
    case 'contains':
    case 'startsWith':
    case 'endsWith':
    case 'matches':
      return compareTexts(operator, a, b);
    case '..':
      return range(a, b);
  }
  throw new ExpressionError(`unknown operator ${operator}`);
}

function mismatch(operator: string, a: Value, b: Value): ExpressionError {
  return new ExpressionError(
    `invalid operation: ${operator} (mismatched types ${staticName(a)} and ${staticName(b)})`,
  );
}

/** nil has no type that an error could name. */
function staticName(value: Value): string {
  return value === null ? 'unknown' : typeName(value);
}

function ordered(operator: string, a: Value, b: Value): number {
  const order = orderOf(a, b);
  if (order === undefined) throw mismatch(operator, a, b);
  return order;
}

function add(a: Value, b: Value): Value {
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (typeof a === 'bigint' && typeof b === 'bigint') return int(a + b);
  if (isNumber(a) && isNumber(b)) return Number(a) + Number(b);
  if (a instanceof Instant && b instanceof Duration) return new Instant(a.ms + b.ms, a.zone);
  if (a instanceof Duration && b instanceof Instant) return new Instant(a.ms + b.ms, b.zone);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms + b.ms);
  throw mismatch('+', a, b);
}

function subtract(a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return int(a - b);
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b);
  if (a instanceof Instant && b instanceof Instant) return new Duration(a.ms - b.ms);
  if (a instanceof Instant && b instanceof Duration) return new Instant(a.ms - b.ms, a.zone);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.ms - b.ms);
  throw mismatch('-', a, b);
}

/** A quotient and a power are floats always, as in Go's expr; a remainder takes integers. */
function multiply(operator: '*' | '/' | '%' | '**' | '^', a: Value, b: Value): Value {
  if (operator === '%') {
    if (typeof a !== 'bigint' || typeof b !== 'bigint') throw mismatch('%', a, b);
    if (b === 0n) throw new ExpressionError('integer divide by zero');
    return a % b;
  }
  if (operator === '*') {
    if (typeof a === 'bigint' && typeof b === 'bigint') return int(a * b);
    if (a instanceof Duration && isNumber(b)) return new Duration(a.ms * Number(b));
    if (b instanceof Duration && isNumber(a)) return new Duration(b.ms * Number(a));
  }
  if (!isNumber(a) || !isNumber(b)) throw mismatch(operator, a, b);
  if (operator === '*') return Number(a) * Number(b);
  return operator === '/' ? Number(a) / Number(b) : Number(a) ** Number(b);
}

function isIn(a: Value, b: Value): boolean {
  if (isList(b)) return b.some((item) => equalValues(a, item));
  if (isMap(b) && typeof a === 'string') return Object.hasOwn(b, a);
  if (b === null) return false;
  throw mismatch('in', a, b);
}

function compareTexts(
  operator: 'contains' | 'startsWith' | 'endsWith' | 'matches',
  a: Value,
  b: Value,
): boolean {
  if (typeof b !== 'string') throw mismatch(operator, a, b);
  if (a === null && operator === 'matches') return false;
  if (typeof a !== 'string') throw mismatch(operator, a, b);
  if (operator === 'contains') return a.includes(b);
  if (operator === 'startsWith') return a.startsWith(b);
  return operator === 'endsWith' ? a.endsWith(b) : matches(a, b);
}

/** All integers from a to b; the evaluator has charged for them. */
function range(a: Value, b: Value): Value {
  if (typeof a !== 'bigint' || typeof b !== 'bigint') throw mismatch('..', a, b);
  return Array.from({ length: Math.max(0, Number(b - a) + 1) }, (_, index) => a + BigInt(index));
}
