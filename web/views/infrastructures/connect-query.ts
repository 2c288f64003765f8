import type {
  RegisterInfraRequest,
  RegisterInfraResponse,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** The environments of a project, by id. */
export const ENVIRONMENTS: Document<
  {
    readonly listEnvironments: {
      readonly environments: readonly ({ readonly environmentID: string } | null)[] | null;
    } | null;
  },
  { projectID: string; ids: readonly string[] }
> = {
  text: `query Environments($projectID: ID!, $ids: [ID!]) {
    listEnvironments(projectID: $projectID, request: { environmentIDs: $ids }) { environments { environmentID } }
  }`,
};

/** Creates a non-production environment. */
export const MAKE_ENVIRONMENT: Document<unknown, { projectID: string; id: string }> = {
  text: `mutation MakeEnvironment($projectID: ID!, $id: String!) {
    createEnvironment(projectID: $projectID, request: { environmentID: $id, name: $id, type: NON_PROD }) { environmentID }
  }`,
};

/** Registers a cluster; the answer has its manifest. */
export const REGISTER: Document<
  { readonly registerInfra: Pick<RegisterInfraResponse, 'name' | 'manifest'> },
  { projectID: string; request: RegisterInfraRequest }
> = {
  text: `mutation Register($projectID: ID!, $request: RegisterInfraRequest!) {
    registerInfra(projectID: $projectID, request: $request) { name manifest }
  }`,
};
