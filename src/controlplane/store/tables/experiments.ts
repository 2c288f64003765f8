import type { Authored, Flag, JsonText, PackedText, Time } from './columns.ts';

/** An experiment of a project, with totals of its runs. */
export interface ExperimentRow extends Authored {
  readonly project_id: string;
  /** May be chosen by the client; unique in its project. */
  readonly id: string;
  readonly infra_id: string;
  /** Unique among the existing experiments of the project. */
  readonly name: string;
  readonly description: string;
  /** `string[]` */
  readonly tags: JsonText;
  readonly type: 'experiment' | 'cronexperiment' | 'chaosengine' | 'chaosschedule';
  readonly cron_syntax: string;
  /** Built from faults, rather than taken from a hub. */
  readonly custom: Flag;
  /** The newest one. */
  readonly revision_id: string;
  /** 1 once an agent has its schedule, and has to get later changes. */
  readonly scheduled: Flag;
  /** Number of the newest run, including deleted ones. */
  readonly total_runs: number;
  /** Finished runs that have a score, and the sum of these, without deleted ones. */
  readonly completed_runs: number;
  readonly score_sum: number;
  /** Of the newest run; empty before the first one. */
  readonly last_phase: string;
  readonly last_run_at: Time | null;
  readonly removed: Flag;
}

/** A version of an experiment, immutable except for whether its schedule is suspended. */
export interface RevisionRow {
  readonly id: string;
  readonly project_id: string;
  readonly experiment_id: string;
  /** JSON text of the object. */
  readonly manifest: PackedText;
  /** `Fault[]` */
  readonly faults: JsonText;
  readonly created_at: Time;
  readonly created_by: string;
}
