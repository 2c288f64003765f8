/** Policies whose expressions judge writes, and where they hold. Source: kubernetes.io, Validating Admission Policy; admissionregistration/v1. */
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { asJson, asList, asObjects, asString, isJson, type Json, setDefault } from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { FieldErrors } from '../validation/field.ts';
import { checkQualifiedName } from '../validation/names.ts';
import { ADMISSION_GROUP, validateExpression } from './admission-rules.ts';
import { defineKind, withStatus } from './define.ts';
import type { KindDefinition } from './kind.ts';
import {
  applyMatchDefaults,
  BINDING_COLUMNS,
  PARAM_KIND_COLUMN,
  policyVariables,
  validateBindingHead,
  validatePolicyHead,
} from './policy-parts.ts';

const MAX_AUDIT_ANNOTATIONS = 20;
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const policies = defineKind({
  group: ADMISSION_GROUP,
  plural: 'validatingadmissionpolicies',
  kind: 'ValidatingAdmissionPolicy',
  namespaced: false,
  categories: ['api-extensions'],
  hasGeneration: true,
  hasStatus: true,
  rules: {
    applyDefaults: (object) => {
      const spec = asJson(object.spec);
      setDefault(spec, 'failurePolicy', 'Fail');
      applyMatchDefaults(spec.matchConstraints);
    },
    // Expressions are checked when the policy is written.
    prepareCreate: withStatus({ typeChecking: {} }),
    validate: (object) => validatePolicy(asJson(object.spec)),
  },
  columns: [
    NAME_COLUMN,
    column('Validations', (object) => asList(asJson(object.spec).validations).length, { type: 'integer' }),
    PARAM_KIND_COLUMN,
    AGE_COLUMN,
  ],
});

const bindings = defineKind({
  group: ADMISSION_GROUP,
  plural: 'validatingadmissionpolicybindings',
  kind: 'ValidatingAdmissionPolicyBinding',
  namespaced: false,
  categories: ['api-extensions'],
  hasGeneration: true,
  rules: {
    applyDefaults: (object) => applyMatchDefaults(asJson(object.spec).matchResources),
    validate: (object) => validateBinding(asJson(object.spec)),
  },
  columns: BINDING_COLUMNS,
});

export const VALIDATING_POLICY_KINDS: readonly KindDefinition[] = [policies, bindings];

function validatePolicy(spec: Json): FieldError[] {
  const errors = new FieldErrors();
  errors.push(...validatePolicyHead(spec));
  const names = [...policyVariables(isJson(spec.paramKind)), 'variables'];
  const validations = asObjects(spec.validations);
  const annotations = asObjects(spec.auditAnnotations);
  if (validations.length + annotations.length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item';
    errors.required('spec.validations', why);
    errors.required('spec.auditAnnotations', why);
  }
  for (const [index, validation] of validations.entries()) {
    errors.push(...validateValidation(validation, `spec.validations[${index}]`, names));
  }
  if (annotations.length > MAX_AUDIT_ANNOTATIONS) {
    const why = `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`;
    errors.invalid('spec.auditAnnotations', annotations, why);
  }
  const keys = new Set<string>();
  for (const [index, { key, valueExpression }] of annotations.entries()) {
    const path = `spec.auditAnnotations[${index}]`;
    errors.newName(`${path}.key`, asString(key), keys, checkQualifiedName);
    errors.push(...validateExpression(valueExpression, `${path}.valueExpression`, names, undefined));
  }
  return errors;
}

function validateValidation(validation: Json, path: string, names: readonly string[]): FieldError[] {
  const errors = new FieldErrors();
  const { expression, message, messageExpression, reason } = validation;
  errors.push(...validateExpression(expression, `${path}.expression`, names, 'bool'));
  if (message !== undefined) {
    const text = asString(message);
    if (text.trim() === '') errors.invalid(`${path}.message`, text, 'message must be non-empty if specified');
    if (text.includes('\n')) errors.invalid(`${path}.message`, text, 'message must not contain line breaks');
  }
  if (messageExpression !== undefined)
    errors.push(...validateExpression(messageExpression, `${path}.messageExpression`, names, 'string'));
  if (reason !== undefined) errors.oneOf(`${path}.reason`, reason, REASONS);
  return errors;
}

function validateBinding(spec: Json): FieldError[] {
  const errors = new FieldErrors();
  errors.push(...validateBindingHead(spec));
  const actions = asList(spec.validationActions);
  if (actions.length === 0) errors.required('spec.validationActions');
  for (const [index, action] of actions.entries()) {
    const path = `spec.validationActions[${index}]`;
    errors.oneOf(path, action, ACTIONS);
    if (actions.indexOf(action) < index) errors.duplicate(path, action);
  }
  if (actions.includes('Deny') && actions.includes('Warn')) {
    errors.invalid(
      'spec.validationActions',
      actions,
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    );
  }
  return errors;
}
