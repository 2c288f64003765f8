import type { RunRow } from '../store/tables/runs.ts';
import type { RunEvent } from './decide-run-event.ts';

/** What an agent tells of a run, with what it is called by. */
export interface ToldEvent extends RunEvent {
  readonly project: string;
  readonly infra: string;
  readonly experimentID: string;
  /** Empty for a run that nobody started through this server. */
  readonly notifyID: string;
  readonly revisionID: string;
  /** Of the run's object. */
  readonly name: string;
  /** Who started it; empty where the agent does not know. */
  readonly username: string;
  /** JSON text of `data`. */
  readonly text: string;
}

/** An event that changes a run, and what it makes of it. */
export interface StoredEvent {
  readonly event: ToldEvent;
  /** Undefined where the event begins the run. */
  readonly before: RunRow | undefined;
  readonly after: RunRow;
}
