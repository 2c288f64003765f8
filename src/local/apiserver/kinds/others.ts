/** Policy, networking, coordination, discovery, scheduling, storage and autoscaling. */

import {
  type ApiObject,
  asJson,
  asList,
  asNumber,
  asObjects,
  asString,
  childOf,
  clone,
  isJson,
  type Json,
  setDefault,
  valueAt,
} from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { validateAmount } from '../validation/amount.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../validation/field.ts';
import { defineKind } from './define.ts';
import type { KindDefinition } from './kind.ts';
import { formatSelector } from './workload-rules.ts';

function textAt(...path: readonly string[]): (object: ApiObject) => string {
  return (object) => {
    const value = valueAt(object, ...path);
    return value === undefined ? '' : String(value);
  };
}

const budgets = defineKind({
  group: 'policy',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  versions: ['v1'],
  shortNames: ['pdb'],
  hasGeneration: true,
  hasStatus: true,
  rules: {
    prepareCreate: (object) => {
      object.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
    },
    validate: (object) => {
      const spec = asJson(object.spec);
      const errors = [
        ...validateAmount(spec.minAvailable, 'spec.minAvailable'),
        ...validateAmount(spec.maxUnavailable, 'spec.maxUnavailable'),
      ];
      const both = spec.minAvailable !== undefined && spec.maxUnavailable !== undefined;
      if (both) errors.push(invalidField('spec', spec, 'minAvailable and maxUnavailable cannot be both set'));
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

const leases = defineKind({
  group: 'coordination.k8s.io',
  plural: 'leases',
  kind: 'Lease',
  versions: ['v1'],
  createsOnUpdate: true,
  rules: {
    validate: (object) => {
      const spec = asJson(object.spec);
      const errors = [];
      const seconds = spec.leaseDurationSeconds;
      if (typeof seconds === 'number' && seconds <= 0) {
        errors.push(invalidField('spec.leaseDurationSeconds', seconds, 'must be greater than 0'));
      }
      const transitions = spec.leaseTransitions;
      if (typeof transitions === 'number' && transitions < 0) {
        errors.push(invalidField('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
      }
      return errors;
    },
  },
  columns: [NAME_COLUMN, column('Holder', textAt('spec', 'holderIdentity')), AGE_COLUMN],
});

const slices = defineKind({
  group: 'discovery.k8s.io',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  versions: ['v1'],
  hasGeneration: true,
  rules: {
    applyDefaults: (object) => {
      for (const port of asObjects(object.ports)) {
        setDefault(port, 'name', '');
        setDefault(port, 'protocol', 'TCP');
      }
    },
    validate: (object) => {
      const types = ['IPv4', 'IPv6', 'FQDN'];
      const type = asString(object.addressType);
      if (type === '') return [requiredField('addressType')];
      return types.includes(type) ? [] : [unsupportedField('addressType', type, types)];
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
      const all = asObjects(object.endpoints).flatMap(({ addresses }) => asList(addresses).map(asString));
      if (all.length === 0) return '<unset>';
      return all.length > 3 ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...` : all.join(',');
    }),
    AGE_COLUMN,
  ],
});

const networkPolicies = defineKind({
  group: 'networking.k8s.io',
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
  versions: ['v1'],
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
  versions: ['v1'],
  shortNames: ['ing'],
  hasGeneration: true,
  hasStatus: true,
  rules: {
    prepareCreate: (object) => {
      object.status = { loadBalancer: {} };
    },
    validate: (object) => {
      const spec = asJson(object.spec);
      if (asObjects(spec.rules).length > 0 || isJson(spec.defaultBackend)) return [];
      return [invalidField('spec', '', 'either `defaultBackend` or `rules` must be specified')];
    },
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
  versions: ['v1'],
  namespaced: false,
  hasGeneration: true,
  columns: [
    NAME_COLUMN,
    column('Controller', textAt('spec', 'controller')),
    column('Parameters', (object) => textAt('spec', 'parameters', 'name')(object) || '<none>'),
    AGE_COLUMN,
  ],
});

const priorityClasses = defineKind({
  group: 'scheduling.k8s.io',
  plural: 'priorityclasses',
  kind: 'PriorityClass',
  versions: ['v1'],
  keepsGeneration: true,
  namespaced: false,
  shortNames: ['pc'],
  hasGeneration: true,
  rules: {
    applyDefaults: (object) => setDefault(object, 'preemptionPolicy', 'PreemptLowerPriority'),
    validate: ({ metadata, value }) => {
      const isOwn = (metadata.name ?? '').startsWith('system-');
      if (isOwn || asNumber(value) <= 1_000_000_000) return [];
      return [forbiddenField('value', 'maximum allowed value of a user defined priority is 1000000000')];
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

const storageClasses = defineKind({
  group: 'storage.k8s.io',
  plural: 'storageclasses',
  kind: 'StorageClass',
  versions: ['v1'],
  returnsDeleted: true,
  namespaced: false,
  shortNames: ['sc'],
  rules: {
    applyDefaults: (object) => {
      setDefault(object, 'reclaimPolicy', 'Delete');
      setDefault(object, 'volumeBindingMode', 'Immediate');
    },
    validate: (object) => (asString(object.provisioner) === '' ? [requiredField('provisioner')] : []),
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

/** `autoscaling/v1` knows one metric, the CPU; `v2` is what is stored. */
function hpaFromStored(object: ApiObject): ApiObject {
  const copy = clone(object);
  const spec = asJson(copy.spec);
  const isCpu = (metric: Json): boolean =>
    metric.type === 'Resource' && valueAt(metric, 'resource', 'name') === 'cpu';
  const metrics = asObjects(spec.metrics);
  const cpu = metrics.find(isCpu);
  const target = valueAt(cpu, 'resource', 'target', 'averageUtilization');
  delete spec.metrics;
  delete spec.behavior;
  if (target !== undefined) spec.targetCPUUtilizationPercentage = target;
  const status = asJson(copy.status);
  const current = asObjects(status.currentMetrics).find(isCpu);
  const utilization = valueAt(current, 'resource', 'current', 'averageUtilization');
  delete status.currentMetrics;
  delete status.conditions;
  if (utilization !== undefined) status.currentCPUUtilizationPercentage = utilization;
  copy.apiVersion = 'autoscaling/v1';
  return copy;
}

function hpaToStored(object: ApiObject): ApiObject {
  const spec = asJson(object.spec);
  const target = spec.targetCPUUtilizationPercentage;
  delete spec.targetCPUUtilizationPercentage;
  if (target !== undefined) {
    spec.metrics = [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: target } },
      },
    ];
  }
  return object;
}

const autoscalers = defineKind({
  group: 'autoscaling',
  plural: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  versions: [{ name: 'v2' }, { name: 'v1', fromStored: hpaFromStored, toStored: hpaToStored }],
  shortNames: ['hpa'],
  categories: ['all'],
  hasStatus: true,
  rules: {
    applyDefaults: (object) => {
      const spec = childOf(object, 'spec');
      setDefault(spec, 'minReplicas', 1);
      if (asList(spec.metrics).length > 0) return;
      spec.metrics = [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
        },
      ];
    },
    prepareCreate: (object) => {
      object.status = { currentReplicas: 0, desiredReplicas: 0 };
    },
    validate: (object) => {
      const spec = asJson(object.spec);
      const errors = [];
      if (asNumber(spec.maxReplicas) < 1) {
        errors.push(invalidField('spec.maxReplicas', spec.maxReplicas ?? 0, 'must be greater than 0'));
      }
      if (asNumber(spec.maxReplicas) < asNumber(spec.minReplicas)) {
        errors.push(
          invalidField(
            'spec.maxReplicas',
            spec.maxReplicas ?? 0,
            'must be greater than or equal to `minReplicas`',
          ),
        );
      }
      for (const field of ['kind', 'name']) {
        if (textAt('spec', 'scaleTargetRef', field)(object) === '')
          errors.push(requiredField(`spec.scaleTargetRef.${field}`));
      }
      return errors;
    },
  },
  columns: [
    NAME_COLUMN,
    column('Reference', (object) => {
      const ref = asJson(valueAt(object, 'spec', 'scaleTargetRef'));
      return `${asString(ref.kind)}/${asString(ref.name)}`;
    }),
    column('Targets', (object) => {
      const percent =
        valueAt(object, 'spec', 'targetCPUUtilizationPercentage') ??
        valueAt(asObjects(valueAt(object, 'spec', 'metrics'))[0], 'resource', 'target', 'averageUtilization');
      return percent === undefined ? '<none>' : `cpu: <unknown>/${String(percent)}%`;
    }),
    column('MinPods', (object) => textAt('spec', 'minReplicas')(object) || '<unset>'),
    column('MaxPods', (object) => String(asNumber(valueAt(object, 'spec', 'maxReplicas')))),
    column('Replicas', (object) => asNumber(valueAt(object, 'status', 'currentReplicas'))),
    AGE_COLUMN,
  ],
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
  autoscalers,
];
