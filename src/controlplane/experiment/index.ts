import { type Context, memberOf } from '../access/context.ts';
import type { Noun } from '../access/noun.ts';
import { weightagesOf } from '../run/revision-rows.ts';
import { lookupsOf } from '../run/run-answers.ts';
import type { Experiment } from '../schema/generated/types.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import { setSuspended } from './cron-state.ts';
import { deleteExperiment, deleteRun } from './delete-experiment.ts';
import {
  asExperiment,
  averageScore,
  type ExperimentAnswer,
  isScheduled,
  scoreCategories,
} from './experiment-answers.ts';
import { experimentRow } from './experiment-rows.ts';
import { experimentPage, recentRuns } from './list-experiments.ts';
import { readStored } from './manifest/read-manifest.ts';
import { planManifest } from './plan-manifest.ts';
import { runExperiment } from './run-experiment.ts';
import { createExperiment, saveExperiment, updateExperiment } from './save-experiment.ts';
import { scheduleAnswer } from './schedule-answer.ts';
import { stopRuns } from './stop-runs.ts';

/** Experiments of a project. */
export const experimentNoun: Noun = {
  queries: {
    getExperiment: async ({ experimentID }, context) => {
      const row = await experimentRow(context.plane.store.read, memberOf(context).project, experimentID);
      const [experimentDetails] = await answers([row], context);
      return {
        experimentDetails: experimentDetails as Experiment,
        averageResiliencyScore: averageScore(row),
      };
    },
    listExperiment: async ({ request }, context) => {
      const { project } = memberOf(context);
      const { total, rows } = await experimentPage(context.plane.store.read, project, request);
      return { totalNoOfExperiments: total, experiments: await answers(rows, context) };
    },
    getExperimentStats: async (_args, context) => {
      const rows = await context.plane.store.read
        .selectFrom('experiments')
        .select(['completed_runs', 'score_sum'])
        .where('project_id', '=', memberOf(context).project)
        .where('removed', '=', 0)
        .execute();
      return {
        totalExperiments: rows.length,
        totalExpCategorizedByResiliencyScore: scoreCategories(rows),
      };
    },
    planManifest: ({ infraID, manifest }, context) => planManifest(infraID, manifest, context),
  },
  mutations: {
    saveChaosExperiment: ({ request }, context) => saveExperiment(request, context),
    createChaosExperiment: ({ request }, context) => createExperiment(request, context),
    updateChaosExperiment: ({ request }, context) => updateExperiment(request, context),
    runChaosExperiment: async ({ experimentID }, context) => ({
      notifyID: await runExperiment(experimentID, context),
    }),
    stopExperimentRuns: async ({ experimentID, experimentRunID, notifyID }, context) => {
      await stopRuns(experimentID, { runID: experimentRunID, notifyID }, context);
      return true;
    },
    deleteChaosExperiment: async ({ experimentID, experimentRunID }, context) => {
      if (experimentRunID) await deleteRun(experimentID, experimentRunID, context);
      else await deleteExperiment(experimentID, context);
      return true;
    },
    updateCronExperimentState: async ({ experimentID, disable }, context) => {
      await setSuspended(experimentID, disable, context);
      return true;
    },
  },
  types: {
    Experiment: {
      infra: async (experiment) => {
        const { row, lookups } = answerOf(experiment);
        return (await lookups.infras()).get(row.infra_id) ?? null;
      },
      experimentManifest: async (experiment) => {
        const { row, lookups } = answerOf(experiment);
        return (await lookups.revisions()).get(row.revision_id)?.manifest ?? '';
      },
      schedule: async (experiment) => {
        const { row, lookups } = answerOf(experiment);
        if (!isScheduled(row)) return null;
        const revision = (await lookups.revisions()).get(row.revision_id);
        return revision === undefined
          ? null
          : scheduleAnswer(readStored(revision.manifest), row.scheduled === 1);
      },
      weightages: async (experiment) => {
        const { row, lookups } = answerOf(experiment);
        return weightagesOf((await lookups.revisions()).get(row.revision_id)?.faults ?? []);
      },
    },
  },
};

/** The fields missing here are resolved by `types`, which the generated type does not express. */
async function answers(rows: readonly ExperimentRow[], context: Context): Promise<Experiment[]> {
  const { project } = memberOf(context);
  const db = context.plane.store.read;
  const lookups = lookupsOf(context.plane, project, rows);
  const recent = await recentRuns(db, project, rows);
  return rows.map((row) => asExperiment(row, lookups, recent.get(row.id) ?? []) as unknown as Experiment);
}

/** The reverse: the parent of a field is an object from {@link answers}. */
function answerOf(experiment: Experiment): ExperimentAnswer {
  return experiment as unknown as ExperimentAnswer;
}
