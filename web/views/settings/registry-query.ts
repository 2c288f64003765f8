import type { ImageRegistry, ImageRegistryInput } from '../../../src/controlplane/schema/generated/types.ts';
import type { Document } from '../../api/client.ts';

/** Fields of an image registry for the form. */
type ShownRegistry = Pick<
  ImageRegistry,
  | 'imageRegistryName'
  | 'imageRepoName'
  | 'imageRegistryType'
  | 'secretName'
  | 'secretNamespace'
  | 'enableRegistry'
>;

/** The image registry of a project. */
export const REGISTRY: Document<
  {
    readonly getImageRegistry: {
      readonly isDefault: boolean;
      readonly imageRegistryID: string;
      readonly imageRegistryInfo: ShownRegistry | null;
    };
  },
  { projectID: string }
> = {
  text: `query Registry($projectID: String!) {
    getImageRegistry(projectID: $projectID) {
      isDefault imageRegistryID
      imageRegistryInfo {
        imageRegistryName imageRepoName imageRegistryType secretName secretNamespace enableRegistry
      }
    }
  }`,
};

/** Changes the image registry of a project. */
export const UPDATE_REGISTRY: Document<unknown, { projectID: string; id: string; info: ImageRegistryInput }> =
  {
    text: `mutation UpdateRegistry($projectID: String!, $id: String!, $info: ImageRegistryInput!) {
    updateImageRegistry(imageRegistryID: $id, projectID: $projectID, imageRegistryInfo: $info) { imageRegistryID }
  }`,
  };
