import type {
  ChaosHubStatus,
  Chart,
  CreateChaosHubRequest,
  CreateRemoteChaosHub,
  FaultDetails,
  FaultList,
  PredefinedExperimentList,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Fields of a hub for the list. */
export type ListedHub = Pick<
  ChaosHubStatus,
  | 'id'
  | 'name'
  | 'repoURL'
  | 'repoBranch'
  | 'hubType'
  | 'isAvailable'
  | 'isDefault'
  | 'totalFaults'
  | 'totalExperiments'
  | 'lastSyncedAt'
  | 'lastError'
>;

/** The hubs of a project. */
export const HUBS: Document<{ readonly listChaosHub: readonly (ListedHub | null)[] }, { projectID: string }> =
  {
    text: `query Hubs($projectID: ID!) {
    listChaosHub(projectID: $projectID) {
      id name repoURL repoBranch hubType isAvailable isDefault totalFaults totalExperiments lastSyncedAt lastError
    }
  }`,
  };

/** Reads a hub again. */
export const SYNC_HUB: Document<unknown, { projectID: string; id: string }> = {
  text: `mutation SyncHub($projectID: ID!, $id: ID!) { syncChaosHub(id: $id, projectID: $projectID) }`,
};

/** Deletes a hub. */
export const DELETE_HUB: Document<unknown, { projectID: string; id: string }> = {
  text: `mutation DeleteHub($projectID: ID!, $id: ID!) { deleteChaosHub(projectID: $projectID, hubID: $id) }`,
};

/** Adds a hub in a Git repository. */
export const ADD_HUB: Document<unknown, { projectID: string; request: CreateChaosHubRequest }> = {
  text: `mutation AddHub($projectID: ID!, $request: CreateChaosHubRequest!) {
    addChaosHub(projectID: $projectID, request: $request) { id }
  }`,
};

/** Adds a hub in an archive. */
export const ADD_ARCHIVE: Document<unknown, { projectID: string; request: CreateRemoteChaosHub }> = {
  text: `mutation AddArchive($projectID: ID!, $request: CreateRemoteChaosHub!) {
    addRemoteChaosHub(projectID: $projectID, request: $request) { id }
  }`,
};

/** Fields of a category of faults for the page. */
export interface ShownChart {
  readonly metadata: Pick<Chart['metadata'], 'name'>;
  readonly spec: {
    readonly displayName: string;
    readonly faults: readonly Pick<FaultList, 'name' | 'displayName' | 'description'>[];
  };
}

/** Data of a hub for its page. */
interface HubContent {
  readonly getChaosHub: ListedHub;
  readonly listChaosFaults: readonly ShownChart[];
  readonly listPredefinedExperiments: readonly PredefinedExperimentList[];
}

/** A hub with its faults and experiments. */
export const HUB: Document<HubContent, { projectID: string; id: string }> = {
  text: `query Hub($projectID: ID!, $id: ID!) {
    getChaosHub(projectID: $projectID, chaosHubID: $id) {
      id name repoURL repoBranch hubType isAvailable isDefault totalFaults totalExperiments lastSyncedAt lastError
    }
    listChaosFaults(hubID: $id, projectID: $projectID) {
      metadata { name } spec { displayName faults { name displayName description } }
    }
    listPredefinedExperiments(hubID: $id, projectID: $projectID) {
      experimentName experimentCSV experimentManifest
    }
  }`,
};

/** The files of a fault. */
export const FAULT: Document<
  { readonly getChaosFault: FaultDetails },
  { projectID: string; hub: string; category: string; name: string }
> = {
  text: `query Fault($projectID: ID!, $hub: String!, $category: String!, $name: String!) {
    getChaosFault(projectID: $projectID, request: { hubID: $hub, category: $category, experimentName: $name }) {
      fault engine csv
    }
  }`,
};
