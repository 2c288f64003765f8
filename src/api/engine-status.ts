import type { ExperimentStatus } from './schema/vocabulary.ts';

/** What `status.engineStatus` says when the run of an engine is over. */
const ENDED: readonly unknown[] = ['completed', 'stopped'];

/**
 * Whether the run of an engine is over. An engine that was stopped before it began has had no run: its status is empty, and stays so. Pure.
 *
 * @param engineStatus `status.engineStatus`
 */
export function runIsOver(engineStatus: unknown): boolean {
  return ENDED.includes(engineStatus);
}

/** Statuses of `status.experiments` after which an experiment is not run again in this run. */
const FINAL: readonly ExperimentStatus[] = [
  'Completed',
  'ChaosExperiment Not Found',
  'Forcefully Aborted',
  'Skipped',
];

/** Whether an experiment of a run has ended, or will not begin. Pure. */
export function experimentIsOver(status: ExperimentStatus): boolean {
  return FINAL.includes(status);
}
