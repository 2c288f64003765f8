import { ExpressionError } from '../errors.ts';
import { asBoolean, asText, type FunctionRow, type FunctionTable } from '../functions/row.ts';
import { equalValues, isList, isMap, typeName, type Value } from '../values.ts';
import { isEmpty, toText } from './convert.ts';

const MANY = Number.POSITIVE_INFINITY;

/** Apart, for in a table its name has a meaning of its own to the compiler. */
const TO_STRING: FunctionRow = { arity: [1, 1], run: ([value]) => toText(value) };

/** Functions of types and defaults. Source: masterminds.github.io/sprig, defaults, reflection, flow control. */
export const TYPES: FunctionTable = {
  default: {
    arity: [1, MANY],
    run: ([otherwise = null, given = null]) => (isEmpty(given) ? otherwise : given),
  },
  empty: { arity: [1, 1], run: ([value]) => isEmpty(value) },
  coalesce: { arity: [0, MANY], run: (args) => args.find((value) => !isEmpty(value)) ?? null },
  all: { arity: [0, MANY], run: (args) => !args.some(isEmpty) },
  any: { arity: [0, MANY], run: (args) => args.some((value) => !isEmpty(value)) },
  ternary: { arity: [3, 3], run: ([yes = null, no = null, condition]) => (asBoolean(condition) ? yes : no) },
  toString: TO_STRING,
  typeOf: { arity: [1, 1], run: ([value = null]) => goType(value) },
  typeIs: { arity: [2, 2], run: ([type, value = null]) => asText(type) === goType(value) },
  typeIsLike: { arity: [2, 2], run: ([type, value = null]) => asText(type) === goType(value) },
  kindOf: { arity: [1, 1], run: ([value = null]) => goKind(value) },
  kindIs: { arity: [2, 2], run: ([kind, value = null]) => asText(kind) === goKind(value) },
  deepEqual: {
    arity: [2, 2],
    // 1 and 1.0 are of different types, so they are not the same.
    run: ([a = null, b = null]) => typeName(a) === typeName(b) && equalValues(a, b),
  },
  fail: {
    arity: [1, 1],
    run: ([message]) => {
      throw new ExpressionError(asText(message));
    },
  },
  hello: { arity: [0, 0], run: () => 'Hello!' },
};

function goType(value: Value): string {
  return value === null ? '<nil>' : typeName(value);
}

function goKind(value: Value): string {
  if (value === null) return 'invalid';
  if (isList(value)) return 'slice';
  return isMap(value)
    ? 'map'
    : typeName(value)
        .replace(/^time\.Time$/, 'struct')
        .replace(/^time\.Duration$/, 'int64');
}
