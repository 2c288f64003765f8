import type { GetExperimentStatsResponse, Infra } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';
import type { ScheduledExperiment } from '../../models/overview/next-runs.ts';
import type { RecentExperiment } from '../../models/overview/overview.ts';
import type { ListedRun } from '../runs/runs-query.ts';

/** An infrastructure with its agent's last sign of life. */
export type SeenInfra = Pick<Infra, 'infraID' | 'name' | 'isActive' | 'lastSeenAt'>;

/** Data of a project for the overview. */
export interface Overview {
  readonly getExperimentStats: Pick<
    GetExperimentStatsResponse,
    'totalExperiments' | 'totalExpCategorizedByResiliencyScore'
  >;
  /** Counts of infrastructures come from lists, since viewers may not call `getInfraStats`. */
  readonly connected: { readonly totalNoOfInfras: number };
  readonly getChaosHubStats: { readonly totalChaosHubs: number };
  readonly listExperiment: { readonly experiments: readonly (RecentExperiment | null)[] };
  readonly scheduled: { readonly experiments: readonly (ScheduledExperiment | null)[] };
  readonly listInfras: { readonly totalNoOfInfras: number; readonly infras: readonly (SeenInfra | null)[] };
  readonly listExperimentRun: { readonly experimentRuns: readonly (ListedRun | null)[] };
}

/** Counts, and the latest runs. */
export const OVERVIEW: Document<Overview, { projectID: string }> = {
  text: `query Overview($projectID: ID!) {
    getExperimentStats(projectID: $projectID) {
      totalExperiments totalExpCategorizedByResiliencyScore { id count }
    }
    connected: listInfras(projectID: $projectID, request: {
      pagination: { page: 0, limit: 1 }, filter: { isActive: true }
    }) { totalNoOfInfras }
    getChaosHubStats(projectID: $projectID) { totalChaosHubs }
    listExperiment(projectID: $projectID, request: {
      pagination: { page: 0, limit: 50 }, sort: { field: TIME, ascending: false }
    }) {
      experiments {
        experimentID name recentExperimentRunDetails { experimentRunID phase resiliencyScore runSequence }
      }
    }
    scheduled: listExperiment(projectID: $projectID, request: {
      pagination: { page: 0, limit: 50 }, filter: { scheduleType: CRON }
    }) {
      experiments { experimentID name infra { name } schedule { cron timezone isSuspended isBegun } }
    }
    listInfras(projectID: $projectID, request: { pagination: { page: 0, limit: 50 } }) {
      totalNoOfInfras
      infras { infraID name isActive lastSeenAt }
    }
    listExperimentRun(projectID: $projectID, request: {
      pagination: { page: 0, limit: 10 }, sort: { field: TIME, ascending: false }
    }) {
      experimentRuns {
        experimentID experimentRunID notifyID experimentName phase resiliencyScore runSequence createdAt updatedAt
        revisionID infra { name } createdBy { username }
      }
    }
  }`,
};
