import type {
  ExperimentRun,
  ListExperimentRunRequest,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Fields of a run for the list. */
export type ListedRun = Pick<
  ExperimentRun,
  | 'experimentID'
  | 'experimentRunID'
  | 'notifyID'
  | 'experimentName'
  | 'phase'
  | 'resiliencyScore'
  | 'runSequence'
  | 'createdAt'
  | 'updatedAt'
  | 'revisionID'
> & {
  readonly infra: Pick<ExperimentRun['infra'], 'name'>;
  readonly createdBy: { readonly username: string } | null;
};

/** One page of the runs of a project. */
export const RUNS: Document<
  {
    readonly listExperimentRun: {
      readonly totalNoOfExperimentRuns: number;
      readonly experimentRuns: readonly (ListedRun | null)[];
    };
  },
  { projectID: string; request: ListExperimentRunRequest }
> = {
  text: `query Runs($projectID: ID!, $request: ListExperimentRunRequest!) {
    listExperimentRun(projectID: $projectID, request: $request) {
      totalNoOfExperimentRuns
      experimentRuns {
        experimentID experimentRunID notifyID experimentName phase resiliencyScore runSequence createdAt updatedAt
        revisionID infra { name } createdBy { username }
      }
    }
  }`,
};

/** Number of runs of a project. */
export const RUN_COUNT: Document<
  { readonly listExperimentRun: { readonly totalNoOfExperimentRuns: number } },
  { projectID: string }
> = {
  text: `query RunCount($projectID: ID!) {
    listExperimentRun(projectID: $projectID, request: { pagination: { page: 0, limit: 1 } }) { totalNoOfExperimentRuns }
  }`,
};
