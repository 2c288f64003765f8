import type { PredefinedExperimentList } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Infrastructures for a sample, and the hubs that may have it. */
export const SAMPLE_PLACES: Document<
  {
    readonly listInfras: {
      readonly infras: readonly ({
        readonly infraID: string;
        readonly name: string;
        readonly isActive: boolean;
      } | null)[];
    };
    readonly listChaosHub: readonly ({ readonly id: string; readonly isDefault: boolean } | null)[];
  },
  { projectID: string }
> = {
  text: `query SamplePlaces($projectID: ID!) {
    listInfras(projectID: $projectID, request: { filter: { isActive: true } }) { infras { infraID name isActive } }
    listChaosHub(projectID: $projectID) { id isDefault }
  }`,
};

/** An experiment of a hub by its name. */
export const SAMPLE: Document<
  { readonly getPredefinedExperiment: readonly Pick<PredefinedExperimentList, 'experimentManifest'>[] },
  { projectID: string; hub: string; name: string }
> = {
  text: `query Sample($projectID: ID!, $hub: ID!, $name: String!) {
    getPredefinedExperiment(hubID: $hub, experimentName: [$name], projectID: $projectID) { experimentManifest }
  }`,
};
