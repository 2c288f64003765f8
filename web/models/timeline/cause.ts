import { plainText } from '../words/plain.ts';
import type { AxisMark } from './axis.ts';

/** Why a run has no verdict about the application. */
interface Cause {
  /** What happened to the experiment, as the predicate after its name. */
  readonly words: string;
  /** Prefixes of the labels of marks that show it. */
  readonly steps: readonly string[];
}

/** By codes of results and by words of reasons, the more precise first. */
const CAUSES: readonly (readonly [found: RegExp, cause: Cause])[] = [
  [/TARGET_SELECTION_ERROR/, { words: 'found no target that it may hit', steps: ['TargetsChosen'] }],
  [
    /HELPER_POD_FAILED_ERROR|HELPER_ERROR|helper pod \S+ (?:was deleted|has not|did not|died)/,
    {
      words: "lost its helper on a target's node",
      steps: ['HelperLost', 'HelperRefused', 'RecoveryStarted'],
    },
  ],
  [/NO_EFFECT/, { words: 'had no effect on its targets', steps: [] }],
  [
    /CHAOS_REVERT_ERROR/,
    { words: 'could not revert what it injected', steps: ['RevertFailed', 'NotReverted'] },
  ],
  [/EXPERIMENT_ABORTED/, { words: 'was aborted', steps: ['Aborted', 'EngineStopped', 'Halted'] }],
  [
    /PROBE_TIMEOUT|\bTIMEOUT\b|timed out|deadline|(?:within|in) \d[\d.]* ?m?s|in time/i,
    { words: 'ran out of time', steps: ['RunGivenUp', 'PodsUnresponsive'] },
  ],
  [/STATUS_CHECKS_ERROR/, { words: 'found the application not healthy', steps: ['HealthChecked'] }],
  [/CHAOS_INJECT_ERROR/, { words: 'could not inject its fault', steps: [] }],
  [/CONTAINER_RUNTIME_ERROR/, { words: 'found no process of its target', steps: [] }],
];

const STOPPED: Cause = { words: 'was stopped', steps: ['Aborted', 'EngineStopped', 'Halted'] };
const OTHER: Readonly<Record<string, Cause>> = {
  Stopped: STOPPED,
  Error: { words: 'could not be carried out', steps: ['EngineRejected', 'RunGivenUp'] },
  Fail: { words: 'failed', steps: [] },
};

/** The cause of a missing verdict, from a verdict and its reason. Pure. */
export function causeOf(verdict: string, detail: string): Cause {
  if (verdict === 'Stopped') return STOPPED;
  const [, known] = CAUSES.find(([found]) => found.test(detail)) ?? [];
  return known ?? OTHER[verdict] ?? { words: `has the verdict ${plainText(verdict)}`, steps: [] };
}

/** A reason without its leading code, which the sentence expresses in words; agents of LitmusChaos send reasons as JSON. Pure. */
export function reasonWords(detail: string): string {
  const text = detail.replace(
    /^(?:[A-Z][A-Z_]+_(?:ERROR|FAILURE)|NO_EFFECT|EXPERIMENT_ABORTED|PROBE_TIMEOUT|TIMEOUT)\s*:\s*/,
    '',
  );
  return plainText(unwrapped(text)).replace(/[.\s]+$/, '');
}

function unwrapped(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const { reason, target }: { reason?: unknown; target?: unknown } = JSON.parse(text);
    if (typeof reason !== 'string') return text;
    return typeof target === 'string' && target !== '' ? `${reason} (${target})` : reason;
  } catch {
    return text;
  }
}

/** The text of a mark without the name of its step: `by the lever` of `Aborted: by the lever`. Pure. */
export function saidBy({ label }: Pick<AxisMark, 'label'>): string {
  return label.replace(/^[A-Z][A-Za-z]+: /, '').replace(/[.\s]+$/, '');
}
