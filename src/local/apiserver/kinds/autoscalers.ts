/** Horizontal pod autoscalers. */
import {
  type ApiObject,
  asJson,
  asList,
  asNumber,
  asObjects,
  asString,
  childOf,
  clone,
  type Json,
  setDefault,
  valueAt,
} from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { invalidField, requiredField } from '../validation/field.ts';
import { defineKind, textAt } from './define.ts';

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

export const autoscalers = defineKind({
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
      for (const [index, metric] of asObjects(spec.metrics).entries()) {
        const average = valueAt(metric, 'resource', 'target', 'averageUtilization');
        if (typeof average !== 'number' || average > 0) continue;
        const path = `spec.metrics[${index}].resource.target.averageUtilization`;
        errors.push(invalidField(path, average, 'must be greater than 0'));
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
