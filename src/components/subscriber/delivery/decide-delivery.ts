import { backoffDelayMs } from '@turnsole/kube/base/backoff';
import type { Answer } from '../../../agent-link/answer.ts';

/** What becomes of an event after the server's answer. */
export type Verdict =
  /** The server has it. */
  | { readonly type: 'taken' }
  /** The server will never accept the event: to the server, the run is over or belongs to no experiment. */
  | { readonly type: 'discarded'; readonly why: string }
  /** The server does not take this one: others go on, later ones of the same run wait behind it. */
  | { readonly type: 'hold-run'; readonly delayMs: number; readonly why: string }
  /** Nothing can be delivered now: the server does not answer, or it refuses this agent as a whole. */
  | {
      readonly type: 'hold-all';
      readonly delayMs: number;
      readonly why: string;
      readonly isAgentRefused: boolean;
    };

/** Answers in a row that did not take it, this one included. */
interface Failures {
  /** Such answers for the event's run. */
  readonly ofRun: number;
  /** Such answers for any event. */
  readonly ofServer: number;
}

const OF_SERVER = { baseMs: 500, maxMs: 30_000, jitter: 'equal' } as const;
const OF_RUN = { baseMs: 1_000, maxMs: 300_000, jitter: 'equal' } as const;
const OF_IDENTITY = { baseMs: 5_000, maxMs: 300_000, jitter: 'equal' } as const;

/** Texts of ChaosCenter's server. */
const NO_EXPERIMENT = /no experiment found/i;
const DUPLICATE = /discarded due the duplicate event/i;
const IDENTITY = /VERSION MISMATCH|accessID MISMATCH/i;

/** A run that the server does not know after so many tries is one that it will never know. */
const MOST_UNKNOWN = 8;

/** What an answer to a record means. Those that follow say more, so one that is refused is not sent again. Pure. */
export function decideRecord(
  answer: Answer,
  failures: Failures,
  random: number,
): Verdict & { readonly isIncomplete?: true } {
  if (answer.type === 'delivered') {
    const { runRecord } = answer.data;
    if (runRecord === 'TAKEN') return { type: 'taken' };
    const why = `the server says ${JSON.stringify(runRecord)} of the record of a run`;
    if (runRecord === 'INCOMPLETE') return { type: 'discarded', why, isIncomplete: true };
    if (runRecord !== 'UNKNOWN_RUN' || failures.ofRun >= MOST_UNKNOWN) return { type: 'discarded', why };
    // Reports about the run itself may still wait.
    return { type: 'hold-run', delayMs: backoffDelayMs(failures.ofRun, OF_RUN, () => random), why };
  }
  const verdict = decideDelivery(answer, failures, random);
  return answer.type === 'refused' && verdict.type === 'hold-run'
    ? { type: 'discarded', why: verdict.why }
    : verdict;
}

/** What an answer means for the event that it is about, and for the others. Pure. */
export function decideDelivery(answer: Answer, failures: Failures, random: number): Verdict {
  const ofRun = (): number => backoffDelayMs(failures.ofRun, OF_RUN, () => random);
  const ofServer = (options: typeof OF_SERVER | typeof OF_IDENTITY): number =>
    backoffDelayMs(failures.ofServer, options, () => random);
  switch (answer.type) {
    case 'delivered': {
      const text = answer.data.chaosExperimentRun;
      if (typeof text !== 'string') {
        return { type: 'hold-run', delayMs: ofRun(), why: 'the server did not say what it did' };
      }
      return NO_EXPERIMENT.test(text) ? { type: 'discarded', why: text } : { type: 'taken' };
    }
    case 'refused': {
      const why = answer.messages.join('; ');
      if (DUPLICATE.test(why) || NO_EXPERIMENT.test(why)) return { type: 'discarded', why };
      if (IDENTITY.test(why)) {
        return { type: 'hold-all', delayMs: ofServer(OF_IDENTITY), why, isAgentRefused: true };
      }
      return { type: 'hold-run', delayMs: ofRun(), why };
    }
    case 'again':
      return {
        type: 'hold-all',
        delayMs: Math.max(answer.afterMs ?? 0, ofServer(OF_SERVER)),
        why: answer.why,
        isAgentRefused: false,
      };
  }
}
