import type { RunMetrics } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Metrics for the time of a run; null if no Prometheus is set. */
export const RUN_METRICS: Document<
  { readonly getRunMetrics: RunMetrics | null },
  { projectID: string; runID: string }
> = {
  text: `query RunMetrics($projectID: ID!, $runID: ID!) {
    getRunMetrics(projectID: $projectID, experimentRunID: $runID) {
      problem startMs stepMs isFinal
      metrics { name unit problem leftOut series { labels { name value } values } }
    }
  }`,
};
