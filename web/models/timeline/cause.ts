import { didWords, errorWords, plainWords } from '../../../src/services/report/error-words.ts';
import { plainText } from '../words/plain.ts';
import type { AxisMark } from './axis.ts';

/** Why a run has no verdict about the application. */
interface Cause {
  /** What happened to the experiment, as the predicate after its name. */
  readonly words: string;
  /** Prefixes of the labels of marks that show it. */
  readonly steps: readonly string[];
}

/** How a reason says one of these codes, or what it means, and the steps that show it; the more precise first. */
const CAUSES: readonly (readonly [found: RegExp, code: string, steps: readonly string[]])[] = [
  [/TARGET_SELECTION_ERROR/, 'TARGET_SELECTION_ERROR', ['TargetsChosen']],
  [
    /HELPER_POD_FAILED_ERROR|helper pod \S+ (?:was deleted|has not|did not|died)/,
    'HELPER_POD_FAILED_ERROR',
    ['HelperLost', 'HelperRefused', 'RecoveryStarted'],
  ],
  [/HELPER_ERROR/, 'HELPER_ERROR', ['HelperLost', 'HelperRefused', 'RecoveryStarted']],
  [/NO_EFFECT/, 'NO_EFFECT', []],
  [/CHAOS_REVERT_ERROR/, 'CHAOS_REVERT_ERROR', ['RevertFailed', 'NotReverted']],
  [/EXPERIMENT_ABORTED/, 'EXPERIMENT_ABORTED', ['Aborted', 'EngineStopped', 'Halted']],
  [
    /PROBE_TIMEOUT|\bTIMEOUT\b|timed out|deadline|(?:within|in) \d[\d.]* ?m?s|in time/i,
    'TIMEOUT',
    ['RunGivenUp', 'PodsUnresponsive'],
  ],
  [/STATUS_CHECKS_ERROR/, 'STATUS_CHECKS_ERROR', ['HealthChecked']],
];

const STOPPED: Cause = { words: 'was stopped', steps: ['Aborted', 'EngineStopped', 'Halted'] };
const OTHER: Readonly<Record<string, Cause>> = {
  Stopped: STOPPED,
  Error: { words: 'could not run', steps: ['EngineRejected', 'RunGivenUp'] },
  Fail: { words: 'failed', steps: [] },
};

/** The cause of a missing verdict, from a verdict and its reason. Pure. */
export function causeOf(verdict: string, detail: string): Cause {
  if (verdict === 'Stopped') return STOPPED;
  const [, code, steps] = CAUSES.find(([found]) => found.test(detail)) ?? [];
  if (code !== undefined && steps !== undefined) return { words: didWords(code), steps };
  const { did } = errorWords(detail);
  const other = OTHER[verdict] ?? { words: `has the verdict ${plainText(verdict)}`, steps: [] };
  return did === '' ? other : { ...other, words: did };
}

/** A reason without what the cause says already. Pure. */
export function reasonWords(detail: string): string {
  return plainText(errorWords(detail).said);
}

/** The text of a mark without the name of its step: `by the lever` of `Aborted: by the lever`. Pure. */
export function saidBy({ label }: Pick<AxisMark, 'label'>): string {
  return plainWords(label.replace(/^[A-Z][A-Za-z]+: /, '').replace(/[.\s]+$/, ''));
}
