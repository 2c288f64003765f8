/** Where something stands in a text: offsets in code units, the end not included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * An expression that cannot be read or evaluated. `message` has the form that users of expr-lang know: the problem, line and
 * column, and the line itself with a mark below the place.
 */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** The problem, without the place. */
  readonly problem: string;
  readonly span: Span | undefined;

  constructor(problem: string, source?: string, span?: Span, options?: ErrorOptions) {
    super(
      source === undefined || span === undefined ? problem : withPlace(problem, source, span.from),
      options,
    );
    this.problem = problem;
    this.span = span;
  }
}

/** An expression asks for more than it is allowed to: of which limit, how much. It is never worth another attempt. */
export class ExpressionBudgetError extends ExpressionError {
  override readonly name = 'ExpressionBudgetError' as 'ExpressionError';
  readonly limit: string;

  constructor(limit: string, most: number, source?: string, span?: Span) {
    super(`expression exceeds the limit of ${most} ${limit}`, source, span);
    this.limit = limit;
  }
}

/** The problem with line and column, both counted from 1, and the line with a mark. A source without text has no place. */
function withPlace(problem: string, source: string, offset: number): string {
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const lineNumber = before.split('\n').length;
  const column = [...before.slice(lineStart)].length;
  const [line = ''] = source.slice(lineStart).split('\n', 1);
  if (line === '') return problem;
  const marked = ` | ${line.replaceAll('\t', ' ')}\n | ${'.'.repeat(column)}^`;
  return `${problem} (${lineNumber}:${column + 1})\n${marked}`;
}
