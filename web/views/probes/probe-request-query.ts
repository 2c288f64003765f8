import type { ProbeRequest } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Creates a probe. */
export const ADD_PROBE: Document<unknown, { projectID: string; request: ProbeRequest }> = {
  text: `mutation AddProbe($projectID: ID!, $request: ProbeRequest!) {
    addProbe(projectID: $projectID, request: $request) { name }
  }`,
};

/** Changes a probe. */
export const UPDATE_PROBE: Document<unknown, { projectID: string; request: ProbeRequest }> = {
  text: `mutation UpdateProbe($projectID: ID!, $request: ProbeRequest!) {
    updateProbe(projectID: $projectID, request: $request)
  }`,
};
