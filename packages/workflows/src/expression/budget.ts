import { ExpressionBudgetError, type Span } from './errors.ts';

/** What one expression may cost. */
export interface ExpressionLimits {
  /** Characters of the expression. */
  readonly sourceLength: number;
  /** Nodes of its syntax tree. */
  readonly nodes: number;
  /** Levels of nesting. */
  readonly depth: number;
  /** Nodes evaluated and elements visited. */
  readonly steps: number;
  /** Characters and elements of values made on the way; a reference counts as one. */
  readonly size: number;
}

/** Enough for every published example by far, and over in well under a second. */
export const DEFAULT_LIMITS: ExpressionLimits = {
  sourceLength: 100_000,
  nodes: 10_000,
  depth: 200,
  steps: 1_000_000,
  size: 4_000_000,
};

/** Counts what an evaluation costs. One per expression; shared by all functions that it calls. */
export class Budget {
  readonly limits: ExpressionLimits;
  #steps = 0;
  #size = 0;

  constructor(limits: ExpressionLimits = DEFAULT_LIMITS) {
    this.limits = limits;
  }

  /** Pays for work before it is done. @throws ExpressionBudgetError */
  chargeSteps(amount: number, source?: string, span?: Span): void {
    this.#steps += amount;
    if (this.#steps > this.limits.steps) {
      throw new ExpressionBudgetError('steps', this.limits.steps, source, span);
    }
  }

  /** Pays for a value before it is made. @throws ExpressionBudgetError */
  chargeSize(amount: number, source?: string, span?: Span): void {
    this.#size += amount;
    if (this.#size > this.limits.size) {
      throw new ExpressionBudgetError('characters and elements', this.limits.size, source, span);
    }
  }
}
