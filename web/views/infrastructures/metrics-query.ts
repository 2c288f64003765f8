import type { InfraMetrics, InfraMetricsRequest } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Sets the Prometheus for the metrics of runs; null removes it. */
export const SET_METRICS: Document<
  { readonly setInfraMetrics: Pick<InfraMetrics, 'address'> | null },
  { projectID: string; infraID: string; request: InfraMetricsRequest | null }
> = {
  text: `mutation SetMetrics($projectID: ID!, $infraID: ID!, $request: InfraMetricsRequest) {
    setInfraMetrics(projectID: $projectID, infraID: $infraID, request: $request) { address }
  }`,
};
