import type {
  Experiment,
  ExperimentSchedule,
  Infra,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';
import type { PastRun } from '../../models/experiment/score-history.ts';

/** Fields of an experiment for its page. */
export type ShownExperiment = Pick<
  Experiment,
  'experimentID' | 'name' | 'description' | 'tags' | 'updatedAt' | 'createdAt'
> & {
  readonly schedule: ExperimentSchedule | null;
  readonly infra: Pick<Infra, 'infraID' | 'name' | 'isActive'> | null;
  readonly createdBy: { readonly username: string } | null;
  readonly updatedBy: { readonly username: string } | null;
};

/** One experiment. */
export const EXPERIMENT: Document<
  {
    readonly getExperiment: {
      readonly experimentDetails: ShownExperiment;
      readonly averageResiliencyScore: number | null;
    };
  },
  { projectID: string; id: string }
> = {
  text: `query Experiment($projectID: ID!, $id: String!) {
    getExperiment(projectID: $projectID, experimentID: $id) {
      averageResiliencyScore
      experimentDetails {
        experimentID name description tags updatedAt createdAt
        schedule { cron timezone isSuspended isBegun }
        infra { infraID name isActive } createdBy { username } updatedBy { username }
      }
    }
  }`,
};

/** The last runs of an experiment, the newest first. */
export const HISTORY: Document<
  { readonly listExperimentRun: { readonly experimentRuns: readonly (PastRun | null)[] } },
  { projectID: string; id: string }
> = {
  text: `query ExperimentHistory($projectID: ID!, $id: ID!) {
    listExperimentRun(projectID: $projectID, request: {
      experimentIDs: [$id], pagination: { page: 0, limit: 50 }, sort: { field: TIME, ascending: false }
    }) {
      experimentRuns { experimentRunID notifyID runSequence phase resiliencyScore createdAt }
    }
  }`,
};

/** Stops every active run of an experiment. */
export const STOP_ALL: Document<unknown, { projectID: string; id: string }> = {
  text: `mutation StopExperiment($projectID: ID!, $id: String!) {
    stopExperimentRuns(projectID: $projectID, experimentID: $id)
  }`,
};

/** Suspends the schedule of an experiment, or resumes it. */
export const SUSPEND: Document<unknown, { projectID: string; id: string; isSuspended: boolean }> = {
  text: `mutation SuspendExperiment($projectID: ID!, $id: String!, $isSuspended: Boolean!) {
    updateCronExperimentState(projectID: $projectID, experimentID: $id, disable: $isSuspended)
  }`,
};
