/** Policy, networking, coordination, discovery, scheduling, storage and autoscaling. */

import {
  ENDPOINT_SLICES,
  LEASES,
  NETWORK_POLICIES,
  POD_DISRUPTION_BUDGETS,
} from '@turnsole/kube/kinds/resources';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import {
  asJson,
  asList,
  asNumber,
  asObjects,
  asString,
  asStrings,
  childOf,
  semanticallyEqual,
  setDefault,
  setDefaults,
  valueAt,
} from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { validateAmount } from '../validation/amount.ts';
import { FieldErrors, forbiddenField, invalidField, requiredField, structure } from '../validation/field.ts';
import { validateIngress } from '../validation/ingress.ts';
import { checkLabelName } from '../validation/names.ts';
import { validateNetworkPolicy } from '../validation/network-policy.ts';
import { autoscalers } from './autoscalers.ts';
import { defineKind, textAt, withStatus } from './define.ts';
import type { KindDefinition } from './kind.ts';
import { SERVER_SETTINGS } from './server-settings.ts';
import { formatSelector } from './workload-rules.ts';

const budgets = defineKind(POD_DISRUPTION_BUDGETS, {
  shortNames: ['pdb'],
  hasGeneration: true,
  hasStatus: true,
  rules: {
    prepareCreate: withStatus({
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
    }),
    validate: (object) => {
      const spec = asJson(object.spec);
      const errors = new FieldErrors();
      const both = spec.minAvailable !== undefined && spec.maxUnavailable !== undefined;
      if (both) {
        const { minAvailable, selector, maxUnavailable, unhealthyPodEvictionPolicy } = spec;
        const shown = structure({
          MinAvailable: minAvailable,
          Selector: selector,
          MaxUnavailable: maxUnavailable,
          UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy,
        });
        errors.invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set');
      }
      errors.push(...validateAmount(spec.minAvailable, 'spec.minAvailable'));
      errors.push(...validateAmount(spec.maxUnavailable, 'spec.maxUnavailable'));
      const policy = spec.unhealthyPodEvictionPolicy;
      if (policy !== undefined) {
        errors.oneOf('spec.unhealthyPodEvictionPolicy', policy, ['AlwaysAllow', 'IfHealthyBudget']);
      }
      return errors;
    },
  },
  columns: [
    NAME_COLUMN,
    column('Min Available', (object) => textAt('spec', 'minAvailable')(object) || 'N/A'),
    column('Max Unavailable', (object) => textAt('spec', 'maxUnavailable')(object) || 'N/A'),
    column('Allowed Disruptions', (object) => asNumber(valueAt(object, 'status', 'disruptionsAllowed')), {
      type: 'integer',
    }),
    AGE_COLUMN,
  ],
});

const leases = defineKind(LEASES, {
  createsOnUpdate: true,
  rules: {
    validate: (object) => {
      const spec = asJson(object.spec);
      const errors = new FieldErrors();
      const seconds = spec.leaseDurationSeconds;
      if (typeof seconds === 'number' && seconds <= 0) {
        errors.invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0');
      }
      errors.counts('spec', spec, ['leaseTransitions']);
      return errors;
    },
  },
  columns: [NAME_COLUMN, column('Holder', textAt('spec', 'holderIdentity')), AGE_COLUMN],
});

const slices = defineKind(ENDPOINT_SLICES, {
  hasGeneration: true,
  rules: {
    applyDefaults: (object) => {
      for (const port of asObjects(object.ports)) {
        setDefaults(port, { name: '', protocol: 'TCP' });
      }
    },
    validate: (object) => {
      const errors = new FieldErrors();
      const type = asString(object.addressType);
      if (type === '') return [requiredField('addressType')];
      errors.oneOf('addressType', type, ['FQDN', 'IPv4', 'IPv6']);
      for (const [index, port] of asObjects(object.ports).entries()) {
        const name = asString(port.name);
        if (name !== '') errors.named(`ports[${index}].name`, name, checkLabelName);
        errors.oneOf(`ports[${index}].protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']);
      }
      for (const [index, { addresses }] of asObjects(object.endpoints).entries()) {
        if (asList(addresses).length > 0) continue;
        errors.required(`endpoints[${index}].addresses`, 'must contain at least 1 address');
      }
      return errors;
    },
    validateUpdate: (object, old) =>
      object.addressType === old.addressType
        ? []
        : [invalidField('addressType', object.addressType, 'field is immutable')],
  },
  columns: [
    NAME_COLUMN,
    column('AddressType', textAt('addressType')),
    column(
      'Ports',
      (object) =>
        asObjects(object.ports)
          .map(({ port }) => String(port ?? '*'))
          .join(',') || '<unset>',
    ),
    column('Endpoints', (object) => {
      const all = asObjects(object.endpoints).flatMap(({ addresses }) => asStrings(addresses));
      if (all.length === 0) return '<unset>';
      return all.length > 3 ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...` : all.join(',');
    }),
    AGE_COLUMN,
  ],
});

const networkPolicies = defineKind(NETWORK_POLICIES, {
  shortNames: ['netpol'],
  hasGeneration: true,
  rules: {
    applyDefaults: (object) => {
      const spec = childOf(object, 'spec');
      for (const list of [spec.ingress, spec.egress]) {
        for (const rule of asObjects(list))
          for (const port of asObjects(rule.ports)) setDefault(port, 'protocol', 'TCP');
      }
      if (asList(spec.policyTypes).length > 0) return;
      spec.policyTypes = asList(spec.egress).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
    },
    validate: (object) => validateNetworkPolicy(asJson(object.spec)),
  },
  columns: [
    NAME_COLUMN,
    column('Pod-Selector', (object) => formatSelector(valueAt(object, 'spec', 'podSelector'))),
    AGE_COLUMN,
  ],
});

const ingresses = defineKind({
  group: 'networking.k8s.io',
  plural: 'ingresses',
  kind: 'Ingress',
  shortNames: ['ing'],
  hasGeneration: true,
  hasStatus: true,
  rules: {
    prepareCreate: withStatus({ loadBalancer: {} }),
    validate: (object) => validateIngress(asJson(object.spec)),
  },
  columns: [
    NAME_COLUMN,
    column('Class', (object) => textAt('spec', 'ingressClassName')(object) || '<none>'),
    column('Hosts', (object) => {
      const hosts = asObjects(valueAt(object, 'spec', 'rules')).map(({ host }) => asString(host) || '*');
      return hosts.length === 0 ? '*' : hosts.join(',');
    }),
    column('Address', (object) =>
      asObjects(valueAt(object, 'status', 'loadBalancer', 'ingress'))
        .map(({ ip, hostname }) => asString(ip) || asString(hostname))
        .join(','),
    ),
    column('Ports', (object) => (asList(valueAt(object, 'spec', 'tls')).length > 0 ? '80, 443' : '80')),
    AGE_COLUMN,
  ],
});

const ingressClasses = defineKind({
  group: 'networking.k8s.io',
  plural: 'ingressclasses',
  kind: 'IngressClass',
  namespaced: false,
  hasGeneration: true,
  columns: [
    NAME_COLUMN,
    column('Controller', textAt('spec', 'controller')),
    column('Parameters', (object) => textAt('spec', 'parameters', 'name')(object) || '<none>'),
    AGE_COLUMN,
  ],
});

const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

/** Only the classes that every cluster has may bear such a name. */
function validateSystemClass(name: string, value: number): FieldError[] {
  const wanted = SYSTEM_CLASSES.get(name);
  if (value === wanted) return [];
  const why =
    wanted === undefined
      ? `${name} is not a known system priority class`
      : `value of ${name} PriorityClass must be ${wanted}`;
  const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`;
  return [forbiddenField('metadata.name', detail)];
}

const priorityClasses = defineKind({
  group: 'scheduling.k8s.io',
  plural: 'priorityclasses',
  kind: 'PriorityClass',
  keepsGeneration: true,
  namespaced: false,
  shortNames: ['pc'],
  hasGeneration: true,
  rules: {
    applyDefaults: (object) => setDefault(object, 'preemptionPolicy', 'PreemptLowerPriority'),
    validate: ({ metadata, value, preemptionPolicy }) => {
      const name = metadata.name ?? '';
      const errors = new FieldErrors();
      if (name.startsWith('system-')) errors.push(...validateSystemClass(name, asNumber(value)));
      else if (asNumber(value) > 1_000_000_000) {
        errors.forbidden('value', 'maximum allowed value of a user defined priority is 1000000000');
      }
      errors.oneOf('preemptionPolicy', preemptionPolicy, ['PreemptLowerPriority', 'Never']);
      return errors;
    },
    validateUpdate: (object, old) =>
      object.value === old.value ? [] : [invalidField('value', object.value, 'field is immutable')],
  },
  columns: [
    NAME_COLUMN,
    column('Value', (object) => asNumber(object.value), { type: 'integer' }),
    column('Global-Default', (object) => object.globalDefault === true, { type: 'boolean' }),
    AGE_COLUMN,
    column('PreemptionPolicy', textAt('preemptionPolicy')),
  ],
});

const BOOLEAN = { type: 'boolean' };

const storageClasses = defineKind({
  group: 'storage.k8s.io',
  plural: 'storageclasses',
  kind: 'StorageClass',
  returnsDeleted: true,
  namespaced: false,
  shortNames: ['sc'],
  rules: {
    applyDefaults: (object) => {
      setDefaults(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
    },
    validate: (object) => (asString(object.provisioner) === '' ? [requiredField('provisioner')] : []),
    validateUpdate: (object, old) =>
      ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']
        .filter((field) => !semanticallyEqual(object[field], old[field]))
        .map((field) => invalidField(field, object[field], 'field is immutable')),
  },
  columns: [
    NAME_COLUMN,
    column('Provisioner', textAt('provisioner')),
    column('ReclaimPolicy', textAt('reclaimPolicy')),
    column('VolumeBindingMode', textAt('volumeBindingMode')),
    column('AllowVolumeExpansion', (object) => object.allowVolumeExpansion === true),
    AGE_COLUMN,
  ],
});

/** What drivers of volumes store of themselves; nothing here acts on it. */
const volumeDrivers = [
  {
    plural: 'csidrivers',
    kind: 'CSIDriver',
    columns: [
      NAME_COLUMN,
      column('AttachRequired', (object) => valueAt(object, 'spec', 'attachRequired') !== false, BOOLEAN),
      column('PodInfoOnMount', (object) => valueAt(object, 'spec', 'podInfoOnMount') === true, BOOLEAN),
      column('StorageCapacity', (object) => valueAt(object, 'spec', 'storageCapacity') === true, BOOLEAN),
      column(
        'TokenRequests',
        (object) =>
          asObjects(valueAt(object, 'spec', 'tokenRequests'))
            .map(({ audience }) => asString(audience))
            .join(',') || '<unset>',
      ),
      column('RequiresRepublish', (object) => valueAt(object, 'spec', 'requiresRepublish') === true, BOOLEAN),
      column(
        'Modes',
        (object) => asStrings(valueAt(object, 'spec', 'volumeLifecycleModes')).join(',') || '<none>',
      ),
      AGE_COLUMN,
    ],
  },
  {
    plural: 'csinodes',
    kind: 'CSINode',
    columns: [
      NAME_COLUMN,
      column('Drivers', (object) => asList(valueAt(object, 'spec', 'drivers')).length, { type: 'integer' }),
      AGE_COLUMN,
    ],
  },
  {
    plural: 'csistoragecapacities',
    kind: 'CSIStorageCapacity',
    namespaced: true,
    columns: [
      NAME_COLUMN,
      column('StorageClassName', textAt('storageClassName')),
      column('Capacity', (object) => textAt('capacity')(object) || '<unset>'),
    ],
  },
  {
    plural: 'volumeattachments',
    kind: 'VolumeAttachment',
    hasStatus: true,
    columns: [
      NAME_COLUMN,
      column('Attacher', textAt('spec', 'attacher')),
      column('PV', textAt('spec', 'source', 'persistentVolumeName')),
      column('Node', textAt('spec', 'nodeName')),
      column('Attached', (object) => valueAt(object, 'status', 'attached') === true, BOOLEAN),
      AGE_COLUMN,
    ],
  },
].map((names) => defineKind({ group: 'storage.k8s.io', namespaced: false, returnsDeleted: true, ...names }));

/** Handlers of container runtimes; the nodes here have one runtime, whatever its name. */
const runtimeClasses = defineKind({
  group: 'node.k8s.io',
  plural: 'runtimeclasses',
  kind: 'RuntimeClass',
  namespaced: false,
  rules: {
    validate: ({ handler }) => {
      const errors = new FieldErrors();
      errors.requiredName('handler', asString(handler), checkLabelName);
      return errors;
    },
    validateUpdate: (object, old) =>
      object.handler === old.handler ? [] : [invalidField('handler', object.handler, 'field is immutable')],
  },
  columns: [NAME_COLUMN, column('Handler', textAt('handler')), AGE_COLUMN],
});

export const OTHER_KINDS: readonly KindDefinition[] = [
  budgets,
  leases,
  slices,
  networkPolicies,
  ingresses,
  ingressClasses,
  priorityClasses,
  storageClasses,
  ...volumeDrivers,
  runtimeClasses,
  ...SERVER_SETTINGS,
  autoscalers,
];
