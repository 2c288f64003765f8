/** Devices that drivers offer and pods claim (dynamic resource allocation). They are stored, and nothing here allocates any. */
import { asJson, asList, asString, isJson } from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { defineKind, fieldAt, textAt } from './define.ts';
import type { KindDefinition } from './kind.ts';

const group = 'resource.k8s.io';

export const DEVICE_KINDS: readonly KindDefinition[] = [
  defineKind({ group, plural: 'deviceclasses', kind: 'DeviceClass', namespaced: false, hasGeneration: true }),
  defineKind({
    group,
    plural: 'resourceclaims',
    kind: 'ResourceClaim',
    namespaced: true,
    hasStatus: true,
    columns: [
      NAME_COLUMN,
      column('State', (claim) => stateOf(asJson(claim.status), claim.metadata.deletionTimestamp)),
      AGE_COLUMN,
    ],
  }),
  defineKind({ group, plural: 'resourceclaimtemplates', kind: 'ResourceClaimTemplate', namespaced: true }),
  defineKind({
    group,
    plural: 'resourceslices',
    kind: 'ResourceSlice',
    namespaced: false,
    hasGeneration: true,
    fields: { 'spec.nodeName': fieldAt('spec', 'nodeName'), 'spec.driver': fieldAt('spec', 'driver') },
    columns: [
      NAME_COLUMN,
      column('Node', (slice) => asString(asJson(slice.spec).nodeName) || '<none>'),
      column('Driver', textAt('spec', 'driver')),
      column('Pool', textAt('spec', 'pool', 'name')),
      AGE_COLUMN,
    ],
  }),
];

/** `allocated,reserved`, as Kubernetes words it. */
function stateOf(status: Readonly<Record<string, unknown>>, deletedAt: string | undefined): string {
  const states = [
    ...(deletedAt === undefined ? [] : ['deleted']),
    ...(isJson(status.allocation) ? ['allocated'] : ['pending']),
    ...(asList(status.reservedFor).length === 0 ? [] : ['reserved']),
  ];
  return states.join(',');
}
