import type { ProbeRequest, ProbeTrial } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Tries a probe once, by the agent of an infrastructure. */
export const TRY_PROBE: Document<
  { readonly tryProbe: ProbeTrial },
  { projectID: string; infraID: string; request: ProbeRequest }
> = {
  text: `mutation TryProbe($projectID: ID!, $infraID: ID!, $request: ProbeRequest!) {
    tryProbe(projectID: $projectID, infraID: $infraID, request: $request) { outcome text code milliseconds }
  }`,
};
