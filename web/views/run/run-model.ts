import { clusterRunModel, type RunPage } from '../../models/run/cluster-run.ts';
import { type Execution, readExecution } from '../../models/run/execution.ts';
import { runLanes, runVerdicts, stepsOf } from '../../models/run/run-lanes.ts';
import { type Axis, axisOf } from '../../models/timeline/axis.ts';
import { explain } from '../../models/timeline/explain.ts';
import { plainText } from '../../models/words/plain.ts';
import type { ShownRun } from './run-query.ts';

/** Phases after which nothing changes. */
const NOT_OVER = ['Queued', 'Pending', 'Running', 'NA'];

/** Everything that the run page shows, from one answer of the server. */
export interface RunModel {
  readonly execution: Execution | undefined;
  readonly steps: ReturnType<typeof stepsOf>;
  readonly axis: Axis;
  readonly sentence: string;
  readonly evidence: readonly number[];
  readonly isRunning: boolean;
  /** Whether somebody has stopped it and its agent has not told of the end. */
  readonly isStopping: boolean;
  readonly durationMs: number;
  /** What is said to be hit now, by name. */
  readonly inForce: readonly string[];
}

/** Puts together what the run page shows; `nowMs` is when the answer came. Pure. */
export function runModel(run: ShownRun, nowMs: number): RunModel {
  const execution = readExecution(run.executionData);
  // A run is Stopped for the server when somebody asked for it; its agent's last word is that what was injected is reverted.
  const isStopping = run.phase === 'Stopped' && execution !== undefined && execution.endMs === undefined;
  const isRunning = isStopping || NOT_OVER.includes(run.phase);
  const told = run.timeline
    ? clusterRunModel(JSON.parse(run.timeline) as RunPage, isRunning, nowMs)
    : undefined;
  const empty = { startMs: Number(run.createdAt), endMs: nowMs, lanes: [] };
  const record = execution === undefined ? empty : runLanes(execution, nowMs);
  const axis = told?.axis ?? axisOf(record);
  const verdicts = execution === undefined ? [] : runVerdicts(execution);
  // What our agent tells has verdicts with their reasons; those of an account are its maker's.
  const { sentence, evidence } = unbegun(run) ?? told ?? explain({ axis, verdicts, isRunning });
  const inForce = new Set<string>();
  for (const { lane, endMs } of axis.marks) {
    const { group, name } = axis.lanes[lane] ?? {};
    if (group === 'Targets' && name !== undefined && endMs >= axis.lengthMs) inForce.add(name);
  }
  return {
    ...{ execution, axis, sentence, evidence, isRunning, isStopping },
    steps: execution === undefined ? [] : stepsOf(execution),
    durationMs: axis.lengthMs,
    inForce: isRunning ? (told?.inForce ?? [...inForce]) : [],
  };
}

/** What is said of a run that never began: there is nothing to see of it but the reason. */
function unbegun({ problem }: ShownRun): Pick<RunModel, 'sentence' | 'evidence'> | undefined {
  if (!problem) return undefined;
  return { sentence: `The run never began: ${plainText(problem).replace(/[.\s]+$/, '')}.`, evidence: [] };
}
