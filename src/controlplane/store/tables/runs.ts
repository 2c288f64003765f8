import type { Flag, PackedText, Time } from './columns.ts';

/** A run of an experiment. */
export interface RunRow {
  /** Ours: the others are not known at all times. */
  readonly key: string;
  readonly project_id: string;
  readonly experiment_id: string;
  readonly infra_id: string;
  readonly revision_id: string;
  /** Uid of its object; null until an agent has told of it. */
  readonly run_id: string | null;
  /** What starting it was answered with; null for runs that a schedule began. */
  readonly notify_id: string | null;
  /** Name and namespace of its object. */
  readonly name: string;
  readonly namespace: string;
  /** Counts the runs of an experiment, from 1. */
  readonly sequence: number;
  readonly phase: string;
  /** 1 when it is over for clients. */
  readonly completed: Flag;
  readonly ended_by: 'agent' | 'user' | 'server' | null;
  /** Why it never began, for people; null unless the server has ended it for that. */
  readonly problem: string | null;
  /** 1 when its agent has said its last word. */
  readonly final: Flag;
  /** Grows with each word of the agent; an older one has a smaller one. */
  readonly progress: number;
  readonly score: number;
  readonly faults_passed: number;
  readonly faults_failed: number;
  readonly faults_awaited: number;
  readonly faults_stopped: number;
  readonly faults_na: number;
  readonly faults_total: number;
  readonly created_at: Time;
  readonly updated_at: Time;
  readonly created_by: string;
  readonly updated_by: string;
  readonly removed: Flag;
}

/** The agent's last account of a run: apart, because it is large, and lists do not show it. */
export interface RunDataRow {
  readonly run_key: string;
  /** JSON text. */
  readonly data: PackedText;
}

/** What the time axis of a run shows of one of its engines or results, as its agent told it piece by piece. */
export interface RunRecordRow {
  readonly run_key: string;
  /** Kind, namespace and name, with slashes. */
  readonly object: string;
  /** JSON text. */
  readonly data: PackedText;
}

/** How many runs of a project's infrastructure are in a phase, without removed ones: statistics do not read runs. */
export interface RunCounterRow {
  readonly project_id: string;
  readonly infra_id: string;
  readonly phase: string;
  readonly runs: number;
}

/** How many runs of an experiment took how long: metrics do not read runs. */
export interface RunDurationRow {
  readonly project_id: string;
  readonly experiment_id: string;
  readonly infra_id: string;
  /** Upper bound of the bucket in seconds, or `+Inf`; a run is in one bucket only. */
  readonly le: string;
  readonly runs: number;
  /** Of all runs of the bucket together. */
  readonly seconds: number;
}
