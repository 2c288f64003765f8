import { type Execution, readExecution } from '../../models/run/execution.ts';
import { type RecordedPage, recordedRun } from '../../models/run/recorded-run.ts';
import { runLanes, runVerdicts, stepsOf } from '../../models/run/run-lanes.ts';
import { type RunNow, runNow } from '../../models/run/run-now.ts';
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
  /** What the data of its axis lacks, as sentences. */
  readonly warnings: readonly string[];
  /** Its state, its question, and the answers to it so far. */
  readonly now: RunNow;
}

/** An answer of the server, read once: the model is made of it each second. */
interface ReadRun {
  readonly run: ShownRun;
  readonly execution: Execution | undefined;
  readonly page: RecordedPage | undefined;
}

/** Reads the texts of an answer. Pure. */
export function readRun(run: ShownRun): ReadRun {
  return {
    run,
    execution: readExecution(run.executionData),
    page: run.timeline ? (JSON.parse(run.timeline) as RecordedPage) : undefined,
  };
}

/** Builds the data of the run page at a moment. Pure. */
export function runModel({ run, execution, page }: ReadRun, nowMs: number): RunModel {
  // For the server a run is Stopped on the request; its agent's final report says that everything is reverted.
  const isStopping = run.phase === 'Stopped' && execution !== undefined && execution.endMs === undefined;
  const isRunning = isStopping || NOT_OVER.includes(run.phase);
  const outcome = outcomeOf(run, page);
  const recorded = page === undefined ? undefined : recordedRun(page, isRunning, nowMs, outcome);
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
    warnings: page?.warnings ?? [],
    inForce: isRunning ? (recorded?.inForce ?? [...inForce]) : [],
    now: runNow({ course: page?.course, execution, state: run.outcome.state, isRunning }, nowMs),
  };
}

/** The outcome in the form of a record. */
function outcomeOf(
  { outcome: { state, word, reason, survival: known, isByChaos } }: ShownRun,
  page: RecordedPage | undefined,
): RunFacts['outcome'] {
  // The objects of a run know more than the report of its agent.
  const survival = known ?? (word === 'Passed' ? page?.outcome?.survival : undefined);
  return {
    ...{ state, word, by: isByChaos ? 'chaos' : 'run' },
    ...(reason !== null && { reason }),
    ...(survival !== undefined && { survival }),
  };
}
