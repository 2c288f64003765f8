/** Horizontal pod autoscalers. */
import { HORIZONTAL_POD_AUTOSCALERS } from '@turnsole/kube/kinds/resources';
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
  setDefaults,
  valueAt,
} from '../object.ts';
import { AGE_COLUMN, type Column, column, NAME_COLUMN } from '../tables/column.ts';
import { METRIC_SOURCES, validateAutoscaler } from '../validation/autoscaler.ts';
import { hpaFromStored, hpaToStored } from './autoscaler-conversion.ts';
import { defineKind, textAt, withStatus } from './define.ts';

const UNKNOWN = '<unknown>';
/** Targets that a row shows one by one; of the rest it shows the number. */
const SHOWN_TARGETS = 2;

/** `cpu: 12%/80%, queue: 3/5 (avg)`: the present value and the target of each metric. */
function targetsText(object: ApiObject): string {
  const specs = asObjects(valueAt(object, 'spec', 'metrics'));
  const statuses = asObjects(valueAt(object, 'status', 'currentMetrics'));
  if (specs.length === 0) return '<none>';
  const texts = specs.map((spec) => targetText(spec, statuses));
  const more = texts.length - SHOWN_TARGETS;
  return texts.slice(0, SHOWN_TARGETS).join(', ') + (more > 0 ? ` + ${more} more...` : '');
}

function targetText(spec: Json, statuses: readonly Json[]): string {
  const field = METRIC_SOURCES[asString(spec.type)] ?? '';
  const source = asJson(spec[field]);
  const nameOf = (one: Json): string => asString(one.name) || asString(valueAt(one, 'metric', 'name'));
  const status = statuses.find((one) => {
    const other = asJson(one[field]);
    return one.type === spec.type && nameOf(other) === nameOf(source) && other.container === source.container;
  });
  const { averageUtilization: share, averageValue: average, value } = asJson(source.target);
  const current = asJson(valueAt(status, field, 'current'));
  const text = (used: unknown, wanted: unknown, unit = ''): string =>
    `${used === undefined ? UNKNOWN : `${String(used)}${unit}`}/${String(wanted)}${unit}`;
  const isResource = field === 'resource' || field === 'containerResource';
  const amount =
    share !== undefined
      ? text(current.averageUtilization, share, '%')
      : average !== undefined
        ? text(current.averageValue, average) + (isResource || field === 'pods' ? '' : ' (avg)')
        : text(current.value, value ?? '<auto>');
  return isResource ? `${nameOf(source)}: ${amount}` : amount;
}

const COLUMNS: readonly Column[] = [
  NAME_COLUMN,
  column('Reference', (object) => {
    const ref = asJson(valueAt(object, 'spec', 'scaleTargetRef'));
    return `${asString(ref.kind)}/${asString(ref.name)}`;
  }),
  column('Targets', targetsText),
  column('MinPods', (object) => textAt('spec', 'minReplicas')(object) || '<unset>'),
  column('MaxPods', (object) => String(asNumber(valueAt(object, 'spec', 'maxReplicas')))),
  column('Replicas', (object) => asNumber(valueAt(object, 'status', 'currentReplicas'))),
  AGE_COLUMN,
];

const V1_COLUMNS = COLUMNS.map(
  (one): Column => ({ ...one, cell: (object, now) => one.cell(hpaToStored(clone(object)), now) }),
);

/** The default limits of scaling up where a behavior is given without any. */
const DOUBLE_OR_FOUR = [
  { type: 'Pods', value: 4, periodSeconds: 15 },
  { type: 'Percent', value: 100, periodSeconds: 15 },
];
const ALL_AT_ONCE = [{ type: 'Percent', value: 100, periodSeconds: 15 }];

function defaultBehavior(behavior: Json): void {
  const up = childOf(behavior, 'scaleUp');
  setDefaults(up, { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: clone(DOUBLE_OR_FOUR) });
  const down = childOf(behavior, 'scaleDown');
  setDefaults(down, { selectPolicy: 'Max', policies: clone(ALL_AT_ONCE) });
}

export const autoscalers = defineKind(HORIZONTAL_POD_AUTOSCALERS, {
  versions: [
    { name: 'v2' },
    { name: 'v1', fromStored: hpaFromStored, toStored: hpaToStored, columns: V1_COLUMNS },
  ],
  shortNames: ['hpa'],
  categories: ['all'],
  hasStatus: true,
  rules: {
    applyDefaults: (object) => {
      const spec = childOf(object, 'spec');
      setDefault(spec, 'minReplicas', 1);
      if (isJson(spec.behavior)) defaultBehavior(spec.behavior);
      if (asList(spec.metrics).length > 0) return;
      spec.metrics = [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
        },
      ];
    },
    prepareCreate: withStatus({ currentReplicas: 0, desiredReplicas: 0 }),
    validate: (object) => validateAutoscaler(asJson(object.spec)),
  },
  columns: COLUMNS,
});
