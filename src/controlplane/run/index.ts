import type { Context, ControlPlane } from '../access/context.ts';
import { memberOf } from '../access/context.ts';
import type { Noun } from '../access/noun.ts';
import { found } from '../access/refusal.ts';
import type {
  ExperimentRun,
  RunOutcome,
  SubscriptionGetRunPodsArgs,
  SubscriptionWatchProjectArgs,
  SubscriptionWatchRunArgs,
} from '../schema/generated/types.ts';
import type { RunRow } from '../store/tables/runs.ts';
import { receiveActionResult } from './end-refused-run.ts';
import { endUntakenRuns } from './end-untaken-runs.ts';
import { expireQueuedRuns } from './expire-queued-runs.ts';
import { getRunExport } from './export-run.ts';
import { experimentsOn, lastRunOn, runsOn } from './infra-counts.ts';
import { listedRun, phaseCounts, runPage } from './list-runs.ts';
import { probesOfRun } from './probes-of-run.ts';
import { receiveRunEvent } from './receive-run-event.ts';
import { liveState } from './records/live-state.ts';
import { countLogs } from './records/receive-log.ts';
import { receiveRunRecord } from './records/receive-record.ts';
import { runDetailsText, runPageText } from './records/run-page.ts';
import { weightagesOf } from './revision-rows.ts';
import {
  asRun,
  emptyGraph,
  type ListedRun,
  lookupsOf,
  type RecentRunAnswer,
  type RunAnswer,
} from './run-answers.ts';
import { outcomeAnswer } from './run-outcome.ts';
import { keptLog, runPods } from './run-pods.ts';
import { executionTextOf, type RunNames } from './run-rows.ts';
import { readTrends } from './trends/read-trends.ts';
import { projectChanges } from './watch-project.ts';
import { runAsItChanges } from './watch-run.ts';

/** How often the duty looks for runs that no agent picks up. */
const EXPIRE_EVERY_MS = 60_000;

/** Runs of experiments. */
export const runNoun: Noun = {
  queries: {
    listExperimentRun: async ({ request }, context) => {
      const { project } = memberOf(context);
      const { total, rows } = await runPage(context.plane.store.read, project, request);
      return { totalNoOfExperimentRuns: total, experimentRuns: answers(rows, context) };
    },
    getExperimentRun: async ({ experimentRunID, notifyID }, context) => {
      const { project } = memberOf(context);
      const row = await listedRun(context.plane.store.read, project, { runID: experimentRunID, notifyID });
      const [answer] = answers([found(row, 'no matching experiment run')], context);
      return answer as ExperimentRun;
    },
    getRunPodLog: (asked, context) => keptLog(asked, context),
    getExperimentRunStats: async (_args, context) => {
      const counts = await phaseCounts(context.plane.store.read, memberOf(context).project);
      const of = (phase: string): number => counts.get(phase) ?? 0;
      return {
        totalExperimentRuns: [...counts.values()].reduce((sum, runs) => sum + runs, 0),
        totalCompletedExperimentRuns: of('Completed'),
        totalTerminatedExperimentRuns: of('Terminated'),
        totalRunningExperimentRuns: of('Running'),
        totalStoppedExperimentRuns: of('Stopped'),
        totalErroredExperimentRuns: of('Error'),
      };
    },
    getServiceTrends: ({ range }, context) => readTrends(range, context),
    getProbesInExperimentRun: ({ experimentRunID, faultName }, context) =>
      probesOfRun(experimentRunID, faultName, context),
  },
  mutations: {
    chaosExperimentRun: ({ request }, context) => receiveRunEvent(request, context),
    infraActionResult: ({ request }, context) => receiveActionResult(request, context),
    runRecord: ({ request }, context) => receiveRunRecord(request, context),
  },
  subscriptions: {
    watchRun: ({ experimentRunID, notifyID }: SubscriptionWatchRunArgs, context) =>
      watchRun({ runID: experimentRunID, notifyID }, context),
    getRunPods: ({ experimentRunID }: SubscriptionGetRunPodsArgs, context) =>
      runPods(experimentRunID, context),
    watchProject: ({ since }: SubscriptionWatchProjectArgs, context) => projectChanges(since, context),
  },
  routes: { 'GET /export/run/:project_id/:run_id/:format': getRunExport },
  types: {
    Infra: {
      noOfExperiments: (infra, _args, { plane }) => experimentsOn(plane.store.read, infra),
      noOfExperimentRuns: (infra, _args, { plane }) => runsOn(plane.store.read, infra),
      lastExperimentTimestamp: (infra, _args, { plane }) => lastRunOn(plane.store.read, infra),
    },
    RecentExperimentRun: {
      // Experiments are answered with the rows of their runs.
      outcome: (run, _args, { plane }) => outcomeNow(plane, (run as RecentRunAnswer).row),
    },
    ExperimentRun: {
      infra: async (run) => {
        const { row, lookups } = answerOf(run);
        return found((await lookups.infras()).get(row.infra_id), `infrastructure ${row.infra_id} is gone`);
      },
      outcome: (run, _args, { plane }) => outcomeNow(plane, answerOf(run).row),
      executionData: async (run, _args, { plane }) => {
        const { row } = answerOf(run);
        return (await executionTextOf(plane.store.read, row.key)) ?? emptyGraph(row);
      },
      timeline: async (run, _args, { plane }) => (await runPageText(plane, answerOf(run).row.key)) ?? null,
      details: async (run, _args, { plane }) => (await runDetailsText(plane, answerOf(run).row.key)) ?? null,
      keptLogs: (run, _args, { plane }) => countLogs(plane.store.read, answerOf(run).row.key),
      experimentManifest: async (run) => {
        const { row, lookups } = answerOf(run);
        return (await lookups.revisions()).get(row.revision_id)?.manifest ?? '';
      },
      weightages: async (run) => {
        const { row, lookups } = answerOf(run);
        return weightagesOf((await lookups.revisions()).get(row.revision_id)?.faults ?? []);
      },
    },
  },
  duties: [
    { name: 'expireQueuedRuns', everyMs: EXPIRE_EVERY_MS, run: expireQueuedRuns },
    { name: 'endUntakenRuns', everyMs: EXPIRE_EVERY_MS, run: endUntakenRuns },
  ],
};

/** The outcome of a run; of one that is under way, what its agent has reported of its state. */
async function outcomeNow(plane: ControlPlane, row: RunRow): Promise<RunOutcome> {
  return { ...outcomeAnswer(row), ...(await liveState(plane, row)) };
}

async function* watchRun(names: RunNames, context: Context): AsyncGenerator<ExperimentRun> {
  for await (const row of runAsItChanges(names, context)) yield* answers([row], context);
}

/** The fields missing here are resolved by `types`, which the generated type does not express. */
function answers(rows: readonly ListedRun[], context: Context): ExperimentRun[] {
  const lookups = lookupsOf(context.plane, memberOf(context).project, rows);
  return rows.map((row) => asRun(row, lookups) as unknown as ExperimentRun);
}

/** The reverse: the parent of a field is an object from {@link answers}. */
function answerOf(run: ExperimentRun): RunAnswer {
  return run as unknown as RunAnswer;
}
