import { ApiError, isExpired } from '../client/errors.ts';

/**
 * The present step of an informer.
 *
 *     list ──▶ watch ──▶ watch …          every arrow may lead through `wait`
 *      ▲         │
 *      └─────────┘  the position is lost (410), or the watch is refused
 */
export type InformerStep =
  /** Reads everything. Entered at the start, and when the position in the history is lost. */
  | { readonly name: 'list' }
  /** Follows changes after a version. Left when the stream ends, breaks, stalls or is refused. */
  | { readonly name: 'watch'; readonly resourceVersion: string }
  /** Lets time pass after a failure; left for `next`. */
  | { readonly name: 'wait'; readonly next: 'list' | 'watch'; readonly resourceVersion: string };

/** How a list or watch ended. */
export type StepOutcome =
  | { readonly type: 'listed'; readonly resourceVersion: string }
  /** The server ended the stream, as it does from time to time. `lived` is false for one that ended as it began. */
  | { readonly type: 'ended'; readonly resourceVersion: string; readonly lived: boolean }
  /** Nothing was received for too long. */
  | { readonly type: 'stalled'; readonly resourceVersion: string }
  | {
      readonly type: 'failed';
      readonly during: 'list' | 'watch';
      readonly error: unknown;
      readonly resourceVersion: string;
      /** Whether the watch delivered something first. */
      readonly lived: boolean;
    };

/** The step that follows, and whether what ended counts as a failure for the back-off. Pure. */
export function decideNextStep(outcome: StepOutcome): {
  readonly step: InformerStep;
  readonly isFailure: boolean;
} {
  switch (outcome.type) {
    case 'listed':
      return { step: { name: 'watch', resourceVersion: outcome.resourceVersion }, isFailure: false };
    case 'ended':
      // A server that ends every watch at once must not be asked in a tight loop.
      return outcome.lived ? watchOn(outcome.resourceVersion) : pause('watch', outcome.resourceVersion);
    case 'stalled':
      return watchOn(outcome.resourceVersion);
    case 'failed':
      return afterFailure(outcome);
  }
}

function afterFailure(outcome: Extract<StepOutcome, { type: 'failed' }>): ReturnType<typeof decideNextStep> {
  const { error, resourceVersion } = outcome;
  if (outcome.during === 'list') return pause('list', resourceVersion);
  if (isExpired(error)) {
    // One lost position is news, not a failure; a second one without a word in between is.
    return outcome.lived ? { step: { name: 'list' }, isFailure: false } : pause('list', resourceVersion);
  }
  // Refused for another reason than load: the list says clearly why, and finds the way back when the cause is gone.
  if (error instanceof ApiError && error.code < 500 && error.code !== 429)
    return pause('list', resourceVersion);
  return pause('watch', resourceVersion);
}

function watchOn(resourceVersion: string): ReturnType<typeof decideNextStep> {
  return { step: { name: 'watch', resourceVersion }, isFailure: false };
}

function pause(next: 'list' | 'watch', resourceVersion: string): ReturnType<typeof decideNextStep> {
  return { step: { name: 'wait', next, resourceVersion }, isFailure: true };
}
