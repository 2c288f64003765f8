import { ExpressionError } from '../errors.ts';
import { asBoolean, asText, type FunctionTable, MANY, takes } from '../functions/row.ts';
import { equalValues, isList, isMap, typeName, type Value } from '../values.ts';
import { isEmpty, toText } from './convert.ts';

/** Functions of types and defaults. Source: masterminds.github.io/sprig, defaults, reflection, flow control. */
export const TYPES: FunctionTable = {
  default: takes([1, MANY], ([otherwise = null, given = null]) => (isEmpty(given) ? otherwise : given)),
  empty: takes(1, ([value]) => isEmpty(value)),
  coalesce: takes([0, MANY], (args) => args.find((value) => !isEmpty(value)) ?? null),
  all: takes([0, MANY], (args) => !args.some(isEmpty)),
  any: takes([0, MANY], (args) => args.some((value) => !isEmpty(value))),
  ternary: takes(3, ([yes = null, no = null, condition]) => (asBoolean(condition) ? yes : no)),
  toString: takes(1, ([value]) => toText(value)),
  typeOf: takes(1, ([value = null]) => goType(value)),
  typeIs: takes(2, ([type, value = null]) => asText(type) === goType(value)),
  typeIsLike: takes(2, ([type, value = null]) => asText(type) === goType(value)),
  kindOf: takes(1, ([value = null]) => goKind(value)),
  kindIs: takes(2, ([kind, value = null]) => asText(kind) === goKind(value)),
  deepEqual: takes(
    2,
    // 1 and 1.0 are of different types, so they are not the same.
    ([a = null, b = null]) => typeName(a) === typeName(b) && equalValues(a, b),
  ),
  fail: takes(1, ([message]) => {
    throw new ExpressionError(asText(message));
  }),
  hello: takes(0, () => 'Hello!'),
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
