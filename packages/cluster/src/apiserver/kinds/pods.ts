import { PODS } from '@turnsole/kube/kinds/resources';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { equalJson } from '@turnsole/kube/text/json';
import {
  type ApiObject,
  asJson,
  asList,
  asNumber,
  asObjects,
  asString,
  childOf,
  isJson,
  type Json,
  semanticallyEqual,
  valueAt,
} from '../object.ts';
import { column, NAME_COLUMN } from '../tables/column.ts';
import { POD_COLUMNS } from '../tables/pod-columns.ts';
import { FieldErrors, forbiddenField } from '../validation/field.ts';
import { validatePodSpec } from '../validation/pod-spec.ts';
import { defineKind, fieldAt } from './define.ts';
import { EPHEMERAL_CONTAINERS, refuseEphemeralAtCreation } from './ephemeral-containers.ts';
import { type KindDefinition, PROXY_VERBS, type Rules } from './kind.ts';
import { RESIZE } from './pod-resize.ts';
import { defaultPod, defaultTemplate } from './pod-spec-defaults.ts';
import { qosClass } from './qos-class.ts';
import { gatedStatus, validateGates, validateGatesUpdate, withoutDirectives } from './scheduling-gates.ts';
import { selectorText } from './services.ts';
import { containerColumns } from './workload-rules.ts';

const VERBS_CONNECT = ['create', 'get'];
const IMMUTABLE_WORDS =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

const rules: Rules = {
  applyDefaults: defaultPod,
  prepareCreate: (object) => {
    const spec = asJson(object.spec);
    object.status = { phase: 'Pending', qosClass: qosClass(spec), ...gatedStatus(spec) };
  },
  validate: (object) => validatePodSpec(asJson(object.spec), 'spec'),
  validateCreate: (object) => [...refuseEphemeralAtCreation(object), ...validateGates(asJson(object.spec))],
  validateUpdate,
  prepareStatusUpdate: (object, old) => {
    // The class follows from the specification and cannot be written.
    const qos = asJson(old.status).qosClass;
    if (qos !== undefined) object.status = { ...asJson(object.status), qosClass: qos };
    const status = childOf(object, 'status');
    // Older clients write the first address only.
    const ip = asString(status.podIP);
    if (ip !== '' && asList(status.podIPs).length === 0) status.podIPs = [{ ip }];
    const host = asString(status.hostIP);
    if (host !== '' && asList(status.hostIPs).length === 0) status.hostIPs = [{ ip: host }];
  },
  gracePeriodSeconds,
};

/** How long a pod may take to end: asked for, or its own wish; none where nothing runs. Pure. */
function gracePeriodSeconds(pod: ApiObject, asked: number | undefined): number {
  const spec = asJson(pod.spec);
  const phase = asString(asJson(pod.status).phase);
  // Nothing has been started, or everything has ended: nothing to wait for.
  if (asString(spec.nodeName) === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
  const wanted = asked ?? asNumber(spec.terminationGracePeriodSeconds, 30);
  // A negative period means the smallest one that still ends the pod gracefully.
  return wanted < 0 ? 1 : wanted;
}

function validateUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const spec = asJson(object.spec);
  const before = asJson(old.spec);
  const errors = new FieldErrors();
  const [deadline, deadlineBefore] = [spec.activeDeadlineSeconds, before.activeDeadlineSeconds];
  if (typeof deadlineBefore === 'number' && deadline !== deadlineBefore) {
    if (deadline === undefined) {
      errors.invalid(
        'spec.activeDeadlineSeconds',
        deadlineBefore,
        'must not update from a positive integer to nil value',
      );
    } else if (asNumber(deadline) > deadlineBefore) {
      errors.invalid('spec.activeDeadlineSeconds', deadline, 'must be less than or equal to previous value');
    }
  }
  for (const list of ['containers', 'initContainers']) {
    if (asList(spec[list]).length === asList(before[list]).length) continue;
    return [forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers')];
  }
  const tolerations = asList(spec.tolerations);
  for (const toleration of asList(before.tolerations)) {
    if (!tolerations.some((present) => equalJson(present, toleration))) {
      errors.forbidden(
        'spec.tolerations',
        'existing toleration can not be modified except its tolerationSeconds',
      );
      break;
    }
  }
  errors.push(...validateGatesUpdate(spec, before));
  if (!semanticallyEqual(frozenPart(spec, before), frozenPart(before, before)))
    errors.forbidden('spec', IMMUTABLE_WORDS);
  return errors;
}

/** What of a specification cannot change, when it was so before. */
function frozenPart(spec: Json, before: Json): Json {
  const {
    schedulingGates: _gates,
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    terminationGracePeriodSeconds: grace,
    ...rest
  } = spec;
  const withoutImages = (list: unknown): unknown =>
    asObjects(list).map(({ image: _image, ...container }) => container);
  return {
    ...withoutDirectives(rest, before),
    terminationGracePeriodSeconds: asNumber(grace) < 0 ? 1 : grace,
    containers: withoutImages(spec.containers),
    initContainers: withoutImages(spec.initContainers),
  };
}

/** The conditions in the row of a pod that is done. */
function rowConditions(pod: ApiObject): Json[] | undefined {
  const phase = asString(asJson(pod.status).phase);
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const message = phase === 'Failed' ? 'The pod failed.' : 'The pod has completed successfully.';
  return [{ type: 'Completed', status: 'True', reason: phase, message }];
}

/** Pods and the templates that are kept apart. */
export const POD_KINDS: readonly KindDefinition[] = [
  defineKind(PODS, {
    shortNames: ['po'],
    categories: ['all'],
    hasGeneration: true,
    hasStatus: true,
    returnsDeleted: true,
    rules,
    columns: POD_COLUMNS,
    rowConditions,
    fields: {
      'spec.nodeName': fieldAt('spec', 'nodeName'),
      'spec.restartPolicy': fieldAt('spec', 'restartPolicy'),
      'spec.schedulerName': fieldAt('spec', 'schedulerName'),
      'spec.serviceAccountName': fieldAt('spec', 'serviceAccountName'),
      'spec.hostNetwork': (object) => String(asJson(object.spec).hostNetwork === true),
      'status.phase': fieldAt('status', 'phase'),
      'status.podIP': fieldAt('status', 'podIP'),
      'status.nominatedNodeName': fieldAt('status', 'nominatedNodeName'),
    },
    parts: { ephemeralcontainers: EPHEMERAL_CONTAINERS, resize: RESIZE },
    subresources: [
      { name: 'attach', kind: 'PodAttachOptions', verbs: VERBS_CONNECT },
      { name: 'binding', kind: 'Binding', verbs: ['create'] },
      { name: 'ephemeralcontainers', kind: 'Pod', verbs: ['get', 'patch', 'update'] },
      { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
      { name: 'exec', kind: 'PodExecOptions', verbs: VERBS_CONNECT },
      { name: 'log', kind: 'Pod', verbs: ['get'] },
      { name: 'portforward', kind: 'PodPortForwardOptions', verbs: VERBS_CONNECT },
      { name: 'proxy', kind: 'PodProxyOptions', verbs: PROXY_VERBS },
      { name: 'resize', kind: 'Pod', verbs: ['get', 'patch', 'update'] },
    ],
  }),
  defineKind({
    group: '',
    plural: 'podtemplates',
    kind: 'PodTemplate',
    columns: [
      NAME_COLUMN,
      ...containerColumns(['template', 'spec'], {}),
      column('Pod Labels', (object) => selectorText(valueAt(object, 'template', 'metadata', 'labels'))),
    ],
    hasGeneration: true,
    returnsDeleted: true,
    rules: {
      applyDefaults: (object) => defaultTemplate(object.template),
      validate: (object) =>
        isJson(object.template) ? validatePodSpec(asJson(asJson(object.template).spec), 'template.spec') : [],
    },
  }),
];
