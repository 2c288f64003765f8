import type { Authored, Flag, JsonText, PackedText } from './columns.ts';

/** A run of an experiment. */
export interface RunRow extends Authored {
  /** Our own id, since the others are not always known. */
  readonly key: string;
  readonly project_id: string;
  readonly experiment_id: string;
  readonly infra_id: string;
  readonly revision_id: string;
  /** Uid of its object; null until an agent has reported it. */
  readonly run_id: string | null;
  /** The id in the answer to its start request; null for runs started by a schedule. */
  readonly notify_id: string | null;
  /** Name and namespace of its object. */
  readonly name: string;
  readonly namespace: string;
  /** Counts the runs of an experiment, from 1. */
  readonly sequence: number;
  readonly phase: string;
  /** 1 if it is over for clients. */
  readonly completed: Flag;
  readonly ended_by: 'agent' | 'user' | 'server' | null;
  /** What began it: this server for a user, a schedule in the cluster, or its agent by itself. Null: of a time when that was not kept. */
  readonly origin: 'user' | 'schedule' | 'agent' | null;
  /** Why it never began, as a message; null unless the server has ended it for that reason. */
  readonly problem: string | null;
  /** `RunOutcome`, composed from the agent's final report; null without one, and for a run that a user stopped. */
  readonly outcome: JsonText | null;
  /** 1 after its agent's final report. */
  readonly final: Flag;
  /** Grows with each report of the agent; an older report has a smaller value. */
  readonly progress: number;
  readonly score: number;
  readonly faults_passed: number;
  readonly faults_failed: number;
  readonly faults_awaited: number;
  readonly faults_stopped: number;
  readonly faults_na: number;
  readonly faults_total: number;
  readonly removed: Flag;
}

/** The agent's last report of a run, in a separate table because it is large and lists do not need it. */
export interface RunDataRow {
  readonly run_key: string;
  /** JSON text. */
  readonly data: PackedText;
}

/** Data of a run's time axis for one of its engines or results, merged from its agent's records. */
export interface RunRecordRow {
  readonly run_key: string;
  /** Kind, namespace and name, with slashes. */
  readonly object: string;
  /** JSON text. */
  readonly data: PackedText;
}

/** Number of runs of a project's infrastructure in a phase, without deleted ones, so that statistics need not read runs. */
export interface RunCounterRow {
  readonly project_id: string;
  readonly infra_id: string;
  readonly phase: string;
  readonly runs: number;
}

/** Histogram of an experiment's run durations, so that metrics need not read runs. */
export interface RunDurationRow {
  readonly project_id: string;
  readonly experiment_id: string;
  readonly infra_id: string;
  /** Upper bound of the bucket in seconds, or `+Inf`; a run is in one bucket only. */
  readonly le: string;
  readonly runs: number;
  /** Sum over all runs of the bucket. */
  readonly seconds: number;
}
