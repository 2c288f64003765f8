/** Exit codes of the commands that people type; scripts and CI jobs depend on them. */
export const EXIT = {
  /** Done. Of a run: every experiment of every engine ended with verdict Pass. */
  pass: 0,
  /** A verdict and nothing else: at least one experiment did not pass. */
  fail: 1,
  /** The input was refused; nothing was injected. */
  badInput: 2,
  /** The command could not be carried out (no cluster, no operator, missing capability), or has a mistake itself. */
  couldNotRun: 3,
  /** Dry runs (spec.dryRun) found nothing against a run. Nothing was injected, so nothing has passed. */
  dryRun: 4,
  /** An application was not in its steady state before the fault, so that nothing was injected into it; nothing else failed. */
  notSteady: 5,
  /** The user stopped the run; everything injected was reverted. */
  aborted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Exit codes of the programs that run in pods; operator, runner and experiments go by those of their children. */
export const POD_EXIT = {
  /** Did what it was started for. A runner: every experiment has its verdict. An experiment: its verdict is stored. */
  done: 0,
  /** Failed, or was aborted and has reverted. A runner is started again by the kubelet, and resumes. */
  failed: 1,
  /** The command line, the environment or, of experiments and helpers, the cluster cannot be used; nothing was touched. */
  cannotStart: 2,
  /** A helper: the node, or the rights of its pod, do not allow the fault; nothing was touched. */
  unfitNode: 3,
  /** A runner: the API server does not know its account (401); another try with the same token meets the same. */
  unknownAccount: 4,
  /** A runner: its account may not do what the run needs (403). */
  noPermission: 5,
  /** A runner: the run was taken from it (128 + SIGTERM). */
  runTaken: 143,
} as const;
