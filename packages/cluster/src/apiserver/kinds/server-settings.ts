/** What other servers limit their load by, and give addresses from. Source: kubernetes.io, API priority and fairness; Service ClusterIP allocation. */
import { isIP } from 'node:net';
import { type Condition, findCondition } from '@turnsole/kube/kinds/conditions';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import {
  type ApiObject,
  asJson,
  asNumber,
  asObjects,
  asString,
  asStrings,
  childOf,
  isJson,
  setDefaults,
  valueAt,
} from '../object.ts';
import { AGE_COLUMN, type Cell, column, NAME_COLUMN } from '../tables/column.ts';
import { invalidField } from '../validation/field.ts';
import { defineKind, textAt } from './define.ts';
import type { KindDefinition } from './kind.ts';

const FLOW_CONTROL = 'flowcontrol.apiserver.k8s.io';

const flowSchemas = defineKind({
  group: FLOW_CONTROL,
  plural: 'flowschemas',
  kind: 'FlowSchema',
  namespaced: false,
  hasStatus: true,
  hasGeneration: true,
  rules: {
    applyDefaults: (object) => {
      const spec = childOf(object, 'spec');
      if (asNumber(spec.matchingPrecedence) === 0) spec.matchingPrecedence = 1000;
    },
  },
  rowOrder: (one, other) => precedenceOf(one) - precedenceOf(other),
  columns: [
    NAME_COLUMN,
    column('PriorityLevel', textAt('spec', 'priorityLevelConfiguration', 'name')),
    column('MatchingPrecedence', precedenceOf),
    column(
      'DistinguisherMethod',
      (object) => textAt('spec', 'distinguisherMethod', 'type')(object) || '<none>',
    ),
    AGE_COLUMN,
    column('MissingPL', (object) => findCondition(schemaConditions(object), 'Dangling')?.status ?? '?'),
  ],
});

/** The conditions of a FlowSchema. */
export function schemaConditions({ status }: ApiObject): Condition[] {
  // Decoded with the type of a FlowSchema when it was written.
  return asObjects(asJson(status).conditions) as unknown as Condition[];
}

/** What schemas are tried in the order of; those of the same number by name, as lists are. */
function precedenceOf(object: ApiObject): number {
  return asNumber(valueAt(object, 'spec', 'matchingPrecedence'));
}

const priorityLevels = defineKind({
  group: FLOW_CONTROL,
  plural: 'prioritylevelconfigurations',
  kind: 'PriorityLevelConfiguration',
  namespaced: false,
  hasStatus: true,
  hasGeneration: true,
  rules: { applyDefaults: defaultPriorityLevel },
  columns: [
    NAME_COLUMN,
    column('Type', textAt('spec', 'type')),
    column('NominalConcurrencyShares', limitAt('nominalConcurrencyShares')),
    column('Queues', limitAt('limitResponse', 'queuing', 'queues')),
    column('HandSize', limitAt('limitResponse', 'queuing', 'handSize')),
    column('QueueLengthLimit', limitAt('limitResponse', 'queuing', 'queueLengthLimit')),
    AGE_COLUMN,
  ],
});

/** A number of a level that is limited. */
function limitAt(...path: readonly string[]): (object: ApiObject) => Cell {
  return (object) => {
    const value = valueAt(object, 'spec', 'limited', ...path);
    return typeof value === 'number' ? value : '<none>';
  };
}

function defaultPriorityLevel(object: ApiObject): void {
  const { limited, exempt } = asJson(object.spec);
  if (isJson(limited)) setDefaults(limited, { nominalConcurrencyShares: 30, lendablePercent: 0 });
  if (isJson(exempt)) setDefaults(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 });
  const queuing = valueAt(limited, 'limitResponse', 'queuing');
  if (!isJson(queuing)) return;
  for (const [field, value] of Object.entries({ queues: 64, handSize: 8, queueLengthLimit: 50 })) {
    // What is not given was decoded as 0.
    if (asNumber(queuing[field]) === 0) queuing[field] = value;
  }
}

const addresses = defineKind({
  group: 'networking.k8s.io',
  plural: 'ipaddresses',
  kind: 'IPAddress',
  namespaced: false,
  shortNames: ['ip'],
  checkName: (name) =>
    isIP(name) === 0 ? ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'] : [],
  columns: [
    NAME_COLUMN,
    column('ParentRef', (object) => {
      const parent = valueAt(object, 'spec', 'parentRef');
      if (!isJson(parent)) return '<none>';
      const { group, resource, namespace, name } = parent;
      const what = [resource, group].map(asString).filter((text) => text !== '');
      return [what.join('.').toLowerCase(), namespace, name]
        .map(asString)
        .filter((text) => text !== '')
        .join('/');
    }),
    AGE_COLUMN,
  ],
});

const ranges = defineKind({
  group: 'networking.k8s.io',
  plural: 'servicecidrs',
  kind: 'ServiceCIDR',
  namespaced: false,
  hasStatus: true,
  rules: { validateUpdate: refuseOtherRanges },
  columns: [
    NAME_COLUMN,
    column('CIDRs', (object) => asStrings(valueAt(object, 'spec', 'cidrs')).join(',')),
    AGE_COLUMN,
  ],
});

/** A second range may be added, for the other family of addresses. */
function refuseOtherRanges(object: ApiObject, old: ApiObject): FieldError[] {
  const before = asStrings(asJson(old.spec).cidrs);
  const cidrs = asStrings(asJson(object.spec).cidrs);
  const words = 'field is immutable';
  if (cidrs.length !== before.length && (before.length !== 1 || cidrs.length !== 2)) {
    return [invalidField('spec.cidrs', cidrs, words)];
  }
  return before.flatMap((range, index) =>
    range === cidrs[index] ? [] : [invalidField(`spec.cidrs[${index}]`, cidrs[index], words)],
  );
}

const volumeClasses = defineKind({
  group: 'storage.k8s.io',
  plural: 'volumeattributesclasses',
  kind: 'VolumeAttributesClass',
  namespaced: false,
  shortNames: ['vac'],
  columns: [NAME_COLUMN, column('DriverName', textAt('driverName')), AGE_COLUMN],
});

export const SERVER_SETTINGS: readonly KindDefinition[] = [
  flowSchemas,
  priorityLevels,
  addresses,
  ranges,
  volumeClasses,
];
