import type {
  GetExperimentStatsResponse,
  GetInfraStatsResponse,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';
import type { ListedRun } from '../runs/runs-query.ts';

/** What the overview shows of a project. */
export interface Overview {
  readonly getExperimentStats: Pick<
    GetExperimentStatsResponse,
    'totalExperiments' | 'totalExpCategorizedByResiliencyScore'
  >;
  readonly getInfraStats: Pick<
    GetInfraStatsResponse,
    'totalActiveInfrastructure' | 'totalInactiveInfrastructures' | 'totalNonConfirmedInfrastructures'
  >;
  readonly getChaosHubStats: { readonly totalChaosHubs: number };
  readonly listExperimentRun: { readonly experimentRuns: readonly (ListedRun | null)[] };
}

/** Counts, and the latest runs. */
export const OVERVIEW: Document<Overview, { projectID: string }> = {
  text: `query Overview($projectID: ID!) {
    getExperimentStats(projectID: $projectID) {
      totalExperiments totalExpCategorizedByResiliencyScore { id count }
    }
    getInfraStats(projectID: $projectID) {
      totalActiveInfrastructure totalInactiveInfrastructures totalNonConfirmedInfrastructures
    }
    getChaosHubStats(projectID: $projectID) { totalChaosHubs }
    listExperimentRun(projectID: $projectID, request: {
      pagination: { page: 0, limit: 10 }, sort: { field: TIME, ascending: false }
    }) {
      experimentRuns {
        experimentRunID notifyID experimentName phase resiliencyScore runSequence createdAt updatedAt
        infra { name } createdBy { username }
      }
    }
  }`,
};
