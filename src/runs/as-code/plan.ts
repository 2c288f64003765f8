/** What a run would do. */

/** Something to know before a run. */
export interface PlanFinding {
  /** The field, where there is one. */
  readonly field?: string;
  readonly message: string;
  /** Its code in docs/errors.md, where it has one. */
  readonly code?: string;
}

/** Something that would be hit. */
export interface PlannedTarget {
  /** In lower case: `pod`, `node`. */
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly container?: string;
  readonly node?: string;
}

/** One fault of a plan. */
export interface PlannedFault {
  /** The ChaosEngine that it belongs to. */
  readonly engine: string;
  readonly namespace: string;
  /** Name of the fault. */
  readonly fault: string;
  /** How long it is asked for. */
  readonly durationSeconds: number;
  /** From the checks before it to the verdict, when nothing is slow. */
  readonly expectedSeconds: number;
  /** 1 for faults that are held. */
  readonly rounds: number;
  readonly sequence: 'serial' | 'parallel';
  /** Targets of the first round. */
  readonly targets: readonly PlannedTarget[];
  /** What keeps it from running, as sentences. */
  readonly problems: readonly string[];
}

/** What a run of an experiment would do. */
export interface ChaosPlan {
  /** Whether `runChaos` would begin: nothing in `problems`. */
  readonly wouldRun: boolean;
  /** What keeps it from running; of the experiment, and of the machine or cluster. */
  readonly problems: readonly PlanFinding[];
  /** What to know, and what keeps nothing from running. */
  readonly warnings: readonly string[];
  readonly faults: readonly PlannedFault[];
}
