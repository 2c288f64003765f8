import { ExpressionError } from '../errors.ts';
import {
  asInt,
  asList,
  asMap,
  asText,
  type FunctionRow,
  type FunctionTable,
  MANY,
  takes,
} from '../functions/row.ts';
import {
  entryOf,
  equalValues,
  isMap,
  newMap,
  sortedKeys,
  sortedValues,
  type Value,
  type ValueMap,
} from '../values.ts';
import { isEmpty, toText } from './convert.ts';

/** Functions of lists and maps. None changes its arguments. Source: masterminds.github.io/sprig, lists and dicts. */
export const COLLECTIONS: FunctionTable = withMust({
  list: takes([0, MANY], (args) => [...args]),
  tuple: takes([0, MANY], (args) => [...args]),
  first: takes(1, ([list]) => asList(list)[0] ?? null),
  last: takes(1, ([list]) => asList(list).at(-1) ?? null),
  rest: takes(1, ([list]) => asList(list).slice(1)),
  initial: takes(1, ([list]) => asList(list).slice(0, -1)),
  append: takes(2, ([list, value = null]) => [...asList(list), value]),
  push: takes(2, ([list, value = null]) => [...asList(list), value]),
  prepend: takes(2, ([list, value = null]) => [value, ...asList(list)]),
  reverse: takes(1, ([list]) => asList(list).toReversed()),
  compact: takes(1, ([list]) => asList(list).filter((item) => !isEmpty(item))),
  uniq: comparing((list) =>
    list.filter((item, index) => list.findIndex((one) => equalValues(one, item)) === index),
  ),
  without: {
    arity: [1, MANY],
    size: (args) => asList(args[0]).length * args.length,
    run: ([list, ...omitted]) =>
      asList(list).filter((item) => !omitted.some((one) => equalValues(one, item))),
  },
  has: takes(
    2,
    ([needle = null, list = null]) => list !== null && asList(list).some((item) => equalValues(item, needle)),
  ),
  slice: takes([1, 3], ([list, from, to]) =>
    asList(list).slice(
      from === undefined ? 0 : Number(asInt(from)),
      to === undefined ? undefined : Number(asInt(to)),
    ),
  ),
  concat: takes([0, MANY], (args) => args.flatMap((list) => asList(list))),
  chunk: takes(2, ([count, list]) => {
    const size = Number(asInt(count));
    if (size < 1) throw new ExpressionError('chunk: the size must be above 0');
    const items = asList(list);
    return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
      items.slice(index * size, (index + 1) * size),
    );
  }),
  dict: takes([0, MANY], (args) => {
    const pairs: [string, Value][] = [];
    for (let at = 0; at < args.length; at += 2) pairs.push([toText(args[at]), args[at + 1] ?? '']);
    return newMap(pairs);
  }),
  get: takes(2, ([map, key]) => entryOf(asMap(map), asText(key)) ?? ''),
  set: takes(3, ([map, key, value = null]) => newMap([...Object.entries(asMap(map)), [asText(key), value]])),
  unset: takes(2, ([map, key]) =>
    newMap(Object.entries(asMap(map)).filter(([name]) => name !== asText(key))),
  ),
  hasKey: takes(2, ([map, key]) => Object.hasOwn(asMap(map), asText(key))),
  pluck: takes([1, MANY], ([key, ...maps]) => maps.flatMap((map) => entryOf(asMap(map), asText(key)) ?? [])),
  keys: takes([0, MANY], (args) => args.flatMap((map) => sortedKeys(asMap(map)))),
  values: takes(1, ([map]) => sortedValues(asMap(map))),
  pick: takes([1, MANY], ([map, ...keys]) => {
    const wanted = new Set(keys.map(asText));
    return newMap(Object.entries(asMap(map)).filter(([name]) => wanted.has(name)));
  }),
  omit: takes([1, MANY], ([map, ...keys]) => {
    const unwanted = new Set(keys.map(asText));
    return newMap(Object.entries(asMap(map)).filter(([name]) => !unwanted.has(name)));
  }),
  merge: takes([1, MANY], ([first, ...others]) => merged(asMap(first), others.map(asMap), false)),
  mergeOverwrite: takes([1, MANY], ([first, ...others]) => merged(asMap(first), others.map(asMap), true)),
  dig: takes([3, MANY], (args) => {
    const [path, [otherwise = null, map]] = [args.slice(0, -2).map(asText), args.slice(-2)];
    let at: Value = asMap(map);
    for (const key of path) {
      const next: Value | undefined = isMap(at) ? entryOf(at, key) : undefined;
      if (next === undefined) return otherwise;
      at = next;
    }
    return at;
  }),
  deepCopy: takes(1, ([value = null]) => value),
});

/** Sprig has each of them twice: with `must` in front of the name an error is an error, which here it always is. */
function withMust(table: FunctionTable): FunctionTable {
  const must = Object.entries(table).map(([name, row]) => [
    `must${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    row,
  ]);
  return { ...table, ...Object.fromEntries(must) };
}

/** Compares each element with each: paid for by the square. */
function comparing(run: (list: readonly Value[]) => Value): FunctionRow {
  return { arity: [1, 1], size: ([list]) => asList(list).length ** 2, run: ([list]) => run(asList(list)) };
}

/** Maps within maps are merged; of other values the first that is something wins, or with `overwrites` the last. */
function merged(first: ValueMap, others: readonly ValueMap[], overwrites: boolean): ValueMap {
  const result = newMap(Object.entries(first));
  for (const other of others) {
    for (const [key, value] of Object.entries(other)) {
      const present = entryOf(result, key);
      if (present !== undefined && isMap(present) && isMap(value))
        result[key] = merged(present, [value], overwrites);
      else if (isEmpty(present) || (overwrites && !isEmpty(value))) result[key] = value;
    }
  }
  return result;
}
