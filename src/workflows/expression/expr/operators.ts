/**
 * Precedence of the operators of expr, higher binds tighter. Source: github.com/expr-lang/expr, docs/language-definition.md and
 * the measured answers in `test-data/`.
 */
interface BinaryOperator {
  readonly precedence: number;
  /** `a ^ b ^ c` is `a ^ (b ^ c)`. */
  readonly rightAssociative?: true;
}

export const BINARY_OPERATORS: Readonly<Record<string, BinaryOperator>> = {
  '|': { precedence: 0 },
  or: { precedence: 10 },
  '||': { precedence: 10 },
  and: { precedence: 15 },
  '&&': { precedence: 15 },
  '==': { precedence: 20 },
  '!=': { precedence: 20 },
  '<': { precedence: 20 },
  '>': { precedence: 20 },
  '>=': { precedence: 20 },
  '<=': { precedence: 20 },
  in: { precedence: 20 },
  matches: { precedence: 20 },
  contains: { precedence: 20 },
  startsWith: { precedence: 20 },
  endsWith: { precedence: 20 },
  '..': { precedence: 25 },
  '+': { precedence: 30 },
  '-': { precedence: 30 },
  '*': { precedence: 60 },
  '/': { precedence: 60 },
  '%': { precedence: 60 },
  '**': { precedence: 100, rightAssociative: true },
  '^': { precedence: 100, rightAssociative: true },
  '??': { precedence: 500 },
};

export const UNARY_PRECEDENCE: Readonly<Record<string, number>> = { not: 50, '!': 50, '-': 90, '+': 90 };

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
