/**
 * The subresource resize of pods: CPU and memory of containers that run. Source: kubernetes.io, Resize CPU and Memory Resources
 * assigned to Containers.
 */
import type { FieldError } from '@turnsole/kube/schema/field-error';
import {
  type ApiObject,
  asJson,
  asObjects,
  asString,
  isJson,
  type Json,
  restore,
  semanticallyEqual,
  valueAt,
} from '../object.ts';
import { FieldErrors, forbiddenField } from '../validation/field.ts';
import { validatePodSpec } from '../validation/pod-spec.ts';
import type { PartRules } from './kind.ts';
import { qosClass } from './qos-class.ts';

const LISTS = ['containers', 'initContainers'] as const;
const IMMUTABLE = 'only cpu and memory resources are mutable';
const POD_LEVEL =
  'resize of pods with pod-level resources is forbidden when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled';

/** The subresource resize of pods. */
export const RESIZE: PartRules = { restrict, validateUpdate, ownsWhatIsSent: true };

/** Other containers than before stay in the object, for the validation to refuse. */
function restrict(object: ApiObject, old: ApiObject): void {
  const spec = asJson(object.spec);
  const before = asJson(old.spec);
  if (LISTS.some((list) => asObjects(spec[list]).length !== asObjects(before[list]).length)) return;
  restore(object, old);
  const merged = LISTS.map((list) => [list, withResources(spec[list], before[list])] as const);
  object.spec = {
    ...before,
    ...Object.fromEntries(merged.filter(([, containers]) => containers.length > 0)),
  };
}

function withResources(list: unknown, before: unknown): Json[] {
  const containers = asObjects(list);
  const earlier = asObjects(before);
  if (containers.some(({ name }, index) => name !== earlier[index]?.name)) return containers;
  return earlier.map(({ resources: _resources, resizePolicy: _policy, ...container }, index) => {
    const { resources, resizePolicy } = containers[index] ?? {};
    return {
      ...container,
      ...(resources === undefined ? {} : { resources }),
      ...(resizePolicy === undefined ? {} : { resizePolicy }),
    };
  });
}

function validateUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const spec = asJson(object.spec);
  const before = asJson(old.spec);
  const errors = new FieldErrors();
  errors.push(...validatePodSpec(spec, 'spec'));
  if (valueAt(before, 'os', 'name') === 'windows')
    return [forbiddenField('', 'windows pods cannot be resized')];
  const qos = asString(asJson(old.status).qosClass) || qosClass(before);
  if (qos !== qosClass(spec)) {
    errors.invalid('spec', qos, 'Pod QOS Class may not change as a result of resizing');
  }
  if (!isSupported(old)) errors.forbidden('spec', 'Pod running on node without support for resize');
  if (isJson(before.resources)) {
    errors.forbidden('', POD_LEVEL);
    return errors;
  }
  const ordering = orderingErrors(spec, before);
  if (ordering.length > 0) return [...errors, ...ordering];
  for (const list of ['initContainers', 'containers'] as const) {
    eachPair(spec, before, list, (container, earlier, at) => refuseRemoval(container, earlier, at, errors));
  }
  eachPair(spec, before, 'containers', (container, earlier) => {
    if (!isSameButForAmounts(container, earlier)) errors.forbidden('spec', IMMUTABLE);
  });
  eachPair(spec, before, 'initContainers', (container, earlier, at) => {
    if (!isSameButForAmounts(container, earlier)) {
      errors.forbidden(at, 'only cpu and memory resources for init or sidecar containers are mutable');
    }
  });
  return errors;
}

/** A node that resizes says what running containers have. */
function isSupported({ status }: ApiObject): boolean {
  const running = asObjects(asJson(status).containerStatuses).find((container) =>
    isJson(valueAt(container, 'state', 'running')),
  );
  return running === undefined || isJson(running.resources);
}

function orderingErrors(spec: Json, before: Json): FieldError[] {
  const errors = new FieldErrors();
  for (const list of LISTS) {
    if (asObjects(spec[list]).length !== asObjects(before[list]).length) {
      errors.forbidden(`spec.${list}`, `${list} may not be added or removed on resize`);
      continue;
    }
    eachPair(spec, before, list, ({ name }, earlier, at) => {
      const why = `${list} may not be renamed or reordered on resize`;
      if (name !== earlier.name) errors.forbidden(`${at}.name`, why);
    });
  }
  return errors;
}

function eachPair(
  spec: Json,
  before: Json,
  list: (typeof LISTS)[number],
  look: (container: Json, earlier: Json, path: string) => void,
): void {
  const containers = asObjects(spec[list]);
  for (const [index, earlier] of asObjects(before[list]).entries()) {
    look(containers[index] ?? {}, earlier, `spec.${list}[${index}]`);
  }
}

function refuseRemoval(container: Json, earlier: Json, path: string, errors: FieldErrors): void {
  for (const field of ['requests', 'limits']) {
    const amounts = asJson(valueAt(container, 'resources', field));
    const lost = Object.keys(asJson(valueAt(earlier, 'resources', field))).some((name) => !(name in amounts));
    if (lost) errors.forbidden(`${path}.resources.${field}`, `resource ${field} cannot be removed`);
  }
}

function isSameButForAmounts(container: Json, earlier: Json): boolean {
  return semanticallyEqual(withoutAmounts(container), withoutAmounts(earlier));
}

/** A container without what may be changed of it. */
function withoutAmounts(container: Json): Json {
  const without = (amounts: unknown): Json => {
    const { cpu: _cpu, memory: _memory, ...rest } = asJson(amounts);
    return rest;
  };
  const { limits, requests, ...resources } = asJson(container.resources);
  return { ...container, resources: { ...resources, limits: without(limits), requests: without(requests) } };
}
