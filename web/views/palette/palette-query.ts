import type {
  Experiment,
  ExperimentRun,
  Infra,
  Probe,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Results of the palette in a project. */
export interface Findings {
  readonly listExperiment: {
    readonly experiments: readonly (
      | (Pick<Experiment, 'experimentID' | 'name'> & {
          readonly infra: Pick<Infra, 'name'> | null;
          readonly recentExperimentRunDetails:
            | readonly ({ readonly experimentRunID: string } | null)[]
            | null;
        })
      | null
    )[];
  };
  readonly listExperimentRun: {
    readonly experimentRuns: readonly (Pick<
      ExperimentRun,
      'experimentID' | 'experimentRunID' | 'notifyID' | 'experimentName' | 'runSequence' | 'phase'
    > | null)[];
  };
  readonly listInfras: { readonly infras: readonly (Pick<Infra, 'infraID' | 'name'> | null)[] };
  readonly listChaosHub: readonly ({ readonly id: string; readonly name: string } | null)[];
  readonly listProbes: readonly (Pick<Probe, 'name'> | null)[];
}

/** Objects of a project whose names contain a text, the latest first. */
export const FINDINGS: Document<Findings, { projectID: string; name: string }> = {
  text: `query Findings($projectID: ID!, $name: String) {
    listExperiment(projectID: $projectID, request: {
      pagination: { page: 0, limit: 20 }, sort: { field: TIME, ascending: false }, filter: { experimentName: $name }
    }) { experiments { experimentID name infra { name } recentExperimentRunDetails { experimentRunID } } }
    listExperimentRun(projectID: $projectID, request: {
      pagination: { page: 0, limit: 20 }, sort: { field: TIME, ascending: false }, filter: { experimentName: $name }
    }) { experimentRuns { experimentID experimentRunID notifyID experimentName runSequence phase } }
    listInfras(projectID: $projectID, request: { pagination: { page: 0, limit: 20 }, filter: { name: $name } }) {
      infras { infraID name }
    }
    listChaosHub(projectID: $projectID, request: { filter: { chaosHubName: $name } }) { id name }
    listProbes(projectID: $projectID, filter: { name: $name }) { name }
  }`,
};
