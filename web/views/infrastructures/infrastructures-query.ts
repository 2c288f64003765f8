import type { Infra } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Fields of an infrastructure for the list. */
export type ListedInfra = Pick<
  Infra,
  | 'infraID'
  | 'name'
  | 'environmentID'
  | 'platformName'
  | 'isActive'
  | 'isInfraConfirmed'
  | 'infraScope'
  | 'version'
  | 'noOfExperimentRuns'
  | 'updatedAt'
  | 'metrics'
>;

/** The infrastructures of a project. */
export const INFRASTRUCTURES: Document<
  {
    readonly listInfras: {
      readonly totalNoOfInfras: number;
      readonly infras: readonly (ListedInfra | null)[];
    };
  },
  { projectID: string; page: number; limit: number; name: string }
> = {
  text: `query Infrastructures($projectID: ID!, $page: Int!, $limit: Int!, $name: String) {
    listInfras(projectID: $projectID, request: { pagination: { page: $page, limit: $limit }, filter: { name: $name } }) {
      totalNoOfInfras
      infras {
        infraID name environmentID platformName isActive isInfraConfirmed infraScope version noOfExperimentRuns updatedAt
        metrics { address queries { name unit query } }
      }
    }
  }`,
};

/** Names of the infrastructures of a project; the first hundred, for a selection. */
export const INFRA_NAMES: Document<
  {
    readonly listInfras: {
      readonly infras: readonly (Pick<Infra, 'infraID' | 'name' | 'isActive'> | null)[];
    };
  },
  { projectID: string }
> = {
  text: `query InfraNames($projectID: ID!) {
    listInfras(projectID: $projectID, request: { pagination: { page: 0, limit: 100 } }) { infras { infraID name isActive } }
  }`,
};

/** Number of infrastructures of a project. */
export const INFRA_COUNT: Document<
  { readonly listInfras: { readonly totalNoOfInfras: number } },
  { projectID: string }
> = {
  text: `query InfraCount($projectID: ID!) {
    listInfras(projectID: $projectID, request: { pagination: { page: 0, limit: 1 } }) { totalNoOfInfras }
  }`,
};

/** Deletes an infrastructure; the server orders its agent to leave. */
export const DISCONNECT: Document<unknown, { projectID: string; infraID: string }> = {
  text: `mutation Disconnect($projectID: ID!, $infraID: String!) { deleteInfra(projectID: $projectID, infraID: $infraID) }`,
};
