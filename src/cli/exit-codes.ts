/** Exit codes of `turnsole run` and `turnsole plan`; scripts and CI jobs depend on them. */
export const EXIT = {
  /** Every experiment of every engine ended with verdict Pass. */
  pass: 0,
  /** At least one experiment did not pass. */
  fail: 1,
  /** The input was refused; nothing was injected. */
  badInput: 2,
  /** The run could not be carried out (no cluster, no operator, missing capability). */
  couldNotRun: 3,
  /** Dry runs (spec.dryRun) found nothing against a run. Nothing was injected, so nothing has passed. */
  dryRun: 4,
  /** The user stopped the run; everything injected was reverted. */
  aborted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
