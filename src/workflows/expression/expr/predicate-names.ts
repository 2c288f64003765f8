const TAKES_PREDICATE = /^(?:all|none|any|one|filter|map|count|sum|find\w*|groupBy|sortBy|reduce)$/;

/** Whether a function takes predicates: the parser reads its arguments in another way. */
export function takesPredicate(name: string): boolean {
  return TAKES_PREDICATE.test(name);
}
