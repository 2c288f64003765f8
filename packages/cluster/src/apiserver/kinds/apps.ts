import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  DEPLOYMENTS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  STATEFUL_SETS,
} from '@turnsole/kube/kinds/resources';
import {
  type ApiObject,
  asJson,
  asNumber,
  asObjects,
  childOf,
  isJson,
  type Json,
  semanticallyEqual,
  setDefault,
  setDefaults,
  valueAt,
} from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { validateAmount } from '../validation/amount.ts';
import { forbiddenField, invalidField, structure, unsupportedField } from '../validation/field.ts';
import { defineKind, fieldAt, withStatus } from './define.ts';
import type { KindDefinition, ScaleRule } from './kind.ts';
import { defaultTemplate } from './pod-spec-defaults.ts';
import { selectorText } from './services.ts';
import {
  immutableSelector,
  numberAt,
  templateColumns,
  validateReplicaStatus,
  validateTemplate,
} from './workload-rules.ts';

const ALWAYS = ['Always'];

/** What kinds of workloads have in common. */
const WORKLOAD = { categories: ['all'], hasGeneration: true, hasStatus: true } as const;
const SCALE: ScaleRule = { specReplicas: ['spec', 'replicas'], statusReplicas: ['status', 'replicas'] };
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

function ready(object: ApiObject): string {
  const wanted = valueAt(object, 'spec', 'replicas');
  return `${asNumber(valueAt(object, 'status', 'readyReplicas'))}/${asNumber(wanted, 1)}`;
}

/** Pods are replaced little by little where nothing else is asked for. */
function defaultStrategy(spec: Json, field: string, rolling: Json): void {
  const strategy = childOf(spec, field);
  setDefault(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') setDefaults(childOf(strategy, 'rollingUpdate'), rolling);
}

const deployments = defineKind(DEPLOYMENTS, {
  shortNames: ['deploy'],
  generationCountsAnnotations: true,
  statusTakesAnnotations: true,
  ...WORKLOAD,
  scale: SCALE,
  rules: {
    applyDefaults: (object) => {
      const spec = childOf(object, 'spec');
      setDefaults(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
      defaultStrategy(spec, 'strategy', { maxUnavailable: '25%', maxSurge: '25%' });
      defaultTemplate(spec.template);
    },
    prepareCreate: withStatus({}),
    validate: (object) => {
      const errors = validateTemplate(object, { kind: 'deployment', restartPolicies: ALWAYS });
      const spec = asJson(object.spec);
      const strategy = asJson(asJson(object.spec).strategy);
      if (strategy.type === 'Recreate' && isJson(strategy.rollingUpdate)) {
        errors.forbidden(
          'spec.strategy.rollingUpdate',
          "may not be specified when strategy `type` is 'Recreate'",
        );
      } else if (strategy.type === 'RollingUpdate') {
        const { maxUnavailable, maxSurge } = asJson(strategy.rollingUpdate);
        const path = 'spec.strategy.rollingUpdate';
        errors.push(...validateAmount(maxSurge, `${path}.maxSurge`, Number.POSITIVE_INFINITY));
        errors.push(...validateAmount(maxUnavailable, `${path}.maxUnavailable`));
        if (isZero(maxUnavailable) && isZero(maxSurge)) {
          errors.invalid(
            'spec.strategy.rollingUpdate.maxUnavailable',
            maxUnavailable,
            'may not be 0 when `maxSurge` is 0',
          );
        }
      } else if (strategy.type !== 'Recreate') {
        const shown = structure({ Type: strategy.type, RollingUpdate: strategy.rollingUpdate });
        errors.push({
          ...unsupportedField('spec.strategy', '', ['Recreate', 'RollingUpdate']),
          badValue: shown,
        });
      }
      errors.counts('spec', spec, ['minReadySeconds', 'revisionHistoryLimit']);
      const deadline = spec.progressDeadlineSeconds;
      if (typeof deadline === 'number' && deadline <= asNumber(spec.minReadySeconds)) {
        errors.invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds');
      }
      return errors;
    },
    validateUpdate: immutableSelector,
    validateStatusUpdate: validateReplicaStatus,
  },
  columns: [
    NAME_COLUMN,
    column('Ready', ready),
    column('Up-to-date', (object) => asNumber(valueAt(object, 'status', 'updatedReplicas'))),
    column('Available', (object) => asNumber(valueAt(object, 'status', 'availableReplicas'))),
    AGE_COLUMN,
    ...templateColumns(),
  ],
});

function isZero(value: unknown): boolean {
  return value === 0 || value === '0%' || value === '0';
}

const REPLICA_COLUMNS = [
  NAME_COLUMN,
  column('Desired', numberAt('spec', 'replicas'), { type: 'integer' }),
  column('Current', numberAt('status', 'replicas'), { type: 'integer' }),
  column('Ready', numberAt('status', 'readyReplicas'), { type: 'integer' }),
  AGE_COLUMN,
  ...templateColumns(),
];

const replicaSets = defineKind(REPLICA_SETS, {
  shortNames: ['rs'],
  ...WORKLOAD,
  scale: SCALE,
  rules: {
    applyDefaults: (object) => {
      const spec = childOf(object, 'spec');
      setDefault(spec, 'replicas', 1);
      defaultTemplate(spec.template);
    },
    prepareCreate: withStatus({ replicas: 0 }),
    validate: (object) => validateTemplate(object, { kind: 'replicaset', restartPolicies: ALWAYS }),
    validateUpdate: immutableSelector,
  },
  columns: REPLICA_COLUMNS,
});

const STATEFUL_SET_FORBIDDEN =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/** Claim templates are stored as whole claims: with kind and API version, and the status of a new claim. */
function defaultClaimTemplates(spec: Json): void {
  for (const claim of asObjects(spec.volumeClaimTemplates)) {
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
    setDefault(childOf(claim, 'spec'), 'volumeMode', 'Filesystem');
    setDefault(childOf(claim, 'status'), 'phase', 'Pending');
  }
}

const statefulSets = defineKind(STATEFUL_SETS, {
  shortNames: ['sts'],
  ...WORKLOAD,
  scale: SCALE,
  rules: {
    applyDefaults: (object) => {
      const spec = childOf(object, 'spec');
      setDefaults(spec, { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: 'OrderedReady' });
      defaultStrategy(spec, 'updateStrategy', { partition: 0 });
      const retention = childOf(spec, 'persistentVolumeClaimRetentionPolicy');
      setDefaults(retention, { whenDeleted: 'Retain', whenScaled: 'Retain' });
      defaultClaimTemplates(spec);
      defaultTemplate(spec.template);
    },
    prepareCreate: withStatus({ replicas: 0, availableReplicas: 0 }),
    validate: (object) => validateTemplate(object, { kind: 'statefulset', restartPolicies: ALWAYS }),
    validateUpdate: (object, old) => {
      const frozen = (spec: unknown): object => {
        const {
          replicas: _replicas,
          ordinals: _ordinals,
          template: _template,
          updateStrategy: _strategy,
          persistentVolumeClaimRetentionPolicy: _retention,
          minReadySeconds: _ready,
          revisionHistoryLimit: _history,
          ...rest
        } = structuredClone(asJson(spec));
        // Sets of a kept cluster may have been stored before claim templates got their defaults.
        defaultClaimTemplates(rest);
        return rest;
      };
      return semanticallyEqual(frozen(object.spec), frozen(old.spec))
        ? []
        : [forbiddenField('spec', STATEFUL_SET_FORBIDDEN)];
    },
  },
  columns: [NAME_COLUMN, column('Ready', ready), AGE_COLUMN, ...templateColumns().slice(0, 2)],
});

const daemonSets = defineKind(DAEMON_SETS, {
  shortNames: ['ds'],
  ...WORKLOAD,
  rules: {
    applyDefaults: (object) => {
      const spec = childOf(object, 'spec');
      setDefault(spec, 'revisionHistoryLimit', 10);
      defaultStrategy(spec, 'updateStrategy', { maxUnavailable: 1, maxSurge: 0 });
      defaultTemplate(spec.template);
    },
    prepareCreate: (object) => {
      object.status = {
        currentNumberScheduled: 0,
        numberMisscheduled: 0,
        desiredNumberScheduled: 0,
        numberReady: 0,
      };
      object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: '1' };
    },
    prepareUpdate: (object, old) => {
      const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 1);
      const isChanged = !semanticallyEqual(asJson(object.spec).template, asJson(old.spec).template);
      const value = String(isChanged ? before + 1 : before);
      object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: value };
    },
    validate: (object) => {
      const errors = validateTemplate(object, { kind: 'daemonset', restartPolicies: ALWAYS });
      const type = valueAt(object, 'spec', 'updateStrategy', 'type');
      if (type === 'RollingUpdate' || type === 'OnDelete') return errors;
      const shown = structure({ Type: type, RollingUpdate: null });
      return [
        ...errors,
        { ...unsupportedField('spec.updateStrategy', '', ['RollingUpdate', 'OnDelete']), badValue: shown },
      ];
    },
    validateUpdate: immutableSelector,
  },
  columns: [
    NAME_COLUMN,
    column('Desired', numberAt('status', 'desiredNumberScheduled'), { type: 'integer' }),
    column('Current', numberAt('status', 'currentNumberScheduled'), { type: 'integer' }),
    column('Ready', numberAt('status', 'numberReady'), { type: 'integer' }),
    column('Up-to-date', numberAt('status', 'updatedNumberScheduled'), { type: 'integer' }),
    column('Available', numberAt('status', 'numberAvailable'), { type: 'integer' }),
    column('Node Selector', (object) =>
      selectorText(valueAt(object, 'spec', 'template', 'spec', 'nodeSelector')),
    ),
    AGE_COLUMN,
    ...templateColumns(),
  ],
});

const controllerRevisions = defineKind(CONTROLLER_REVISIONS, {
  rules: {
    validateUpdate: (object, old) =>
      semanticallyEqual(object.data, old.data) ? [] : [invalidField('data', '', 'field is immutable')],
  },
  columns: [
    NAME_COLUMN,
    column('Controller', ({ metadata }) => {
      const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
      if (owner === undefined) return '<none>';
      const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
      return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
    }),
    column('Revision', (object) => asNumber(object.revision)),
    AGE_COLUMN,
  ],
});

const replicationControllers = defineKind(REPLICATION_CONTROLLERS, {
  shortNames: ['rc'],
  ...WORKLOAD,
  scale: SCALE,
  orphansByDefault: true,
  rules: {
    applyDefaults: (object) => {
      const spec = childOf(object, 'spec');
      setDefault(spec, 'replicas', 1);
      setDefault(spec, 'selector', valueAt(spec, 'template', 'metadata', 'labels'));
      defaultTemplate(spec.template);
    },
    prepareCreate: withStatus({ replicas: 0 }),
  },
  columns: REPLICA_COLUMNS,
  fields: { 'status.replicas': fieldAt('status', 'replicas') },
});

/** The workload kinds of `apps/v1`, and the replication controller. */
export const APPS_KINDS: readonly KindDefinition[] = [
  deployments,
  replicaSets,
  statefulSets,
  daemonSets,
  controllerRevisions,
  replicationControllers,
];
