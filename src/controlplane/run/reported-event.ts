import type { RunRow } from '../store/tables/runs.ts';
import type { RunEvent } from './decide-run-event.ts';

/** An agent's report about a run, with the run's names. */
export interface ReportedEvent extends RunEvent {
  readonly project: string;
  readonly infra: string;
  readonly experimentID: string;
  /** Empty for a run that was not started through this server. */
  readonly notifyID: string;
  readonly revisionID: string;
  /** Name of the run's object. */
  readonly name: string;
  /** JSON text of `data`. */
  readonly text: string;
}

/** An event that changes a run, and the changed run. */
export interface StoredEvent {
  readonly event: ReportedEvent;
  /** Undefined if the event begins the run. */
  readonly before: RunRow | undefined;
  readonly after: RunRow;
}
