/** Scheduling gates: pods that no scheduler may take before whoever has set the gates has removed them. */
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { equalJson } from '@turnsole/kube/text/json';
import { asJson, asObjects, asString, type Json } from '../object.ts';
import { FieldErrors } from '../validation/field.ts';

function gatesOf(spec: Json): readonly string[] {
  return asObjects(spec.schedulingGates).map(({ name }) => asString(name));
}

/** Whether a pod has gates. Pure. */
export function isGated(spec: Json): boolean {
  return gatesOf(spec).length > 0;
}

/** What the status of a new pod says of its gates. Pure. */
export function gatedStatus(spec: Json): Json {
  if (!isGated(spec)) return {};
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
    lastProbeTime: null,
    lastTransitionTime: null,
  };
  return { conditions: [condition] };
}

/** A pod that is on a node already has nothing to wait for. Pure. */
export function validateGates(spec: Json): FieldError[] {
  const errors = new FieldErrors();
  if (isGated(spec) && asString(spec.nodeName) !== '') {
    errors.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared');
  }
  return errors;
}

/** Gates may go, and none may come. Pure. */
export function validateGatesUpdate(spec: Json, before: Json): FieldError[] {
  const errors = new FieldErrors();
  const present = new Set(gatesOf(before));
  for (const [index, name] of gatesOf(spec).entries()) {
    if (present.has(name)) continue;
    errors.forbidden(
      `spec.schedulingGates[${index}].name`,
      `only deletion is allowed, but found new scheduling gate '${name}'`,
    );
  }
  return errors;
}

/**
 * The specification without what may be changed of a pod that is gated: node selectors are added, and an affinity to nodes is given
 * to a pod that has none. Pure.
 */
export function withoutDirectives(spec: Json, before: Json): Json {
  if (!isGated(before)) return spec;
  const selector = asJson(spec.nodeSelector);
  const kept = Object.entries(asJson(before.nodeSelector)).every(([key, value]) =>
    equalJson(selector[key], value),
  );
  const { nodeSelector: _selector, affinity: _affinity, ...rest } = spec;
  const { nodeAffinity: _node, ...affinity } = asJson(spec.affinity);
  const isFree = asJson(before.affinity).nodeAffinity === undefined;
  return {
    ...rest,
    ...(kept ? {} : { nodeSelector: selector }),
    ...(isFree ? { affinity } : { affinity: asJson(spec.affinity) }),
  };
}
