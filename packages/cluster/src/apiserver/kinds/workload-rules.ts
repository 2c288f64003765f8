/** Rules that deployments, replica sets, stateful sets, daemon sets and jobs share. */
import type { LabelSelector } from '@turnsole/kube/kinds/core';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import {
  compileLabelSelector,
  formatLabelSelector,
  LabelSelectorError,
  matchesSelector,
} from '@turnsole/kube/text/label-selector';
import {
  type ApiObject,
  asJson,
  asNumber,
  asObjects,
  asString,
  isJson,
  semanticallyEqual,
  valueAt,
} from '../object.ts';
import { type Column, column } from '../tables/column.ts';
import { FieldErrors, invalidField, requiredField, shownLabels, shownSelector } from '../validation/field.ts';
import { validateLabels, validateSelectorParts } from '../validation/labels.ts';
import { validatePodSpec } from '../validation/pod-spec.ts';

interface TemplateOptions {
  /** `deployment`, as messages name it. */
  readonly kind: string;
  readonly restartPolicies: readonly string[];
}

/** Problems of selector and template: both there, and made for each other. */
export function validateTemplate(object: ApiObject, options: TemplateOptions): FieldErrors {
  const spec = asJson(object.spec);
  const errors = new FieldErrors();
  errors.counts('spec', spec, ['replicas']);
  errors.push(...validateSelector(spec.selector, 'spec.selector', options.kind));
  const template = asJson(spec.template);
  const labels = asJson(asJson(template.metadata).labels);
  const isEmpty = isJson(spec.selector) && Object.keys(spec.selector).length === 0;
  if (!isEmpty && !selects(spec.selector, labels)) {
    const detail = '`selector` does not match template `labels`';
    errors.invalid('spec.template.metadata.labels', shownLabels(labels), detail);
  }
  errors.push(...validateLabels(labels, 'spec.template.metadata.labels'));
  // Only stateful sets have any; their pods get a volume of each, whatever the template has under its name.
  const claims = asObjects(spec.volumeClaimTemplates).map((claim) => asString(asJson(claim.metadata).name));
  errors.push(...validatePodSpec(asJson(template.spec), 'spec.template.spec', claims));
  const policy = asString(asJson(template.spec).restartPolicy);
  errors.oneOf('spec.template.spec.restartPolicy', policy, options.restartPolicies);
  return errors;
}

/** Problems of a selector that has to be there and must not be empty. */
function validateSelector(selector: unknown, path: string, kind: string): FieldError[] {
  if (!isJson(selector)) return [requiredField(path)];
  const expressions = asObjects(selector.matchExpressions);
  if (Object.keys(asJson(selector.matchLabels)).length + expressions.length === 0) {
    return [invalidField(path, shownSelector(selector), `empty selector is invalid for ${kind}`)];
  }
  return validateSelectorParts(selector, path);
}

function selects(selector: unknown, labels: unknown): boolean {
  // Decoded with the type of a LabelSelector.
  return matchesSelector(selector as LabelSelector, labels as Record<string, string>);
}

/** A selector cannot change: the objects it selected would be left behind. */
export function immutableSelector(object: ApiObject, old: ApiObject): FieldError[] {
  const after = asJson(object.spec).selector;
  return semanticallyEqual(after, asJson(old.spec).selector)
    ? []
    : [invalidField('spec.selector', shownSelector(after), 'field is immutable')];
}

export function numberAt(...path: readonly string[]): (object: ApiObject) => number {
  return (object) => asNumber(valueAt(object, ...path));
}

/** Names and images of the containers of the pod specification at a path. */
export function containerColumns(path: readonly string[], options: { readonly wide?: boolean }): Column[] {
  const each = (field: string) => (object: ApiObject) =>
    asObjects(valueAt(object, ...path, 'containers'))
      .map((container) => asString(container[field]))
      .join(',');
  return [column('Containers', each('name'), options), column('Images', each('image'), options)];
}

/** The wide columns of workloads: containers, images and selector. */
export function templateColumns(): readonly Column[] {
  return [
    ...containerColumns(['spec', 'template', 'spec'], { wide: true }),
    column('Selector', (object) => formatSelector(valueAt(object, 'spec', 'selector')), { wide: true }),
  ];
}

/** A LabelSelector object as text; `<none>` when it is absent. */
export function formatSelector(selector: unknown): string {
  if (!isJson(selector)) return '<none>';
  // A replication controller's selector is a plain map.
  const isPlain = Object.values(selector).every((value) => typeof value === 'string');
  const whole = isPlain ? { matchLabels: selector } : selector;
  try {
    // Decoded with the type of a LabelSelector.
    const compiled = compileLabelSelector(whole as LabelSelector) ?? [];
    return compiled.length === 0 ? '<none>' : formatLabelSelector(compiled);
  } catch (error) {
    if (error instanceof LabelSelectorError) return '<error>';
    throw error;
  }
}

/** Problems of the counts in a status: none negative, none larger than what it is a part of. */
export function validateReplicaStatus(object: ApiObject): FieldError[] {
  const status = asJson(object.status);
  const errors = new FieldErrors();
  const at = (field: string): number => asNumber(status[field]);
  errors.counts('status', status, ['observedGeneration', ...COUNTS, 'unavailableReplicas']);
  for (const field of COUNTS.slice(1)) {
    if (at(field) > at('replicas')) {
      errors.invalid(`status.${field}`, at(field), 'cannot be greater than status.replicas');
    }
  }
  if (at('availableReplicas') > at('readyReplicas')) {
    errors.invalid(
      'status.availableReplicas',
      at('availableReplicas'),
      'cannot be greater than readyReplicas',
    );
  }
  return errors;
}

const COUNTS = ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'];
