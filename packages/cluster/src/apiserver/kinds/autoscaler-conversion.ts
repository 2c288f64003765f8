/**
 * Converts stored v2 objects to `autoscaling/v1` and back. The older version has fields for one metric, the CPU; the rest travels in
 * annotations, so that a v1 client that writes back what it has read loses nothing.
 */
import { parseJson } from '@turnsole/kube/text/json';
import { type ApiObject, asJson, asList, asObjects, clone, isJson, type Json, valueAt } from '../object.ts';
import { METRIC_SOURCES } from '../validation/autoscaler.ts';

const PREFIX = 'autoscaling.alpha.kubernetes.io/';
const METRICS = `${PREFIX}metrics`;
const BEHAVIOR = `${PREFIX}behavior`;
const CURRENT_METRICS = `${PREFIX}current-metrics`;
const CONDITIONS = `${PREFIX}conditions`;

/** Stored form to v1; the input stays as it is. */
export function hpaFromStored(object: ApiObject): ApiObject {
  const copy = clone(object);
  copy.apiVersion = 'autoscaling/v1';
  const spec = asJson(copy.spec);
  const status = asJson(copy.status);
  const notes: Record<string, string> = {};
  const all = asObjects(spec.metrics);
  const cpu = all.find(isCpuShare);
  const others = all.filter((metric) => metric !== cpu);
  if (cpu !== undefined)
    spec.targetCPUUtilizationPercentage = valueAt(cpu, 'resource', 'target', 'averageUtilization');
  if (others.length > 0) notes[METRICS] = JSON.stringify(others.map(metricToV1));
  if (isJson(spec.behavior)) notes[BEHAVIOR] = JSON.stringify(renameKeys(spec.behavior, capital));
  delete spec.metrics;
  delete spec.behavior;
  const current = asObjects(status.currentMetrics);
  const used = valueAt(
    current.find((metric) => metric.type === 'Resource' && valueAt(metric, 'resource', 'name') === 'cpu'),
    ...['resource', 'current', 'averageUtilization'],
  );
  if (used !== undefined) status.currentCPUUtilizationPercentage = used;
  if (current.length > 0) notes[CURRENT_METRICS] = JSON.stringify(current.map(metricToV1));
  if (asList(status.conditions).length > 0) notes[CONDITIONS] = JSON.stringify(status.conditions);
  delete status.currentMetrics;
  delete status.conditions;
  if (Object.keys(notes).length > 0) {
    const { metadata } = copy;
    metadata.annotations = { ...metadata.annotations, ...notes };
  }
  return copy;
}

/** v1 to the stored form. Annotations that cannot be read are dropped, as by a real server. */
export function hpaToStored(object: ApiObject): ApiObject {
  const { annotations: given = {}, ...metadata } = object.metadata;
  const {
    [METRICS]: metrics,
    [BEHAVIOR]: behavior,
    [CURRENT_METRICS]: current,
    [CONDITIONS]: conditions,
    ...annotations
  } = given;
  object.metadata = { ...metadata, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) };
  const spec = asJson(object.spec);
  const { targetCPUUtilizationPercentage: target } = spec;
  delete spec.targetCPUUtilizationPercentage;
  const cpu = {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: target } },
  };
  const all = [...asObjects(read(metrics)).map(metricToV2('target')), ...(target === undefined ? [] : [cpu])];
  if (all.length > 0) spec.metrics = all;
  const rules = read(behavior);
  if (isJson(rules)) spec.behavior = renameKeys(rules, small);
  if (isJson(object.status)) {
    const { status } = object;
    delete status.currentCPUUtilizationPercentage;
    const used = asObjects(read(current)).map(metricToV2('current'));
    if (used.length > 0) status.currentMetrics = used;
    const given = asObjects(read(conditions));
    if (given.length > 0) status.conditions = given;
  }
  return object;
}

function isCpuShare(metric: Json): boolean {
  return (
    metric.type === 'Resource' &&
    valueAt(metric, 'resource', 'name') === 'cpu' &&
    valueAt(metric, 'resource', 'target', 'averageUtilization') !== undefined
  );
}

function read(text: string | undefined): unknown {
  return text === undefined ? undefined : parseJson(text);
}

/** v1 has the amounts beside the name; `target…` in a specification, `current…` in a status. */
function metricToV1(metric: Json): Json {
  const field = METRIC_SOURCES[String(metric.type)] ?? '';
  const { target, current, metric: about, describedObject, ...rest } = asJson(metric[field]);
  const isStatus = current !== undefined;
  const prefix = isStatus ? 'current' : 'target';
  const { averageUtilization, averageValue, value } = asJson(isStatus ? current : target);
  const { name, selector } = asJson(about);
  const isExternal = field === 'external';
  const averageOf = field === 'object' ? 'averageValue' : `${prefix}AverageValue`;
  const source = {
    ...rest,
    target: describedObject,
    metricName: name,
    [isExternal ? 'metricSelector' : 'selector']: selector,
    [`${prefix}AverageUtilization`]: averageUtilization,
    [averageOf]: averageValue,
    [`${prefix}Value`]: value,
  };
  return { type: metric.type, [field]: JSON.parse(JSON.stringify(source)) };
}

function metricToV2(part: 'target' | 'current'): (metric: Json) => Json {
  return (metric) => {
    const field = METRIC_SOURCES[String(metric.type)] ?? '';
    const {
      target: describedObject,
      metricName: name,
      selector,
      metricSelector,
      [`${part}AverageUtilization`]: averageUtilization,
      [`${part}AverageValue`]: ownAverage,
      averageValue = ownAverage,
      [`${part}Value`]: value,
      ...rest
    } = asJson(metric[field]);
    const amounts = { averageUtilization, averageValue, value };
    const source = {
      ...rest,
      describedObject,
      ...(name === undefined ? {} : { metric: { name, selector: selector ?? metricSelector } }),
      [part]: part === 'target' ? { type: targetType(amounts), ...amounts } : amounts,
    };
    return { type: metric.type, [field]: JSON.parse(JSON.stringify(source)) };
  };
}

function targetType({
  averageUtilization,
  value,
}: {
  averageUtilization?: unknown;
  value?: unknown;
}): string {
  if (averageUtilization !== undefined) return 'Utilization';
  return value === undefined ? 'AverageValue' : 'Value';
}

/** Rules stand in their annotation with names that begin with a capital. */
function renameKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [rename(key), renameKeys(inner, rename)]),
  );
}

function capital(key: string): string {
  return key.charAt(0).toUpperCase() + key.slice(1);
}

function small(key: string): string {
  return key.charAt(0).toLowerCase() + key.slice(1);
}
