import { clusterRunModel, type RunPage } from '../../models/run/cluster-run.ts';
import { type Execution, readExecution } from '../../models/run/execution.ts';
import { runLanes, runVerdicts, stepsOf } from '../../models/run/run-lanes.ts';
import { type Axis, axisOf } from '../../models/timeline/axis.ts';
import { explain, type RunFacts } from '../../models/timeline/explain.ts';
import type { ShownRun } from './generated/run.ts';

/** Phases of unfinished runs. */
const NOT_OVER = ['Queued', 'Pending', 'Running', 'NA'];

/** Data of the run page, from one answer of the server. */
export interface RunModel {
  readonly execution: Execution | undefined;
  readonly steps: ReturnType<typeof stepsOf>;
  readonly axis: Axis;
  readonly sentence: string;
  readonly evidence: readonly number[];
  readonly isRunning: boolean;
  /** Whether a user has stopped it and its agent has not reported the end. */
  readonly isStopping: boolean;
  readonly durationMs: number;
  /** Names of targets that are hit now. */
  readonly inForce: readonly string[];
}

/** Builds the data of the run page; `nowMs` is when the answer arrived. Pure. */
export function runModel(run: ShownRun, nowMs: number): RunModel {
  const execution = readExecution(run.executionData);
  // For the server a run is Stopped on the request; its agent's final report says that everything is reverted.
  const isStopping = run.phase === 'Stopped' && execution !== undefined && execution.endMs === undefined;
  const isRunning = isStopping || NOT_OVER.includes(run.phase);
  const outcome = outcomeOf(run);
  const recorded = run.timeline
    ? clusterRunModel(JSON.parse(run.timeline) as RunPage, isRunning, nowMs, outcome)
    : undefined;
  const empty = { startMs: Number(run.createdAt), endMs: nowMs, lanes: [] };
  const record = execution === undefined ? empty : runLanes(execution, nowMs);
  const axis = recorded?.axis ?? axisOf(record);
  const verdicts = execution === undefined ? [] : runVerdicts(execution);
  // Records of our agent have verdicts with reasons; a plain report has those of its agent.
  const { sentence, evidence } = recorded ?? explain({ axis, verdicts, isRunning, outcome });
  const inForce = new Set<string>();
  for (const { lane, endMs } of axis.marks) {
    const { group, name } = axis.lanes[lane] ?? {};
    if (group === 'Targets' && name !== undefined && endMs >= axis.lengthMs) inForce.add(name);
  }
  return {
    ...{ execution, axis, sentence, evidence, isRunning, isStopping },
    steps: execution === undefined ? [] : stepsOf(execution),
    durationMs: axis.lengthMs,
    inForce: isRunning ? (recorded?.inForce ?? [...inForce]) : [],
  };
}

/** The outcome in the form of a record. */
function outcomeOf({ outcome: { word, reason, isByChaos } }: ShownRun): RunFacts['outcome'] {
  return { word, by: isByChaos ? 'chaos' : 'run', ...(reason !== null && { reason }) };
}
