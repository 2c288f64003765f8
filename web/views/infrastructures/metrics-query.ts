import type { InfraMetrics, InfraMetricsRequest } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Sets which Prometheus is asked for the metrics of runs; null takes it away. */
export const SET_METRICS: Document<
  { readonly setInfraMetrics: Pick<InfraMetrics, 'address'> | null },
  { projectID: string; infraID: string; request: InfraMetricsRequest | null }
> = {
  text: `mutation SetMetrics($projectID: ID!, $infraID: ID!, $request: InfraMetricsRequest) {
    setInfraMetrics(projectID: $projectID, infraID: $infraID, request: $request) { address }
  }`,
};
