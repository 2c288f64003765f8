import type {
  GetExperimentStatsResponse,
  GetInfraStatsResponse,
  Infra,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';
import type { RecentExperiment } from '../../models/overview/overview.ts';
import type { ListedRun } from '../runs/runs-query.ts';

/** An infrastructure and when its agent was last heard of. */
export type SeenInfra = Pick<Infra, 'infraID' | 'name' | 'isActive' | 'lastSeenAt'>;

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
  readonly listExperiment: { readonly experiments: readonly (RecentExperiment | null)[] };
  readonly listInfras: { readonly infras: readonly (SeenInfra | null)[] };
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
    listExperiment(projectID: $projectID, request: {
      pagination: { page: 0, limit: 50 }, sort: { field: TIME, ascending: false }
    }) {
      experiments {
        experimentID name recentExperimentRunDetails { experimentRunID phase resiliencyScore runSequence }
      }
    }
    listInfras(projectID: $projectID, request: { pagination: { page: 0, limit: 50 } }) {
      infras { infraID name isActive lastSeenAt }
    }
    listExperimentRun(projectID: $projectID, request: {
      pagination: { page: 0, limit: 10 }, sort: { field: TIME, ascending: false }
    }) {
      experimentRuns {
        experimentID experimentRunID notifyID experimentName phase resiliencyScore runSequence createdAt updatedAt
        infra { name } createdBy { username }
      }
    }
  }`,
};
