/** Rules of HorizontalPodAutoscalers. Source: autoscaling/v2 API reference. */

import type { FieldError } from '@turnsole/kube/schema/field-error';
import { isQuantity, parseQuantity } from '@turnsole/kube/text/quantity';
import { asJson, asNumber, asObjects, asString, isJson, type Json, valueAt } from '../object.ts';
import { FieldErrors, forbiddenField, requiredField, unsupportedField } from './field.ts';
import { checkPathSegmentName } from './names.ts';

/** Names of the sources by the type of a metric. */
export const METRIC_SOURCES: Readonly<Record<string, string>> = {
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
  External: 'external',
  ContainerResource: 'containerResource',
};
const POLICY_TYPES = ['Percent', 'Pods'];
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const MAX_STABILIZATION_S = 3_600;
const MAX_PERIOD_S = 1_800;

/** Problems of an autoscaler's spec, with its defaults filled in. */
export function validateAutoscaler(spec: Json): FieldError[] {
  const { minReplicas, maxReplicas } = spec;
  const errors = new FieldErrors();
  if (minReplicas !== undefined && asNumber(minReplicas) < 1)
    errors.invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1');
  if (asNumber(maxReplicas) < 1) errors.required('spec.maxReplicas', 'must be set and greater than 0');
  if (asNumber(maxReplicas) < asNumber(minReplicas)) {
    const detail = 'must be greater than or equal to `minReplicas`';
    errors.invalid('spec.maxReplicas', maxReplicas ?? 0, detail);
  }
  const target = asJson(spec.scaleTargetRef);
  errors.push(...validateReference(target, 'spec.scaleTargetRef'));
  // Of what can be scaled only this is in the core group.
  if (!asString(target.apiVersion).includes('/') && target.kind !== 'ReplicationController') {
    const why = 'apiVersion must specify API group';
    errors.invalid('spec.scaleTargetRef.apiVersion', asString(target.apiVersion), why);
  }
  for (const [index, metric] of asObjects(spec.metrics).entries())
    errors.push(...validateMetric(metric, `spec.metrics[${index}]`));
  for (const direction of ['scaleUp', 'scaleDown']) {
    const rules = valueAt(spec, 'behavior', direction);
    if (isJson(rules)) errors.push(...validateRules(rules, `spec.behavior.${direction}`));
  }
  return errors;
}

function validateReference(reference: Json, path: string): FieldError[] {
  const errors = new FieldErrors();
  for (const field of ['kind', 'name']) {
    errors.requiredName(`${path}.${field}`, asString(reference[field]), checkPathSegmentName);
  }
  return errors;
}

function validateMetric(metric: Json, path: string): FieldError[] {
  const type = asString(metric.type);
  if (type === '') return [requiredField(`${path}.type`, 'must specify a metric source type')];
  const field = METRIC_SOURCES[type];
  if (field === undefined)
    return [unsupportedField(`${path}.type`, type, Object.keys(METRIC_SOURCES).toSorted())];
  const given = Object.values(METRIC_SOURCES).filter((name) => metric[name] !== undefined);
  const errors = given
    .filter((name) => name !== field)
    .map((name) => forbiddenField(`${path}.${name}`, 'must populate the given metric source only'));
  const source = metric[field];
  if (!isJson(source)) {
    return [
      ...errors,
      requiredField(`${path}.${field}`, 'must populate information for the given metric source'),
    ];
  }
  return [...errors, ...validateSource(field, source, `${path}.${field}`)];
}

function validateSource(field: string, source: Json, path: string): FieldError[] {
  const errors = new FieldErrors();
  const target = asJson(source.target);
  const { averageUtilization: share, averageValue: average, value } = target;
  if (field === 'resource' || field === 'containerResource') {
    if (asString(source.name) === '') errors.required(`${path}.name`, 'must specify a resource name');
    if (field === 'containerResource' && asString(source.container) === '')
      errors.required(`${path}.container`, 'must specify a container');
    if (share === undefined && average === undefined) {
      const detail = 'must set either a target raw value or a target utilization';
      errors.required(`${path}.target.averageUtilization`, detail);
    }
    if (share !== undefined && average !== undefined) {
      const detail = 'may not set both a target raw value and a target utilization';
      errors.forbidden(`${path}.target.averageValue`, detail);
    }
  } else {
    if (asString(valueAt(source, 'metric', 'name')) === '')
      errors.required(`${path}.metric.name`, 'must specify a metric name');
    if (field === 'object')
      errors.push(...validateReference(asJson(source.describedObject), `${path}.describedObject`));
    if (field === 'pods' && !isPositive(average)) {
      errors.required(`${path}.target.averageValue`, 'must specify a positive target averageValue');
    }
    if (field === 'object' && value === undefined && average === undefined) {
      errors.required(`${path}.target.averageValue`, 'must set either a target value or averageValue');
    }
    if (field === 'external' && value === undefined && average === undefined) {
      const detail = 'must set either a target value for metric or a per-pod target';
      errors.required(`${path}.target.averageValue`, detail);
    }
    if (field === 'external' && value !== undefined && average !== undefined) {
      const detail = 'may not set both a target value for metric and a per-pod target';
      errors.forbidden(`${path}.target.value`, detail);
    }
  }
  return [...errors, ...validateTarget(target, `${path}.target`)];
}

function validateTarget({ type, averageUtilization, averageValue, value }: Json, path: string): FieldError[] {
  const errors = new FieldErrors();
  if (asString(type) === '') errors.required(`${path}.type`, 'must specify a metric target type');
  else if (!['Utilization', 'Value', 'AverageValue'].includes(asString(type)))
    errors.invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue');
  if (value !== undefined && !isPositive(value)) errors.invalid(`${path}.value`, value, 'must be positive');
  if (averageValue !== undefined && !isPositive(averageValue))
    errors.invalid(`${path}.averageValue`, averageValue, 'must be positive');
  if (averageUtilization !== undefined && asNumber(averageUtilization) < 1)
    errors.invalid(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0');
  return errors;
}

function isPositive(amount: unknown): boolean {
  return isQuantity(String(amount)) && parseQuantity(String(amount)).nano > 0n;
}

function validateRules(
  { stabilizationWindowSeconds: window, selectPolicy, policies }: Json,
  path: string,
): FieldError[] {
  const errors = new FieldErrors();
  const bounded = (value: unknown, field: string, lowest: number, low: string, highest: number): void => {
    if (asNumber(value) < lowest) errors.invalid(`${path}.${field}`, value ?? 0, low);
    else if (asNumber(value) > highest)
      errors.invalid(`${path}.${field}`, value, `must be less than or equal to ${highest}`);
  };
  if (window !== undefined)
    bounded(
      window,
      'stabilizationWindowSeconds',
      0,
      'must be greater than or equal to zero',
      MAX_STABILIZATION_S,
    );
  if (selectPolicy !== undefined) errors.oneOf(`${path}.selectPolicy`, selectPolicy, SELECT_POLICIES);
  for (const [index, { type, value, periodSeconds }] of asObjects(policies).entries()) {
    const at = `policies[${index}]`;
    errors.oneOf(`${path}.${at}.type`, type ?? '', POLICY_TYPES);
    bounded(value, `${at}.value`, 1, 'must be greater than zero', Number.POSITIVE_INFINITY);
    bounded(periodSeconds, `${at}.periodSeconds`, 1, 'must be greater than zero', MAX_PERIOD_S);
  }
  return errors;
}
