/** Namespaces, nodes, volumes, quotas and endpoints. */

import {
  ENDPOINTS,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  RESOURCE_QUOTAS,
} from '@turnsole/kube/kinds/resources';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import {
  type ApiObject,
  asJson,
  asList,
  asNumber,
  asObjects,
  asString,
  asStrings,
  childOf,
  isJson,
  type Json,
  setDefault,
  setDefaults,
  timestamp,
  valueAt,
} from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { validateClaim, validateClaimUpdate } from '../validation/claim.ts';
import { validateEndpoints } from '../validation/endpoints.ts';
import { duplicateField, FieldErrors, invalidField, structure } from '../validation/field.ts';
import { validateLimitRange } from '../validation/limit-range.ts';
import { checkNamespaceName, checkQualifiedName } from '../validation/names.ts';
import { defineKind, fieldAt, withStatus } from './define.ts';
import { type KindDefinition, PROXY_VERBS } from './kind.ts';

const NAME_LABEL = 'kubernetes.io/metadata.name';
const ROLE_PREFIX = 'node-role.kubernetes.io/';

function setNameLabel(object: ApiObject): void {
  object.metadata.labels = { ...object.metadata.labels, [NAME_LABEL]: object.metadata.name ?? '' };
}

const namespaces = defineKind(NAMESPACES, {
  shortNames: ['ns'],
  hasStatus: true,
  returnsDeleted: true,
  checkName: checkNamespaceName,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  rules: {
    applyDefaults: (object) => {
      if ((object.metadata.name ?? '') !== '') setNameLabel(object);
    },
    prepareCreate: (object) => {
      object.status = { phase: 'Active' };
      const given = asList(valueAt(object, 'spec', 'finalizers'));
      object.spec = { finalizers: [...new Set([...given, 'kubernetes'])] };
    },
    prepareDeletion: (object) => {
      object.status = { phase: 'Terminating' };
      delete object.metadata.deletionGracePeriodSeconds;
    },
    prepareUpdate: (object, old) => {
      // Only the finalize subresource takes finalizers away.
      object.spec = old.spec;
    },
  },
  columns: [
    NAME_COLUMN,
    column('Status', (object) => asString(valueAt(object, 'status', 'phase'))),
    AGE_COLUMN,
  ],
  fields: { 'status.phase': fieldAt('status', 'phase') },
  subresources: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }],
});

function nodeStatus(node: ApiObject): string {
  const ready = asObjects(valueAt(node, 'status', 'conditions')).find(({ type }) => type === 'Ready');
  const words = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'];
  if (asJson(node.spec).unschedulable === true) words.push('SchedulingDisabled');
  return words.join(',');
}

function nodeRoles(node: ApiObject): string {
  const roles: string[] = [];
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX) && key.length > ROLE_PREFIX.length)
      roles.push(key.slice(ROLE_PREFIX.length));
    else if (key === 'kubernetes.io/role' && value !== '') roles.push(value);
  }
  return roles.length === 0 ? '<none>' : roles.sort().join(',');
}

function nodeAddress(node: ApiObject, type: string): string {
  const found = asObjects(valueAt(node, 'status', 'addresses')).find((address) => address.type === type);
  return asString(found?.address) || '<none>';
}

function nodeInfo(field: string): (node: ApiObject) => string {
  return (node) => asString(valueAt(node, 'status', 'nodeInfo', field)) || '<unknown>';
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateTaints(taints: readonly Json[]): FieldError[] {
  const errors = new FieldErrors();
  const seen = new Set<string>();
  for (const [index, { key, value, effect }] of taints.entries()) {
    // The real server names metadata here, where spec is meant.
    const path = `metadata.taints[${index}]`;
    for (const words of checkQualifiedName(asString(key))) errors.invalid(`${path}.key`, key, words);
    errors.oneOf(`${path}.effect`, effect, EFFECTS);
    const unique = `${asString(key)}:${asString(effect)}`;
    if (seen.has(unique)) {
      const shown = structure({ Key: key, Value: value ?? '', Effect: effect, TimeAdded: null });
      errors.push({ ...duplicateField(path, shown), detail: 'taints must be unique by key and effect pair' });
    }
    seen.add(unique);
  }
  return errors;
}

const nodes = defineKind(NODES, {
  shortNames: ['no'],
  hasStatus: true,
  keepsStatusOnCreate: true,
  subresources: [{ name: 'proxy', kind: 'NodeProxyOptions', verbs: PROXY_VERBS }],
  rules: {
    applyDefaults: (object) => {
      const { status } = object;
      const spec = childOf(object, 'spec');
      if (asString(spec.podCIDR) !== '') setDefault(spec, 'podCIDRs', [spec.podCIDR]);
      // Allocatable is what capacity says where nothing is reserved.
      if (isJson(status) && isJson(status.capacity))
        setDefault(status, 'allocatable', { ...status.capacity });
    },
    validate: (object) => validateTaints(asObjects(valueAt(object, 'spec', 'taints'))),
    // The real server checks them a second time with an update, so causes repeat.
    validateUpdate: (object) => validateTaints(asObjects(valueAt(object, 'spec', 'taints'))),
  },
  columns: [
    NAME_COLUMN,
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    AGE_COLUMN,
    column('Version', (node) => asString(valueAt(node, 'status', 'nodeInfo', 'kubeletVersion'))),
    column('Internal-IP', (node) => nodeAddress(node, 'InternalIP'), { wide: true }),
    column('External-IP', (node) => nodeAddress(node, 'ExternalIP'), { wide: true }),
    column('OS-Image', nodeInfo('osImage'), { wide: true }),
    column('Kernel-Version', nodeInfo('kernelVersion'), { wide: true }),
    column('Container-Runtime', nodeInfo('containerRuntimeVersion'), { wide: true }),
  ],
  fields: { 'spec.unschedulable': (node) => String(asJson(node.spec).unschedulable === true) },
});

function modes(object: ApiObject): string {
  const short: Readonly<Record<string, string>> = {
    ReadWriteOnce: 'RWO',
    ReadOnlyMany: 'ROX',
    ReadWriteMany: 'RWX',
    ReadWriteOncePod: 'RWOP',
  };
  const list = valueAt(object, 'spec', 'accessModes');
  return Array.isArray(list) ? list.map((mode) => short[asString(mode)] ?? '').join(',') : '';
}

function isBound(claim: ApiObject): boolean {
  return asString(valueAt(claim, 'spec', 'volumeName')) !== '';
}

const claims = defineKind(PERSISTENT_VOLUME_CLAIMS, {
  shortNames: ['pvc'],
  hasStatus: true,
  returnsDeleted: true,
  rules: {
    applyDefaults: (object) => setDefault(childOf(object, 'spec'), 'volumeMode', 'Filesystem'),
    prepareCreate: withStatus({ phase: 'Pending' }),
    validate: validateClaim,
    validateUpdate: validateClaimUpdate,
  },
  columns: [
    NAME_COLUMN,
    column('Status', (claim) =>
      claim.metadata.deletionTimestamp === undefined
        ? asString(valueAt(claim, 'status', 'phase'))
        : 'Terminating',
    ),
    column('Volume', (claim) => asString(valueAt(claim, 'spec', 'volumeName'))),
    column('Capacity', (claim) =>
      isBound(claim) ? asString(valueAt(claim, 'status', 'capacity', 'storage')) : '',
    ),
    column('Access Modes', (claim) => (isBound(claim) ? modes(claim) : '')),
    column('StorageClass', (claim) => asString(valueAt(claim, 'spec', 'storageClassName'))),
    column('VolumeAttributesClass', () => '<unset>'),
    AGE_COLUMN,
    column('VolumeMode', (claim) => asString(valueAt(claim, 'spec', 'volumeMode')), { wide: true }),
  ],
});

const volumes = defineKind({
  group: '',
  plural: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
  shortNames: ['pv'],
  hasStatus: true,
  returnsDeleted: true,
  rules: {
    applyDefaults: (object) => {
      const spec = childOf(object, 'spec');
      if (isJson(spec.hostPath)) setDefault(spec.hostPath, 'type', '');
      setDefaults(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' });
    },
    prepareCreate: (object, { now }) => {
      object.status = { phase: 'Pending', lastPhaseTransitionTime: timestamp(now) };
    },
  },
  columns: [
    NAME_COLUMN,
    column('Capacity', (volume) => asString(valueAt(volume, 'spec', 'capacity', 'storage'))),
    column('Access Modes', modes),
    column('Reclaim Policy', (volume) => asString(valueAt(volume, 'spec', 'persistentVolumeReclaimPolicy'))),
    column('Status', (volume) => asString(valueAt(volume, 'status', 'phase'))),
    column('Claim', (volume) => {
      const claim = asJson(valueAt(volume, 'spec', 'claimRef'));
      return asString(claim.name) === '' ? '' : `${asString(claim.namespace)}/${asString(claim.name)}`;
    }),
    column('StorageClass', (volume) => asString(valueAt(volume, 'spec', 'storageClassName'))),
    column('VolumeAttributesClass', () => '<unset>'),
    column('Reason', (volume) => asString(valueAt(volume, 'status', 'reason'))),
    AGE_COLUMN,
  ],
});

function quotaPairs(quota: ApiObject, prefix: RegExp | undefined): string {
  const hard = asJson(valueAt(quota, 'status', 'hard'));
  const used = asJson(valueAt(quota, 'status', 'used'));
  return Object.keys(hard)
    .sort()
    .filter((name) => (prefix === undefined ? !name.startsWith('limits.') : prefix.test(name)))
    .map((name) => `${name}: ${asString(used[name]) || '0'}/${asString(hard[name])}`)
    .join(', ');
}

const QUOTA_NAMES =
  /^(cpu|memory|ephemeral-storage|storage|pods|services|services\.(nodeports|loadbalancers)|replicationcontrollers|resourcequotas|secrets|configmaps|persistentvolumeclaims|(requests|limits)\..+|hugepages-.+|count\/.+|.+\/.+)$/;

/** What quotas with these scopes can count. */
const POD_RESOURCES =
  /^(pods|cpu|memory|ephemeral-storage|(requests|limits)\.(cpu|memory|ephemeral-storage)|count\/pods)$/;
const SCOPED: ReadonlyMap<string, RegExp> = new Map([
  ['BestEffort', /^(pods|count\/pods)$/],
  ['NotBestEffort', POD_RESOURCES],
  ['Terminating', POD_RESOURCES],
  ['NotTerminating', POD_RESOURCES],
]);

function validateQuota({ hard, scopes }: Json): FieldError[] {
  const errors = validateHard(asJson(hard));
  const given = asStrings(scopes);
  const names = Object.keys(asJson(hard));
  for (const scope of given) {
    const counted = SCOPED.get(scope);
    if (counted !== undefined && !names.every((name) => counted.test(name))) {
      return [...errors, invalidField('spec.scopes', given, 'unsupported scope applied to resource')];
    }
  }
  return errors;
}

function validateHard(hard: Json): FieldError[] {
  const errors = new FieldErrors();
  for (const [name, amount] of Object.entries(hard)) {
    const path = `spec.hard[${name}]`;
    if (!QUOTA_NAMES.test(name)) {
      errors.invalid(path, name, 'must be a standard resource type or fully qualified');
      errors.invalid(path, name, 'must be a standard resource for quota');
    }
    if (asString(amount).startsWith('-')) errors.invalid(path, amount, 'must be greater than or equal to 0');
  }
  return errors;
}

const quotas = defineKind(RESOURCE_QUOTAS, {
  shortNames: ['quota'],
  hasStatus: true,
  returnsDeleted: true,
  rules: {
    validate: ({ spec }) => validateQuota(asJson(spec)),
    prepareCreate: withStatus({}),
  },
  columns: [
    NAME_COLUMN,
    column('Request', (quota) => quotaPairs(quota, undefined)),
    column('Limit', (quota) => quotaPairs(quota, /^limits\./)),
    AGE_COLUMN,
  ],
});

const limitRanges = defineKind({
  group: '',
  plural: 'limitranges',
  kind: 'LimitRange',
  shortNames: ['limits'],
  columns: [NAME_COLUMN, column('Created At', ({ metadata }) => metadata.creationTimestamp ?? '')],
  rules: {
    applyDefaults: (object) => {
      for (const limit of asObjects(valueAt(object, 'spec', 'limits'))) {
        if (limit.type !== 'Container') continue;
        for (const [from, to] of [
          ['max', 'default'],
          ['default', 'defaultRequest'],
          ['min', 'defaultRequest'],
        ] as const) {
          const source = asJson(limit[from]);
          if (Object.keys(source).length === 0) continue;
          const target = childOf(limit, to);
          for (const [name, amount] of Object.entries(source)) setDefault(target, name, amount);
        }
      }
    },
    validate: (object) => validateLimitRange(asJson(object.spec)),
  },
});

function endpointsText(object: ApiObject): string {
  const all: string[] = [];
  for (const subset of asObjects(object.subsets)) {
    const ports = asObjects(subset.ports);
    for (const { ip } of asObjects(subset.addresses)) {
      if (ports.length === 0) all.push(asString(ip));
      for (const { port } of ports) all.push(`${asString(ip)}:${asNumber(port)}`);
    }
  }
  if (all.length === 0) return '<none>';
  return all.length > 3 ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...` : all.join(',');
}

const endpoints = defineKind(ENDPOINTS, {
  versions: [
    {
      name: 'v1',
      deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    },
  ],
  singular: 'endpoints',
  listKind: 'EndpointsList',
  shortNames: ['ep'],
  createsOnUpdate: true,
  rules: {
    applyDefaults: (object) => {
      for (const subset of asObjects(object.subsets)) {
        for (const port of asObjects(subset.ports)) setDefault(port, 'protocol', 'TCP');
      }
    },
    validate: validateEndpoints,
  },
  columns: [NAME_COLUMN, column('Endpoints', endpointsText), AGE_COLUMN],
});

export const CLUSTER_KINDS: readonly KindDefinition[] = [
  namespaces,
  nodes,
  claims,
  volumes,
  quotas,
  limitRanges,
  endpoints,
];
