/**
 * The course of a run: what its state and its sentences are made of, by the objects of the run. It travels as JSON; times are milliseconds
 * since the epoch.
 */
export interface RunCourse {
  /** What it aims at, in the words of its engines: `web`, `app=web`. Empty where that is not known. */
  readonly aim: string;
  /** Those that have begun, in the order in which they did. */
  readonly experiments: readonly ExperimentCourse[];
  /** What keeps the run from going on at present. */
  readonly problem?: CourseProblem;
  /** Whether its engines have been told to stop. */
  readonly isStopping: boolean;
}

/** What operator or runner have found against a run. */
export interface CourseProblem {
  /** One of docs/errors.md. */
  readonly reason: string;
  readonly message: string;
  /** What to do about it. */
  readonly todo?: string;
}

/** One experiment of a run. */
export interface ExperimentCourse {
  readonly fault: string;
  readonly startMs: number;
  /** When the application was found healthy before chaos. */
  readonly healthyMs?: number;
  readonly chaosMs?: number;
  readonly chaosEndMs?: number;
  readonly abortedMs?: number;
  /** When it was judged. */
  readonly endMs?: number;
  /** What its parts were to take; undefined where an older experiment does not tell. */
  readonly chaosSeconds?: number;
  readonly intervalSeconds?: number;
  readonly healthSeconds?: number;
  readonly hits: readonly HitGroup[];
  readonly workloads: readonly WorkloadCourse[];
  readonly probes: readonly ProbeCourse[];
}

/** What was hit of one workload, or of one kind where there is no workload. */
export interface HitGroup {
  /** In lower case: pod, container, node. */
  readonly kind: string;
  /** Name of the workload. */
  readonly of?: string;
  /** How many different objects were hit. */
  readonly objects: number;
  /** How often. */
  readonly times: number;
  /** How many of them are in force, or not reverted. */
  readonly open: number;
  /** When the first was hit, and the last. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The ready pods of a workload. */
export interface WorkloadCourse {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly before: number;
  /** From each time on, oldest first. */
  readonly ready: readonly { readonly atMs: number; readonly pods: number }[];
}

/** How one probe stands. */
export interface ProbeCourse {
  readonly name: string;
  readonly type: string;
  readonly mode: string;
  readonly verdict: string;
  /** What it asks, in short. */
  readonly subject?: string;
  /** Of one that measures again and again. */
  readonly measurements?: number;
  readonly failed?: number;
  /** Since when it fails, while it does. */
  readonly failingMs?: number;
  /** The last answer. */
  readonly lastMs?: number;
  /** The slowest answer during and after the fault. */
  readonly slowestMs?: number;
}
