import { ExpressionError } from '../errors.ts';
import { sorted } from '../functions/collections.ts';
import { int, isNumber, newMap, printValue, typeName, type Value } from '../values.ts';
import { operate } from './operate.ts';

/** What a predicate gives for an element. */
export type Predicate = (item: Value, index: number, accumulator?: Value) => Value;

/** Carries out a function that takes a predicate; `more` is what may stand after it. @throws ExpressionError without a place */
export function applyPredicate(
  name: string,
  list: readonly Value[],
  predicate: Predicate | undefined,
  more: Value | undefined,
): Value {
  const of: Predicate = predicate ?? ((item) => item);
  const isTrue = (item: Value, index: number): boolean => {
    const value = of(item, index);
    if (typeof value === 'boolean') return value;
    throw new ExpressionError(`predicate should return boolean (got ${typeName(value)})`);
  };
  switch (name) {
    case 'all':
      return list.every(isTrue);
    case 'none':
      return !list.some(isTrue);
    case 'any':
      return list.some(isTrue);
    case 'one':
      return list.filter(isTrue).length === 1;
    case 'filter':
      return list.filter(isTrue);
    case 'map':
      return list.map((item, index) => of(item, index));
    case 'count':
      return int(list.filter(isTrue).length);
    case 'find':
      return list.find(isTrue) ?? null;
    case 'findLast':
      return list.findLast(isTrue) ?? null;
    case 'findIndex':
      return indexOrNil(list.findIndex(isTrue));
    case 'findLastIndex':
      return indexOrNil(list.findLastIndex(isTrue));
    case 'groupBy':
      return groups(list, of);
    case 'sortBy':
      return sorted(list, of, more ?? 'asc');
    case 'sum':
      return list.reduce<Value>((sum, item, index) => plus(sum, of(item, index)), 0n);
    case 'reduce':
      return reduced(list, of, more);
  }
  throw new ExpressionError(`unknown function ${name}`);
}

function indexOrNil(index: number): Value {
  return index < 0 ? null : int(index);
}

function groups(list: readonly Value[], of: Predicate): Value {
  const found = new Map<string, Value[]>();
  for (const [index, item] of list.entries()) {
    const key = printValue(of(item, index));
    found.set(key, [...(found.get(key) ?? []), item]);
  }
  return newMap(found);
}

function plus(sum: Value, value: Value): Value {
  if (!isNumber(value)) throw new ExpressionError(`cannot sum ${typeName(value)}`);
  return operate('+', sum, value);
}

/** Without a value to begin with, the first element is it. */
function reduced(list: readonly Value[], of: Predicate, initial: Value | undefined): Value {
  const [first, ...others] = list;
  if (initial === undefined && first === undefined)
    throw new ExpressionError('reduce of empty array with no initial value');
  const items = initial === undefined ? others : list;
  const skipped = list.length - items.length;
  return items.reduce<Value>((sum, item, index) => of(item, index + skipped, sum), initial ?? first ?? null);
}
