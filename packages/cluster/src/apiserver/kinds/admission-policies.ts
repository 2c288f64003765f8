/** Policies of expressions that admission asks, and where they hold. Source: kubernetes.io, Validating Admission Policy; admissionregistration/v1. */
import type { FieldError } from '@turnsole/kube/schema/field-error';
import {
  asJson,
  asList,
  asObjects,
  asString,
  isJson,
  type Json,
  setDefault,
  setDefaults,
} from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { FieldErrors, forbiddenField, requiredField } from '../validation/field.ts';
import { validateSelectorParts } from '../validation/labels.ts';
import { checkQualifiedName, checkSubdomainName } from '../validation/names.ts';
import { ADMISSION_GROUP, validateConditions, validateExpression, validateRule } from './admission-rules.ts';
import { defineKind, textAt, withStatus } from './define.ts';
import type { KindDefinition } from './kind.ts';

const MAX_AUDIT_ANNOTATIONS = 20;
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];
/** A name that an expression can use. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Names that expressions of a policy may use, but `variables`. */
function policyVariables(hasParams: boolean): readonly string[] {
  return ['object', 'oldObject', 'request', 'namespaceObject', ...(hasParams ? ['params'] : [])];
}

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
    column('ParamKind', (object) => paramKindText(asJson(object.spec).paramKind)),
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
  columns: [
    NAME_COLUMN,
    column('PolicyName', textAt('spec', 'policyName')),
    column('ParamRef', (object) => paramRefText(asJson(object.spec).paramRef)),
    AGE_COLUMN,
  ],
});

export const POLICY_KINDS: readonly KindDefinition[] = [policies, bindings];

function applyMatchDefaults(match: unknown): void {
  if (!isJson(match)) return;
  setDefaults(match, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} });
  for (const rule of rulesOf(match)) setDefault(rule, 'scope', '*');
}

function rulesOf(match: Json): Json[] {
  return [...asObjects(match.resourceRules), ...asObjects(match.excludeResourceRules)];
}

function paramKindText(kind: unknown): string {
  return isJson(kind) ? `${asString(kind.apiVersion)}/${asString(kind.kind)}` : '<unset>';
}

function paramRefText(ref: unknown): string {
  if (!isJson(ref)) return '<unset>';
  const name = asString(ref.name) || '*';
  return ref.namespace === undefined ? name : `${asString(ref.namespace)}/${name}`;
}

function validatePolicy(spec: Json): FieldError[] {
  const errors = new FieldErrors();
  const { paramKind, matchConstraints } = spec;
  errors.oneOf('spec.failurePolicy', spec.failurePolicy, ['Fail', 'Ignore']);
  if (isJson(paramKind)) {
    for (const field of ['apiVersion', 'kind']) {
      if (asString(paramKind[field]) === '') errors.required(`spec.paramKind.${field}`);
    }
  }
  if (isJson(matchConstraints)) {
    errors.push(...validateMatch(matchConstraints, 'spec.matchConstraints'));
    if (asList(matchConstraints.resourceRules).length === 0)
      errors.required('spec.matchConstraints.resourceRules');
  } else errors.required('spec.matchConstraints');
  const names = policyVariables(isJson(paramKind));
  errors.push(...validateConditions(asObjects(spec.matchConditions), 'spec.matchConditions', names));
  errors.push(...validateExpressions(spec, [...names, 'variables']));
  return errors;
}

function validateExpressions(spec: Json, names: readonly string[]): FieldError[] {
  const errors = new FieldErrors();
  const known = new Set<string>();
  for (const [index, { name, expression }] of asObjects(spec.variables).entries()) {
    const path = `spec.variables[${index}]`;
    errors.newName(`${path}.name`, asString(name), known, (text) =>
      IDENTIFIER.test(text) ? [] : ['name is not a valid CEL identifier'],
    );
    errors.push(...validateExpression(expression, `${path}.expression`, names, undefined));
  }
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
  errors.requiredName('spec.policyName', asString(spec.policyName), checkSubdomainName);
  if (isJson(spec.paramRef)) errors.push(...validateParamRef(spec.paramRef, 'spec.paramRef'));
  if (isJson(spec.matchResources)) errors.push(...validateMatch(spec.matchResources, 'spec.matchResources'));
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

function validateParamRef(ref: Json, path: string): FieldError[] {
  const hasName = asString(ref.name) !== '';
  const errors = new FieldErrors();
  if (hasName && ref.selector !== undefined) {
    errors.push(
      forbiddenField(`${path}.name`, 'name and selector are mutually exclusive'),
      forbiddenField(`${path}.selector`, 'name and selector are mutually exclusive'),
    );
  }
  if (!hasName && ref.selector === undefined)
    errors.push(requiredField(path, 'one of name or selector must be specified'));
  if (isJson(ref.selector)) errors.push(...validateSelectorParts(ref.selector, `${path}.selector`));
  if (ref.parameterNotFoundAction === undefined) errors.required(`${path}.parameterNotFoundAction`);
  else errors.oneOf(`${path}.parameterNotFoundAction`, ref.parameterNotFoundAction, ['Allow', 'Deny']);
  return errors;
}

function validateMatch(match: Json, path: string): FieldError[] {
  const errors = new FieldErrors();
  errors.oneOf(`${path}.matchPolicy`, match.matchPolicy, ['Equivalent', 'Exact']);
  for (const field of ['namespaceSelector', 'objectSelector']) {
    errors.push(...validateSelectorParts(asJson(match[field]), `${path}.${field}`));
  }
  for (const field of ['resourceRules', 'excludeResourceRules']) {
    for (const [index, rule] of asObjects(match[field]).entries()) {
      errors.push(...validateRule(rule, `${path}.${field}[${index}]`));
    }
  }
  return errors;
}
