import { ExpressionError } from '../errors.ts';
import {
  entryOf,
  equalValues,
  FunctionValue,
  int,
  isList,
  isMap,
  newMap,
  orderOf,
  printValue,
  sortedKeys,
  sortedValues,
  typeName,
  type Value,
} from '../values.ts';
import { asInt, asList, asMap, asText, type FunctionTable, MANY, takes } from './row.ts';

/** Built-in functions of expr for lists and maps. Source: github.com/expr-lang/expr, docs/language-definition.md. */
export const COLLECTION_FUNCTIONS: FunctionTable = {
  len: { arity: [1, 1], size: () => 1, run: ([value = null]) => int(lengthOf(value)) },
  type: { arity: [1, 1], size: () => 1, run: ([value = null]) => kindOf(value) },
  first: { arity: [1, 1], size: () => 1, run: ([list]) => asList(list)[0] ?? null },
  last: { arity: [1, 1], size: () => 1, run: ([list]) => asList(list).at(-1) ?? null },
  get: { arity: [2, 2], size: () => 1, run: ([object = null, key = null]) => memberOrNil(object, key) },
  take: takes(2, ([list, count]) => {
    const most = asInt(count);
    if (most < 0n) throw new ExpressionError(`cannot take ${most} elements`);
    return asList(list).slice(0, Number(most));
  }),
  keys: takes(1, ([map]) => sortedKeys(asMap(map))),
  values: takes(1, ([map]) => sortedValues(asMap(map))),
  toPairs: takes(1, ([map]) => {
    const of = asMap(map);
    return sortedKeys(of).map((key) => [key, of[key] ?? null]);
  }),
  fromPairs: takes(1, ([list]) =>
    newMap(
      asList(list).map((pair) => {
        const [key = null, value = null, ...more] = asList(pair);
        if (more.length > 0) throw new ExpressionError('invalid pair: expected a key and a value');
        return [asText(key), value];
      }),
    ),
  ),
  reverse: takes(1, ([list]) => asList(list).toReversed()),
  uniq: {
    arity: [1, 1],
    // Compares each with each: paid for by the square.
    size: ([list]) => asList(list).length ** 2,
    run: ([list]) => {
      const kept: Value[] = [];
      for (const item of asList(list)) if (!kept.some((one) => equalValues(one, item))) kept.push(item);
      return kept;
    },
  },
  concat: takes([1, MANY], (args) => args.flatMap((list) => asList(list))),
  flatten: takes(1, ([list]) => flattened(asList(list))),
  sort: {
    arity: [1, 2],
    size: ([list]) => asList(list).length * 16,
    run: ([list, order = 'asc']) => sorted(asList(list), (item) => item, order),
  },
};

/** Sorted by the values of `keyOf`; equal ones stay in order. @param order `asc` or `desc` */
export function sorted(
  list: readonly Value[],
  keyOf: (item: Value, index: number) => Value,
  order: Value,
): Value[] {
  if (order !== 'asc' && order !== 'desc') {
    throw new ExpressionError(`invalid order ${printValue(order)}, expected asc or desc`);
  }
  const keys = list.map(keyOf);
  const places = [...list.keys()];
  const direction = order === 'asc' ? 1 : -1;
  places.sort((a, b) => direction * compareValues(keys[a] ?? null, keys[b] ?? null));
  return places.map((place) => list[place] ?? null);
}

/** The order of two values. @throws ExpressionError for types without one */
function compareValues(a: Value, b: Value): number {
  const order = orderOf(a, b);
  if (order === undefined) throw new ExpressionError(`invalid operation: ${typeName(a)} < ${typeName(b)}`);
  return order;
}

function flattened(list: readonly Value[]): Value[] {
  return list.flatMap((item) => (isList(item) ? flattened(item) : [item]));
}

function lengthOf(value: Value): number {
  if (typeof value === 'string') return [...value].length;
  if (isList(value)) return value.length;
  if (isMap(value)) return Object.keys(value).length;
  throw new ExpressionError(`invalid argument for len (type ${typeName(value)})`);
}

function kindOf(value: Value): string {
  if (value === null) return 'nil';
  if (isList(value)) return 'array';
  if (isMap(value)) return 'map';
  if (typeof value === 'number') return 'float';
  return value instanceof FunctionValue ? 'func' : typeName(value);
}

/** The member of a list or map; nil when it is missing. */
function memberOrNil(object: Value, key: Value): Value {
  if (isList(object)) return object.at(Number(asInt(key))) ?? null;
  return isMap(object) && typeof key === 'string' ? (entryOf(object, key) ?? null) : null;
}
