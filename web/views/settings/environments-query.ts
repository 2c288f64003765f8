import type {
  CreateEnvironmentRequest,
  Environment,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Fields of an environment for the list. */
export type ListedEnvironment = Pick<
  Environment,
  'environmentID' | 'name' | 'description' | 'type' | 'infraIDs' | 'updatedAt'
>;

/** One page of the environments of a project. */
export const ENVIRONMENTS: Document<
  {
    readonly listEnvironments: {
      readonly totalNoOfEnvironments: number;
      readonly environments: readonly (ListedEnvironment | null)[] | null;
    } | null;
  },
  { projectID: string; page: number; limit: number; name: string; ascending: boolean }
> = {
  text: `query EnvironmentList($projectID: ID!, $page: Int!, $limit: Int!, $name: String, $ascending: Boolean) {
    listEnvironments(projectID: $projectID, request: {
      pagination: { page: $page, limit: $limit }, filter: { name: $name }, sort: { field: NAME, ascending: $ascending }
    }) {
      totalNoOfEnvironments
      environments { environmentID name description type infraIDs updatedAt }
    }
  }`,
};

/** Creates an environment. */
export const CREATE_ENVIRONMENT: Document<unknown, { projectID: string; request: CreateEnvironmentRequest }> =
  {
    text: `mutation CreateEnvironment($projectID: ID!, $request: CreateEnvironmentRequest) {
    createEnvironment(projectID: $projectID, request: $request) { environmentID }
  }`,
  };

/** Deletes an environment. */
export const DELETE_ENVIRONMENT: Document<unknown, { projectID: string; id: string }> = {
  text: `mutation DeleteEnvironment($projectID: ID!, $id: ID!) {
    deleteEnvironment(projectID: $projectID, environmentID: $id)
  }`,
};
