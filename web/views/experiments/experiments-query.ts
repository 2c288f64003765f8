import type {
  Experiment,
  ExperimentSchedule,
  Infra,
  ListExperimentRequest,
  RecentExperimentRun,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Fields of an experiment for the list. */
export type ListedExperiment = Pick<Experiment, 'experimentID' | 'name' | 'updatedAt'> & {
  readonly schedule: ExperimentSchedule | null;
  readonly infra: Pick<Infra, 'name'> | null;
  readonly recentExperimentRunDetails:
    | readonly (Pick<
        RecentExperimentRun,
        'experimentRunID' | 'phase' | 'resiliencyScore' | 'runSequence' | 'updatedAt'
      > | null)[]
    | null;
};

/** One page of the experiments of a project. */
export const EXPERIMENTS: Document<
  {
    readonly listExperiment: {
      readonly totalNoOfExperiments: number;
      readonly experiments: readonly (ListedExperiment | null)[];
    };
  },
  { projectID: string; request: ListExperimentRequest }
> = {
  text: `query Experiments($projectID: ID!, $request: ListExperimentRequest!) {
    listExperiment(projectID: $projectID, request: $request) {
      totalNoOfExperiments
      experiments {
        experimentID name updatedAt infra { name } schedule { cron timezone isSuspended isBegun }
        recentExperimentRunDetails { experimentRunID phase resiliencyScore runSequence updatedAt }
      }
    }
  }`,
};

/** Number of experiments of a project. */
export const EXPERIMENT_COUNT: Document<
  { readonly listExperiment: { readonly totalNoOfExperiments: number } },
  { projectID: string }
> = {
  text: `query ExperimentCount($projectID: ID!) {
    listExperiment(projectID: $projectID, request: { pagination: { page: 0, limit: 1 } }) { totalNoOfExperiments }
  }`,
};

/** Runs an experiment now. */
export const RUN_EXPERIMENT: Document<
  { readonly runChaosExperiment: { readonly notifyID: string } },
  { projectID: string; experimentID: string }
> = {
  text: `mutation RunExperiment($projectID: ID!, $experimentID: String!) {
    runChaosExperiment(projectID: $projectID, experimentID: $experimentID) { notifyID }
  }`,
};

/** Deletes an experiment with its runs. */
export const DELETE_EXPERIMENT: Document<unknown, { projectID: string; experimentID: string }> = {
  text: `mutation DeleteExperiment($projectID: ID!, $experimentID: String!) {
    deleteChaosExperiment(projectID: $projectID, experimentID: $experimentID)
  }`,
};
