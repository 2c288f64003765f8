import { asObjects, asString, valueAt } from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { checkPathSegmentName } from '../validation/names.ts';
import { defineKind } from './define.ts';

/** The served group versions. Only the server writes them; it passes no requests on to other servers. */
export const apiServices = defineKind({
  group: 'apiregistration.k8s.io',
  plural: 'apiservices',
  kind: 'APIService',
  namespaced: false,
  categories: ['api-extensions'],
  // The core group's is `v1.`.
  checkName: checkPathSegmentName,
  verbs: ['get', 'list', 'watch'],
  columns: [
    NAME_COLUMN,
    column('Service', (object) => {
      const { namespace, name } = (valueAt(object, 'spec', 'service') ?? {}) as Record<string, unknown>;
      return name === undefined ? 'Local' : `${asString(namespace)}/${asString(name)}`;
    }),
    column('Available', (object) => {
      const available = asObjects(valueAt(object, 'status', 'conditions')).find(
        ({ type }) => type === 'Available',
      );
      return asString(available?.status) || 'Unknown';
    }),
    AGE_COLUMN,
  ],
});
