import { asObjects, asString } from '../object.ts';
import { column, NAME_COLUMN } from '../tables/column.ts';
import { defineKind } from './define.ts';

const HEALTH = 'Healthy';

/** The parts of the control plane. Answered and not stored; deprecated, and asked for all the same. */
export const componentStatuses = defineKind({
  group: '',
  plural: 'componentstatuses',
  kind: 'ComponentStatus',
  namespaced: false,
  shortNames: ['cs'],
  verbs: ['get', 'list'],
  columns: [
    NAME_COLUMN,
    column('Status', ({ conditions }) =>
      asObjects(conditions).some(({ type, status }) => type === HEALTH && status === 'True')
        ? HEALTH
        : 'Unhealthy',
    ),
    column('Message', ({ conditions }) => asString(asObjects(conditions)[0]?.message)),
    column('Error', ({ conditions }) => asString(asObjects(conditions)[0]?.error)),
  ],
});

/** The object of a component that works. They all live in one process: where one answers, they are all there. */
export function healthyComponent(
  name: string,
): { readonly metadata: { readonly name: string } } & Record<string, unknown> {
  return {
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name },
    conditions: [{ type: HEALTH, status: 'True', message: 'ok' }],
  };
}
