/**
 * When a probe of which mode does what, and when its verdict falls. Pure.
 *
 * | mode       | PreChaos | in force      | PostChaos         | verdict falls                                        |
 * | ---------- | -------- | ------------- | ----------------- | ---------------------------------------------------- |
 * | SOT        | once     |               |                   | PreChaos                                             |
 * | EOT        |          |               | once              | PostChaos                                            |
 * | Edge       | once     |               | once              | Failed with the first failed half, Passed after both |
 * | Continuous | start    | measure anew  | stop and evaluate | Failed at once, Passed at PostChaos                  |
 * | OnChaos    |          | start to stop | evaluate          | Failed at once, Passed at PostChaos                  |
 *
 * "In force" is the time from the first injection to the last revert. A background probe passes only if a run of it began and ended
 * in that time.
 */
import type { ProbeMode, ProbeVerdict } from '../../api/schema/vocabulary.ts';

/** The moments of an experiment in which probes act. */
export type ProbePhase = 'PreChaos' | 'DuringChaos' | 'PostChaos';

/** The action of a probe in a phase: run once, start in the background, be stopped and evaluated. */
type ProbeAction = 'once' | 'start' | 'evaluate';

const TABLE: Readonly<Record<ProbeMode, Partial<Record<ProbePhase, ProbeAction>>>> = {
  SOT: { PreChaos: 'once' },
  EOT: { PostChaos: 'once' },
  Edge: { PreChaos: 'once', PostChaos: 'once' },
  Continuous: { PreChaos: 'start', PostChaos: 'evaluate' },
  OnChaos: { DuringChaos: 'start', PostChaos: 'evaluate' },
};

/** The action of a probe with `mode` in `phase`, or undefined for none. */
export function actionIn(phase: ProbePhase, mode: ProbeMode): ProbeAction | undefined {
  return TABLE[mode][phase];
}

/** Whether a probe of `mode` runs beside the chaos instead of before or after it. */
export function isBackground(mode: ProbeMode): boolean {
  return Object.values(TABLE[mode]).includes('start');
}

/** What a run of a probe says about its verdict so far. */
export interface JudgedRun {
  readonly mode: ProbeMode;
  readonly phase: ProbePhase;
  /** How the run ended; `unmeasured`: the probe never ran while the fault was in force. */
  readonly outcome: 'passed' | 'failure' | 'error' | 'unmeasured';
  /** The verdict before this run. */
  readonly before: ProbeVerdict;
  /** For background modes: the last run, now that the probe is stopped. */
  readonly final: boolean;
}

/**
 * The verdict after a run. A probe that could not be evaluated has no verdict, nor has one that did not measure the fault; one in the
 * background goes on, and may still fail. Failed is never taken back.
 */
export function verdictAfter({ mode, phase, outcome, before, final }: JudgedRun): ProbeVerdict {
  if (before === 'Failed') return before;
  if (outcome === 'error') return final || !isBackground(mode) ? 'N/A' : before;
  if (outcome === 'failure') return 'Failed';
  if (outcome === 'unmeasured') return 'N/A';
  if (isBackground(mode)) return final ? 'Passed' : before;
  return mode === 'Edge' && phase === 'PreChaos' ? before : 'Passed';
}
