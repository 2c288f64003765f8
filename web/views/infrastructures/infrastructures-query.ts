import type { Infra } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** What the list shows of an infrastructure. */
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

/** What the infrastructures of a project are called; the first hundred, which a choice is good for. */
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

/** How many infrastructures a project has. */
export const INFRA_COUNT: Document<
  { readonly listInfras: { readonly totalNoOfInfras: number } },
  { projectID: string }
> = {
  text: `query InfraCount($projectID: ID!) {
    listInfras(projectID: $projectID, request: { pagination: { page: 0, limit: 1 } }) { totalNoOfInfras }
  }`,
};

/** Takes an infrastructure away; its agent is told to leave. */
export const DISCONNECT: Document<unknown, { projectID: string; infraID: string }> = {
  text: `mutation Disconnect($projectID: ID!, $infraID: String!) { deleteInfra(projectID: $projectID, infraID: $infraID) }`,
};
