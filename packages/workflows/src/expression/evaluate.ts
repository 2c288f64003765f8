import { Budget, type ExpressionLimits } from './budget.ts';
import { type Evaluation, evaluate } from './expr/evaluate.ts';
import { parseExpression } from './expr/parser.ts';
import { COLLECTION_FUNCTIONS } from './functions/collections.ts';
import { DATE_FUNCTIONS } from './functions/dates.ts';
import { NUMBER_FUNCTIONS } from './functions/numbers.ts';
import type { FunctionTable } from './functions/row.ts';
import { TEXT_FUNCTIONS } from './functions/texts.ts';
import type { Value, ValueMap } from './values.ts';

/** Functions of the language itself. */
const BUILT_IN: FunctionTable = {
  ...TEXT_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...COLLECTION_FUNCTIONS,
  ...DATE_FUNCTIONS,
};

/** How an expression is evaluated. */
export interface ExpressionOptions {
  /** Functions beside those of the language; they win over them. */
  readonly functions?: FunctionTable;
  readonly limits?: ExpressionLimits;
  /** Milliseconds since 1970. @default the system's clock */
  readonly now?: () => number;
  /** @default Math.random */
  readonly random?: () => number;
}

/**
 * Evaluates an expression of expr-lang 1.17 over an environment.
 *
 * It reaches nothing but its arguments, and costs at most what the limits allow.
 *
 * @throws ExpressionError with line, column and the line that is wrong; UnknownNameError for a name that is not there;
 *   ExpressionBudgetError when a limit is reached
 */
export function evaluateExpression(
  source: string,
  environment: ValueMap,
  options: ExpressionOptions = {},
): Value {
  const { functions = {}, limits, now = Date.now, random = Math.random } = options;
  const budget = new Budget(limits);
  const isBuiltin = (name: string): boolean =>
    Object.hasOwn(BUILT_IN, name) && !Object.hasOwn(functions, name);
  const node = parseExpression(source, budget, isBuiltin);
  const evaluation: Evaluation = {
    source,
    environment,
    functions: { ...BUILT_IN, ...functions },
    context: { now, random, budget },
  };
  return evaluate(node, evaluation);
}
