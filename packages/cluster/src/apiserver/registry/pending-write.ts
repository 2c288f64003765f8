import type { AdmissionAttempt } from './environment.ts';

/** Before a write is complete, when it may still be changed, or when it is valid and only needs consent. */
export type Phase = 'mutating' | 'validating';

/** Where a write pauses. Its driver may change `attempt.object` while it mutates. */
export interface Pause {
  readonly phase: Phase;
  readonly attempt: AdmissionAttempt;
}

/**
 * A write of one object that pauses twice on its way to the store: once for each phase. It stores nothing before the last
 * pause is over, so it may be dropped at any of them.
 */
export type PendingWrite<Result> = Generator<Pause, Result, void>;

/** Carries out a write without a pause. */
export function completeAtOnce<Result>(write: PendingWrite<Result>): Result {
  for (;;) {
    const step = write.next();
    if (step.done === true) return step.value;
  }
}
