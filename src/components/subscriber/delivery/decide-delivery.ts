import type { Answer } from '../../../control-plane-client/answer.ts';
import { backoffDelayMs } from '../../../kube/runtime/backoff.ts';

/** What becomes of an event after the server's answer. */
export type Verdict =
  /** The server has it. */
  | { readonly type: 'taken' }
  /** The server does not want it, and never will: the run is over for it already, or of no experiment of its. */
  | { readonly type: 'discarded'; readonly why: string }
  /** The server does not take this one: others go on, later ones of the same run wait behind it. */
  | { readonly type: 'hold-run'; readonly delayMs: number; readonly why: string }
  /** Nothing can be delivered now. */
  | { readonly type: 'hold-all'; readonly delayMs: number; readonly why: string };

const OF_SERVER = { baseMs: 500, maxMs: 30_000, jitter: 'equal' } as const;
const OF_RUN = { baseMs: 1_000, maxMs: 300_000, jitter: 'equal' } as const;
const OF_IDENTITY = { baseMs: 5_000, maxMs: 300_000, jitter: 'equal' } as const;

/** Texts of ChaosCenter's server. */
const NO_EXPERIMENT = /no experiment found/i;
const DUPLICATE = /discarded due the duplicate event/i;
const IDENTITY = /VERSION MISMATCH|accessID MISMATCH/i;

/**
 * Pure.
 * @param failures answers in a row, this one included, that did not take it: of the run, or of the server
 */
export function decideDelivery(answer: Answer, failures: number, random: number): Verdict {
  const delay = (options: typeof OF_SERVER | typeof OF_RUN | typeof OF_IDENTITY): number =>
    backoffDelayMs(failures, options, () => random);
  switch (answer.type) {
    case 'delivered': {
      const text = answer.data.chaosExperimentRun;
      if (typeof text !== 'string') {
        return { type: 'hold-run', delayMs: delay(OF_RUN), why: 'the server did not say what it did' };
      }
      return NO_EXPERIMENT.test(text) ? { type: 'discarded', why: text } : { type: 'taken' };
    }
    case 'refused': {
      const why = answer.messages.join('; ');
      if (DUPLICATE.test(why) || NO_EXPERIMENT.test(why)) return { type: 'discarded', why };
      if (IDENTITY.test(why)) return { type: 'hold-all', delayMs: delay(OF_IDENTITY), why };
      return { type: 'hold-run', delayMs: delay(OF_RUN), why };
    }
    case 'again':
      return {
        type: 'hold-all',
        delayMs: Math.max(answer.afterMs ?? 0, delay(OF_SERVER)),
        why: answer.why,
      };
  }
}
