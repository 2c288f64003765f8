import type { ExperimentRun } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** What the list shows of a run. */
export type ListedRun = Pick<
  ExperimentRun,
  | 'experimentRunID'
  | 'notifyID'
  | 'experimentName'
  | 'phase'
  | 'resiliencyScore'
  | 'runSequence'
  | 'createdAt'
  | 'updatedAt'
> & {
  readonly infra: Pick<ExperimentRun['infra'], 'name'>;
  readonly createdBy: { readonly username: string } | null;
};

/** One page of the runs of a project, the newest first. */
export const RUNS: Document<
  {
    readonly listExperimentRun: {
      readonly totalNoOfExperimentRuns: number;
      readonly experimentRuns: readonly (ListedRun | null)[];
    };
  },
  { projectID: string; page: number; limit: number; name: string }
> = {
  text: `query Runs($projectID: ID!, $page: Int!, $limit: Int!, $name: String) {
    listExperimentRun(projectID: $projectID, request: {
      pagination: { page: $page, limit: $limit }, sort: { field: TIME, ascending: false }, filter: { experimentName: $name }
    }) {
      totalNoOfExperimentRuns
      experimentRuns {
        experimentRunID notifyID experimentName phase resiliencyScore runSequence createdAt updatedAt
        infra { name } createdBy { username }
      }
    }
  }`,
};
