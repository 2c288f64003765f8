import { EXIT, type ExitCode } from '../../process/exit-codes.ts';

/** A run as the commands look at it. */
export interface WatchedRun {
  readonly experimentRunID: string;
  readonly phase: string;
  readonly resiliencyScore: number | null;
  readonly faultsPassed: number | null;
  readonly totalFaults: number | null;
}

/** Phases that are no end. */
const UNDER_WAY = new Set(['Queued', 'Pending', 'Running', 'NA']);

/** The exit code of a run's verdict; undefined while it has none. Pure. */
export function exitCodeOf({ phase, faultsPassed, totalFaults }: WatchedRun): ExitCode | undefined {
  if (UNDER_WAY.has(phase)) return undefined;
  switch (phase) {
    case 'Completed':
      return (faultsPassed ?? 0) >= (totalFaults ?? 0) ? EXIT.pass : EXIT.fail;
    case 'Completed_With_Probe_Failure':
    case 'Completed_With_Error':
      return EXIT.fail;
    case 'Stopped':
      return EXIT.aborted;
    default:
      return EXIT.couldNotRun;
  }
}
