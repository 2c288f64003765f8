import type {
  Experiment,
  Infra,
  RecentExperimentRun,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** What the list shows of an experiment. */
export type ListedExperiment = Pick<Experiment, 'experimentID' | 'name' | 'cronSyntax' | 'updatedAt'> & {
  readonly infra: Pick<Infra, 'name'> | null;
  readonly recentExperimentRunDetails:
    | readonly (Pick<
        RecentExperimentRun,
        'experimentRunID' | 'phase' | 'resiliencyScore' | 'runSequence' | 'updatedAt'
      > | null)[]
    | null;
};

/** One page of the experiments of a project, the latest changed first. */
export const EXPERIMENTS: Document<
  {
    readonly listExperiment: {
      readonly totalNoOfExperiments: number;
      readonly experiments: readonly (ListedExperiment | null)[];
    };
  },
  { projectID: string; page: number; limit: number; name: string }
> = {
  text: `query Experiments($projectID: ID!, $page: Int!, $limit: Int!, $name: String) {
    listExperiment(projectID: $projectID, request: {
      pagination: { page: $page, limit: $limit }, sort: { field: TIME, ascending: false }, filter: { experimentName: $name }
    }) {
      totalNoOfExperiments
      experiments {
        experimentID name cronSyntax updatedAt infra { name }
        recentExperimentRunDetails { experimentRunID phase resiliencyScore runSequence updatedAt }
      }
    }
  }`,
};
