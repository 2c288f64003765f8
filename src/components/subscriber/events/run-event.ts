import type { ChaosResult } from '../../../api/schema/result.ts';

/**
 * A state of a run as ChaosCenter's server takes it. All times are whole seconds since 1970 as text, empty where there is none.
 */
export interface RunEvent {
  readonly experimentType: 'events' | 'chaosengine';
  readonly revisionID: string;
  readonly notifyID: string | null;
  readonly experimentID: string;
  readonly eventType: 'ADD' | 'UPDATE';
  /** Uid of the Workflow or engine: the id of the run. */
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly creationTimestamp: string;
  readonly phase: RunPhase;
  /** Ours: the phase of the workflow itself where it failed, since `phase` is `Completed` then. */
  readonly workflowPhase?: string;
  readonly message: string;
  readonly startedAt: string;
  /** Set when the run is over, and not before. */
  readonly finishedAt: string;
  /** By id, in ascending order: the first one is the root of the graph that people see. */
  readonly nodes: Readonly<Record<string, RunNode>>;
  /** Base64url of a user's name, as the label has it. */
  readonly updatedBy: string;
}

export type RunPhase =
  | 'Pending'
  | 'Running'
  | 'Completed'
  | 'Completed_With_Probe_Failure'
  | 'Error'
  | 'Stopped'
  | 'Succeeded';

/** A node of a run. */
export interface RunNode {
  readonly name: string;
  readonly phase: string;
  readonly message: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly children: readonly string[] | null;
  readonly type: string;
  readonly chaosData?: ChaosData;
}

/** Facts about the engine of a node. Consumers disagree about three names, so both sets are present. */
export interface ChaosData {
  readonly engineUID: string;
  readonly engineName: string;
  readonly engineContext: string;
  readonly namespace: string;
  readonly experimentName: string;
  readonly experimentPod: string;
  readonly experimentStatus: string;
  readonly experimentVerdict: string;
  readonly faultName: string;
  readonly faultStatus: string;
  readonly faultVerdict: string;
  readonly lastUpdatedAt: string;
  readonly probeSuccessPercentage: string;
  readonly failStep: string;
  readonly runnerPod: string;
  readonly chaosResult: ChaosResult | null;
  /** Ours: the engine only plans. */
  readonly isDryRun?: boolean;
}

/** Seconds since 1970 as text of an RFC 3339 time; empty for a missing or unreadable one. */
export function secondsText(time: unknown): string {
  const milliseconds = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(milliseconds) ? '' : String(Math.floor(milliseconds / 1_000));
}

/** Whether the event reports the end of the run, for which the server has a field of its own. */
export function isOver(event: RunEvent): boolean {
  return event.finishedAt !== '';
}
