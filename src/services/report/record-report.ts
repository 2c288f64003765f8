import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { LABEL_CHAOS_UID } from '../../api/index.ts';
import type { WorkflowRecord } from '../workflows/workflow-record.ts';
import { buildEngineReport, type EngineOutcome } from './build.ts';
import { buildWorkflowReport } from './build-workflow.ts';
import type { EngineReport, RunReport, WorkflowReport } from './model.ts';
import { isEndedByProbe } from './outcome/judged.ts';
import { reportOutcome } from './outcome/of-report.ts';
import type { RunRecord } from './run-record.ts';

/** What a report says of its making. */
interface AboutReport {
  /** Version of Turnsole that makes it. */
  readonly turnsole: string;
  /** Milliseconds since the epoch: stands in for the end of whatever still runs. */
  readonly nowMs: number;
}

/** The report of an engine that is there, or of what its results have kept: the shape of `turnsole run --json`. Pure. */
export function recordReport(record: Omit<RunRecord, 'runId'>, about: AboutReport): RunReport {
  return reportOf([buildEngineReport(outcomeOf(record))], undefined, about);
}

/** The same of a workflow with its engines. Pure. */
export function workflowRecordReport({ workflow, engines }: WorkflowRecord, about: AboutReport): RunReport {
  const built = buildWorkflowReport({ workflow, engines: engines.map(outcomeOf) });
  return reportOf(built.engines, built.workflow, about);
}

function reportOf(
  engines: RunReport['engines'],
  workflow: WorkflowReport | undefined,
  { turnsole, nowMs }: AboutReport,
): RunReport {
  const times = [...engines, ...(workflow === undefined ? [] : [workflow])]
    .flatMap(({ timeline }) => [timeline[0]?.time, timeline.at(-1)?.time])
    .filter((time) => time !== undefined)
    .toSorted();
  const now = new Date(nowMs).toISOString();
  const experiments = engines.flatMap((engine) => engine.experiments);
  const report = {
    turnsole,
    startedAt: workflow?.startedAt ?? times[0] ?? now,
    endedAt: workflow?.endedAt ?? times.at(-1) ?? now,
    aborted:
      engines.some(isStopped) && !experiments.some(({ verdict, probes }) => isEndedByProbe(verdict, probes)),
    engines,
    ...(workflow !== undefined && { workflows: [workflow] }),
  };
  return { ...report, outcome: reportOutcome(report) };
}

/**
 * Whether an engine was told to stop by a user: before any of its experiments was at work, or while one was, whatever its probes had found by
 * then. The operator stops engines as well that cannot run, or that it gives up: these have errors.
 */
function isStopped({ status, experiments }: EngineReport): boolean {
  if (experiments.some(({ verdict }) => verdict === 'Stopped')) return true;
  return status === 'stopped' && experiments.every(({ verdict }) => verdict !== 'Error');
}

function outcomeOf({ engine, results, name, namespace, step }: Omit<RunRecord, 'runId'>): EngineOutcome {
  const known = engine ?? engineThatWas(name, namespace, results);
  return { engine: known, results, ...(step !== undefined && { step }) };
}

/** An engine that is gone, as its results remember it. */
function engineThatWas(name: string, namespace: string, results: readonly ChaosResult[]): ChaosEngine {
  const uid = results[0]?.metadata.labels?.[LABEL_CHAOS_UID];
  const experiments = results.flatMap(({ spec }) =>
    spec?.experiment === undefined ? [] : [{ name: spec.experiment }],
  );
  const owner = results[0]?.spec?.engine ?? name;
  return {
    metadata: { name: owner, namespace, ...(uid !== undefined && { uid }) },
    spec: { experiments },
    status: { engineStatus: 'gone' },
  } as unknown as ChaosEngine;
}
