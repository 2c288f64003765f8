import type { KubeObject } from '@turnsole/kube/kinds/core';
import { isOverPhase } from '@turnsole/workflows/kinds/completed';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { runIsOver } from '../../api/engine-status.ts';
import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { courseOf } from '../../services/report/course/course.ts';
import { type StateNow, stateNow } from '../../services/report/course/run-state.ts';
import { judgesFault } from '../../services/report/outcome/judged.ts';
import { reportOutcome } from '../../services/report/outcome/of-report.ts';
import type { RunState } from '../../services/report/outcome/run-states.ts';
import { recordReport, workflowRecordReport } from '../../services/report/record-report.ts';
import type { RunRecord } from '../../services/report/run-record.ts';
import type { ClusterKind } from '../schema/generated/types.ts';

/** The chaos around an object of a list, as far as its state depends on it. */
export interface ChaosAround {
  /** Results of the engine of a namespace and name. */
  resultsOf(namespace: string, engine: string): readonly ChaosResult[];
  /** Engines that a workflow has made. */
  enginesOf(workflow: Workflow): readonly ChaosEngine[];
  readonly nowMs: number;
}

/** The state of a run; undefined for kinds that are no run, and for workflows of which Argo's phase says all. */
export function objectState(
  kind: ClusterKind,
  object: KubeObject,
  around: ChaosAround,
): StateNow | undefined {
  switch (kind) {
    case 'ChaosEngine':
      return engineState(object as ChaosEngine, around);
    case 'ChaosResult':
      return { state: resultState(object as ChaosResult) };
    case 'Workflow':
      return workflowState(object as Workflow, around);
    default:
      return undefined;
  }
}

function recordOf(engine: ChaosEngine, { resultsOf }: ChaosAround): RunRecord {
  const { name, namespace = '' } = engine.metadata;
  return { name, namespace, engine, results: resultsOf(namespace, name), runId: engine.status?.runId };
}

function engineState(engine: ChaosEngine, around: ChaosAround): StateNow {
  const record = recordOf(engine, around);
  const { engineStatus } = engine.status ?? {};
  if (runIsOver(engineStatus))
    return {
      state: reportOutcome(recordReport(record, { turnsole: '', nowMs: around.nowMs })).state ?? 'error',
    };
  const course = courseOf(record);
  const now = stateNow(course, around.nowMs);
  const isTaken = engineStatus === 'initialized' || course.experiments.length > 0;
  if (isTaken || now.state === 'blocked') return now;
  // An operator leaves alone what was told to stop before it began.
  return { state: engine.spec.engineState === 'stop' ? 'stopped' : 'pending' };
}

const OF_VERDICTS: Readonly<Record<string, RunState>> = {
  Fail: 'failedByProbe',
  Error: 'error',
  Stopped: 'stopped',
  Awaited: 'running',
  'N/A': 'dryRun',
};

function resultState({ status }: ChaosResult): RunState {
  const verdict = status?.experimentStatus?.verdict ?? 'Awaited';
  const judged = (status?.probeStatuses ?? []).some(({ mode, status: { verdict } }) =>
    judgesFault({ mode, verdict }),
  );
  return verdict === 'Pass' ? (judged ? 'passed' : 'unchecked') : (OF_VERDICTS[verdict] ?? 'error');
}

/** A workflow is in the state of its chaos while that is under way; one that is over, in that of its report. */
function workflowState(workflow: Workflow, around: ChaosAround): StateNow | undefined {
  const records = around.enginesOf(workflow).map((engine) => recordOf(engine, around));
  const { phase } = workflow.status ?? {};
  if (isOverPhase(phase)) {
    if (phase === 'Succeeded' && records.length === 0) return undefined;
    const { outcome } = workflowRecordReport(
      { workflow, engines: records },
      { turnsole: '', nowMs: around.nowMs },
    );
    return { state: outcome?.state ?? 'error' };
  }
  if (phase !== 'Running') return { state: 'pending' };
  const open = records.filter(({ engine }) => !runIsOver(engine?.status?.engineStatus));
  return open.length === 0 ? { state: 'running' } : stateNow(courseOf(...open), around.nowMs);
}
