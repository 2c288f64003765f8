import type { Resource } from '../kinds/resources.ts';

/** A kind that no cluster has of its own. */
export const WIDGETS: Resource = {
  group: 'example.com',
  version: 'v1alpha1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};
