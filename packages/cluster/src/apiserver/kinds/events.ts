/** Events: one table, seen as `v1` and as `events.k8s.io/v1`. */
import { EVENTS } from '@turnsole/kube/kinds/resources';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { type ApiObject, asJson, asNumber, asString, type Json, setDefaults } from '../object.ts';
import { type Column, column } from '../tables/column.ts';
import { formatAge } from '../tables/duration.ts';
import { FieldErrors } from '../validation/field.ts';
import { checkPathSegmentName } from '../validation/names.ts';
import { defineKind, fieldAt } from './define.ts';
import type { KindDefinition, Rules } from './kind.ts';

/** Names of fields that differ: stored (core) and served (events.k8s.io). */
const RENAMED: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

function renamed(object: ApiObject, from: 0 | 1, to: 0 | 1, apiVersion: string): ApiObject {
  const copy: Json = { ...object, apiVersion };
  for (const pair of RENAMED) {
    const [source, target] = [pair[from], pair[to]];
    if (copy[source] === undefined) continue;
    copy[target] = copy[source];
    delete copy[source];
  }
  // These are optional there, and always present here.
  if (to === 1) {
    for (const field of ['reportingController', 'reportingInstance'])
      if (copy[field] === '') delete copy[field];
  }
  // Metadata is that of the object.
  return copy as ApiObject;
}

const rules: Rules = {
  applyDefaults: (object) => {
    setDefaults(object, { reportingComponent: '', reportingInstance: '', source: {}, involvedObject: {} });
  },
  validate: (object) => {
    const about = asJson(object.involvedObject);
    const namespace = asString(about.namespace);
    const own = object.metadata.namespace ?? '';
    const errors = new FieldErrors();
    // Events about cluster-scoped objects live in the default namespace.
    if (namespace === '' ? own !== 'default' && own !== 'kube-system' : namespace !== own) {
      errors.invalid('involvedObject.namespace', namespace, 'does not match event.namespace');
    }
    if (asString(object.eventTime) !== '') {
      for (const field of ['reportingComponent', 'reportingInstance', 'action', 'reason']) {
        const path = field === 'reportingComponent' ? 'reportingController' : field;
        if (asString(object[field]) === '') errors.required(path);
      }
    }
    return errors;
  },
};

/** What events of the newer group have to have besides. */
function validateNewer({ eventTime, type }: ApiObject): FieldError[] {
  const errors = new FieldErrors();
  if (asString(eventTime) === '') errors.required('eventTime');
  if (type !== 'Normal' && type !== 'Warning') {
    const given = asString(type);
    errors.invalid('type', given, `has invalid value: ${given}`);
  }
  return errors;
}

function lastSeen(object: ApiObject, now: number): string {
  const series = asJson(object.series);
  const time =
    asString(series.lastObservedTime) || asString(object.lastTimestamp) || asString(object.eventTime);
  return formatAge(time, now);
}

function about(object: ApiObject): Json {
  return asJson(object.involvedObject ?? object.regarding);
}

function columns(isCore: boolean): readonly Column[] {
  const coreOf = (object: ApiObject): ApiObject => (isCore ? object : renamed(object, 1, 0, 'v1'));
  return [
    column('Last Seen', (object, now) => lastSeen(coreOf(object), now)),
    column('Type', (object) => asString(object.type)),
    column('Reason', (object) => asString(object.reason)),
    column(
      'Object',
      (object) => `${asString(about(object).kind).toLowerCase()}/${asString(about(object).name)}`,
    ),
    column('Subobject', (object) => asString(about(object).fieldPath), { wide: true }),
    column(
      'Source',
      (object) => {
        const { component, host } = asJson(coreOf(object).source);
        const name = asString(component) || asString(coreOf(object).reportingComponent);
        return asString(host) === '' ? name : `${name}, ${asString(host)}`;
      },
      { wide: true },
    ),
    column('Message', (object) => asString(coreOf(object).message).trim()),
    column(
      'First Seen',
      (object, now) => formatAge(coreOf(object).firstTimestamp ?? object.metadata.creationTimestamp, now),
      { wide: true },
    ),
    column('Count', (object) => asNumber(asJson(object.series).count, asNumber(coreOf(object).count, 1)), {
      wide: true,
    }),
    column('Name', ({ metadata }) => metadata.name ?? '', { format: 'name', wide: true }),
  ];
}

const involved = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
const COMMON_FIELDS = {
  reason: fieldAt('reason'),
  type: fieldAt('type'),
  reportingComponent: fieldAt('reportingComponent'),
};

export const EVENT_KINDS: readonly KindDefinition[] = [
  defineKind(EVENTS, {
    shortNames: ['ev'],
    createsOnUpdate: true,
    // A real server takes any path segment: some clients put a CamelCase reason into the name.
    checkName: checkPathSegmentName,
    rules,
    columns: columns(true),
    fields: {
      ...COMMON_FIELDS,
      source: (object) => asString(asJson(object.source).component) || asString(object.reportingComponent),
      ...Object.fromEntries(
        involved.map((field) => [`involvedObject.${field}`, fieldAt('involvedObject', field)]),
      ),
    },
  }),
  defineKind({
    group: 'events.k8s.io',
    plural: 'events',
    kind: 'Event',
    versions: [
      {
        name: 'v1',
        type: 'events.v1.Event',
        fromStored: (object) => renamed(object, 0, 1, 'events.k8s.io/v1'),
        toStored: (object) => renamed(object, 1, 0, 'v1'),
      },
    ],
    table: 'events',
    storedApiVersion: 'v1',
    shortNames: ['ev'],
    createsOnUpdate: true,
    checkName: checkPathSegmentName,
    rules: { ...rules, validateCreate: validateNewer },
    columns: columns(false),
    // Selectors are evaluated on the stored form.
    fields: {
      ...COMMON_FIELDS,
      ...Object.fromEntries(
        involved.map((field) => [`regarding.${field}`, fieldAt('involvedObject', field)]),
      ),
    },
  }),
];
