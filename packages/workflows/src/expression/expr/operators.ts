/**
 * The binary operators of expr, by their precedence: higher binds tighter. Source: github.com/expr-lang/expr, docs/language-definition.md
 * and the measured answers in `test-data/`.
 */
const LEVELS: readonly (readonly [precedence: number, ...operators: string[]])[] = [
  [0, '|'],
  [10, 'or', '||'],
  [15, 'and', '&&'],
  [20, '==', '!=', '<', '>', '>=', '<=', 'in', 'matches', 'contains', 'startsWith', 'endsWith'],
  [25, '..'],
  [30, '+', '-'],
  [60, '*', '/', '%'],
  [100, '**', '^'],
  [500, '??'],
];

export const BINARY_PRECEDENCE: ReadonlyMap<string, number> = new Map(
  LEVELS.flatMap(([precedence, ...operators]) => operators.map((operator) => [operator, precedence])),
);

/** `a ^ b ^ c` is `a ^ (b ^ c)`. */
export const RIGHT_ASSOCIATIVE: ReadonlySet<string> = new Set(['**', '^']);

export const UNARY_PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ['not', 50],
  ['!', 50],
  ['-', 90],
  ['+', 90],
]);

/** What `not` may stand before: `a not in b`. */
export const NEGATABLE: ReadonlySet<string> = new Set([
  'in',
  'matches',
  'contains',
  'startsWith',
  'endsWith',
]);

/** Operators that form chains: `1 < x < 3` is `1 < x && x < 3`. */
export const COMPARISONS: ReadonlySet<string> = new Set(['<', '>', '<=', '>=']);
