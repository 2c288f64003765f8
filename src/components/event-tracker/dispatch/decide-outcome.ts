import type { Answer } from '../../../agent-link/answer.ts';
import type { TriggerEnd } from '../triggers/trigger-list.ts';

/** What an attempt to hand over a trigger came to. */
export type Outcome =
  /** It is over. */
  | { readonly type: 'ended'; readonly end: TriggerEnd }
  /** This trigger waits; others may go. */
  | { readonly type: 'held'; readonly why: string }
  /** The server cannot be reached at present. */
  | { readonly type: 'unreachable'; readonly why: string; readonly afterMs?: number | undefined };

/** Field of the answer. */
const FIELD = 'gitopsNotifier';
/** The server's text in place of an acknowledgement while GitOps is off. Upstream's tracker looks for another spelling. */
const DISABLED = /^gitops disabled/i;
const VALIDATION_FAILED = /^validation failed/i;
/** What no repetition changes. */
const NO_SUCH_EXPERIMENT = /no such experiment found/i;

/** What an answer means for the trigger that was sent. Pure. */
export function decideOutcome(answer: Answer): Outcome {
  switch (answer.type) {
    case 'again':
      return { type: 'unreachable', why: answer.why, afterMs: answer.afterMs };
    case 'refused': {
      const why = answer.messages.join('; ');
      if (NO_SUCH_EXPERIMENT.test(why)) return { type: 'ended', end: { state: 'Refused', message: why } };
      return { type: 'held', why: `the control plane answers: ${why}` };
    }
    case 'delivered':
      return outcomeOf(answer.data[FIELD]);
  }
}

function outcomeOf(text: unknown): Outcome {
  if (typeof text !== 'string') return { type: 'held', why: `the control plane's answer has no ${FIELD}` };
  if (DISABLED.test(text)) {
    return {
      type: 'held',
      why: 'GitOps is disabled for the project; enable it there, and the trigger is sent',
    };
  }
  if (VALIDATION_FAILED.test(text)) {
    return { type: 'held', why: 'the control plane does not know INFRA_ID with this ACCESS_KEY' };
  }
  return { type: 'ended', end: { state: 'Sent', message: text.slice(0, 200) } };
}
