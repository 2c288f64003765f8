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
      }
    }
  }`,
};
