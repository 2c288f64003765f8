/** When the next step of chaos is due, and why it may be none. */
type NextStep =
  | { readonly kind: 'step'; readonly dueAt: number }
  | { readonly kind: 'end'; readonly endsAt: number };

/** What the decision depends on; times in milliseconds since the epoch. */
interface RoundClock {
  readonly endsAt: number;
  /** When the step before was due, not when it really began: so small delays do not add up. */
  readonly previousDueAt: number;
  /** Wanted time from one step to the next. */
  readonly waitMs: number;
  readonly now: number;
}

/** Shortest time between two steps, so that an interval of 0 cannot turn into a storm of requests. */
export const MIN_STEP_MS = 100;

/**
 * Decides when the next step begins: one wait after the step before was due, or at once when recovering took longer. A step
 * never begins at or after the end: 15 s at an interval of 5 s gives steps at 0, 5 and 10, and ends at 15.
 */
export function nextStep({ endsAt, previousDueAt, waitMs, now }: RoundClock): NextStep {
  const dueAt = Math.max(previousDueAt + Math.max(waitMs, MIN_STEP_MS), now);
  return dueAt < endsAt ? { kind: 'step', dueAt } : { kind: 'end', endsAt };
}

/** Splits the targets of one round into steps: all at once, or one by one. */
export function stepsOf<T>(
  targets: readonly T[],
  sequence: 'serial' | 'parallel',
): readonly (readonly T[])[] {
  return sequence === 'serial' ? targets.map((target) => [target]) : [targets];
}
