/**
 * Functions that evaluate an expression for each element of a list, with their parameters; `?` marks those that may be left out.
 * Source: github.com/expr-lang/expr, docs/language-definition.md, Array Functions.
 */
export const PREDICATE_FUNCTIONS: Readonly<
  Record<string, readonly ('value' | 'value?' | 'predicate' | 'predicate?')[]>
> = {
  all: ['value', 'predicate'],
  none: ['value', 'predicate'],
  any: ['value', 'predicate'],
  one: ['value', 'predicate'],
  filter: ['value', 'predicate'],
  map: ['value', 'predicate'],
  count: ['value', 'predicate?'],
  sum: ['value', 'predicate?'],
  find: ['value', 'predicate'],
  findIndex: ['value', 'predicate'],
  findLast: ['value', 'predicate'],
  findLastIndex: ['value', 'predicate'],
  groupBy: ['value', 'predicate'],
  sortBy: ['value', 'predicate', 'value?'],
  reduce: ['value', 'predicate', 'value?'],
};
