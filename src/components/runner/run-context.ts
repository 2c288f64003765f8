import type { Basics } from '@turnsole/kube/runtime/basics';
import type { EngineStatusWriter } from './engine-status.ts';
import type { RunnerEvents } from './runner-events.ts';
import type { RunnerSettings } from './settings.ts';

/** What all steps of one run share. */
export interface RunContext extends Basics {
  readonly settings: RunnerSettings;
  /** Identifies the run; the same for every runner of it. */
  readonly runId: string;
  readonly status: EngineStatusWriter;
  readonly events: RunnerEvents;
  /** Aborted when the runner has to end, or when the run is over. */
  readonly signal: AbortSignal;
  /** Called when an experiment has its Job, or is to have none. */
  readonly onStarted: (index: number) => void;
  /** Takes care of a write that is not awaited: its failure ends the run as if it had been waited for. */
  readonly background: (work: Promise<void>) => void;
}
