import { memberOf } from '../access/context.ts';
import type { Noun } from '../access/noun.ts';
import { createRegistry, deleteRegistry, updateRegistry } from './change-registry.ts';
import { asRegistry, registryOf } from './registries.ts';

/** Image registries of a project's experiments. */
export const registryNoun: Noun = {
  queries: {
    getImageRegistry: async (_args, context) =>
      asRegistry(await registryOf(context.plane.store.read, memberOf(context).project)),
    listImageRegistry: async (_args, context) => [
      asRegistry(await registryOf(context.plane.store.read, memberOf(context).project)),
    ],
  },
  mutations: {
    createImageRegistry: ({ imageRegistryInfo }, context) => createRegistry(imageRegistryInfo, context),
    updateImageRegistry: ({ imageRegistryID, imageRegistryInfo }, context) =>
      updateRegistry(imageRegistryID, imageRegistryInfo, context),
    deleteImageRegistry: async ({ imageRegistryID }, context) => {
      await deleteRegistry(imageRegistryID, context);
      return 'image registry deleted';
    },
  },
};
