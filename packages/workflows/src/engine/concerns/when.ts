import { Budget } from '../../expression/budget.ts';
import { ExpressionError } from '../../expression/errors.ts';
import { evaluateGovaluate, GovaluateSyntaxError } from '../../expression/govaluate/evaluate-govaluate.ts';
import { NodeError } from '../node-error.ts';

/** Whether a step is to run. Without a condition it is. @throws NodeError */
export function evaluateWhen(when: string | undefined): boolean {
  if (when === undefined || when === '') return true;
  const value = evaluated(when);
  if (typeof value === 'boolean') return value;
  throw new NodeError(`Expected boolean evaluation for '${when}'. Got ${String(value)}`);
}

function evaluated(when: string): unknown {
  try {
    return evaluateGovaluate(when, 'texts', new Budget());
  } catch (cause) {
    if (!(cause instanceof ExpressionError)) throw cause;
    if (!(cause instanceof GovaluateSyntaxError)) {
      throw new NodeError(`Failed to evaluate 'when' expresion '${when}': ${cause.message}`, { cause });
    }
    const hint = cause.message.startsWith('Invalid token')
      ? ' (hint: try wrapping the affected expression in quotes ("))'
      : '';
    throw new NodeError(`Invalid 'when' expression '${when}': ${cause.message}${hint}`, { cause });
  }
}
