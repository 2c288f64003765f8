import type {
  ChaosExperimentRequest,
  KubeGVRRequest,
  ObjectData,
  Probe,
  SaveChaosExperimentRequest,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';
import type { StoredExperiment } from './origin.ts';

/** Stores an experiment. */
export const SAVE: Document<unknown, { projectID: string; request: SaveChaosExperimentRequest }> = {
  text: `mutation Save($projectID: ID!, $request: SaveChaosExperimentRequest!) {
    saveChaosExperiment(projectID: $projectID, request: $request)
  }`,
};

/** Starts a run of a stored experiment. */
export const RUN: Document<unknown, { projectID: string; id: string }> = {
  text: `mutation Run($projectID: ID!, $id: String!) {
    runChaosExperiment(projectID: $projectID, experimentID: $id) { notifyID }
  }`,
};

/** The namespaces of a cluster, from its agent; none while it is offline. */
export const NAMESPACES: Document<
  { readonly getKubeNamespace: { readonly kubeNamespace: readonly ({ readonly name: string } | null)[] } },
  { infraID: string }
> = {
  text: `subscription Namespaces($infraID: ID!) {
    getKubeNamespace(request: { infraID: $infraID }) { kubeNamespace { name } }
  }`,
};

/** Objects of one kind in a namespace, from the agent; none while it is offline. */
export const OBJECTS: Document<
  { readonly getKubeObject: { readonly kubeObj: { readonly data: readonly (ObjectData | null)[] } } },
  { infraID: string; namespace: string; resource: KubeGVRRequest }
> = {
  text: `subscription Objects($infraID: ID!, $namespace: String!, $resource: KubeGVRRequest!) {
    getKubeObject(request: {
      infraID: $infraID, namespace: $namespace, objectType: "kubeobject", kubeObjRequest: $resource
    }) { kubeObj { data { name labels } } }
  }`,
};

/** The probes of a project. */
export const PROBES: Document<
  { readonly listProbes: readonly (Pick<Probe, 'name' | 'type'> | null)[] },
  { projectID: string }
> = {
  text: `query StudioProbes($projectID: ID!) { listProbes(projectID: $projectID) { name type } }`,
};

/** Selectable infrastructures, with the namespace of the agent. */
export const PLACES: Document<
  {
    readonly listInfras: {
      readonly infras: readonly ({
        readonly infraID: string;
        readonly name: string;
        readonly isActive: boolean;
        readonly infraNamespace: string | null;
      } | null)[];
    };
  },
  { projectID: string }
> = {
  text: `query Places($projectID: ID!) {
    listInfras(projectID: $projectID, request: {}) { infras { infraID name isActive infraNamespace } }
  }`,
};

/** An experiment for changes or copies. */
export const EXPERIMENT: Document<
  { readonly getExperiment: { readonly experimentDetails: StoredExperiment } },
  { projectID: string; id: string }
> = {
  text: `query StudioExperiment($projectID: ID!, $id: String!) {
    getExperiment(projectID: $projectID, experimentID: $id) {
      experimentDetails {
        experimentID name description experimentManifest isCustomExperiment updatedAt tags
        infra { infraID } updatedBy { username }
      }
    }
  }`,
};

/** When an experiment was last changed, and by whom. */
export const LAST_CHANGE: Document<
  {
    readonly getExperiment: {
      readonly experimentDetails: Pick<StoredExperiment, 'updatedAt' | 'updatedBy'>;
    };
  },
  { projectID: string; id: string }
> = {
  text: `query StudioLastChange($projectID: ID!, $id: String!) {
    getExperiment(projectID: $projectID, experimentID: $id) { experimentDetails { updatedAt updatedBy { username } } }
  }`,
};

/** Changes an existing experiment. */
export const UPDATE: Document<unknown, { projectID: string; request: ChaosExperimentRequest }> = {
  text: `mutation Update($projectID: ID!, $request: ChaosExperimentRequest!) {
    updateChaosExperiment(projectID: $projectID, request: $request) { experimentID }
  }`,
};

/** An experiment of a hub. */
export const SAMPLE: Document<
  {
    readonly getPredefinedExperiment: readonly {
      readonly experimentName: string;
      readonly experimentManifest: string;
    }[];
  },
  { projectID: string; hub: string; name: string }
> = {
  text: `query StudioSample($projectID: ID!, $hub: ID!, $name: String!) {
    getPredefinedExperiment(projectID: $projectID, hubID: $hub, experimentName: [$name]) {
      experimentName experimentManifest
    }
  }`,
};
