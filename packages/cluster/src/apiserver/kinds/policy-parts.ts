/** What policies of expressions have in common: which writes, which parameters, which variables. Source: admissionregistration/v1. */
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { asJson, asObjects, asString, isJson, type Json, setDefault, setDefaults } from '../object.ts';
import { AGE_COLUMN, type Column, column, NAME_COLUMN } from '../tables/column.ts';
import { FieldErrors, forbiddenField, requiredField } from '../validation/field.ts';
import { validateSelectorParts } from '../validation/labels.ts';
import { checkSubdomainName } from '../validation/names.ts';
import { validateConditions, validateExpression, validateRule } from './admission-rules.ts';
import { textAt } from './define.ts';

/** A name that an expression can use. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Names that expressions of a policy may use, but `variables`. */
export function policyVariables(hasParams: boolean): readonly string[] {
  return ['object', 'oldObject', 'request', 'namespaceObject', ...(hasParams ? ['params'] : [])];
}

/**
 * Problems of what all policies have: what they are asked about, and the names in their expressions.
 *
 * @param language of variables: `patch` where they may make parts of patches
 */
export function validatePolicyHead(spec: Json, language?: 'patch'): FieldError[] {
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
    if (asObjects(matchConstraints.resourceRules).length === 0)
      errors.required('spec.matchConstraints.resourceRules');
  } else errors.required('spec.matchConstraints');
  const names = policyVariables(isJson(paramKind));
  errors.push(...validateConditions(asObjects(spec.matchConditions), 'spec.matchConditions', names));
  const known = new Set<string>();
  for (const [index, { name, expression }] of asObjects(spec.variables).entries()) {
    const path = `spec.variables[${index}]`;
    errors.newName(`${path}.name`, asString(name), known, (text) =>
      IDENTIFIER.test(text) ? [] : ['name is not a valid CEL identifier'],
    );
    errors.push(...validateExpression(expression, `${path}.expression`, [...names, 'variables'], language));
  }
  return errors;
}

/** Problems of what all bindings have: their policy, and where they narrow it. */
export function validateBindingHead(spec: Json): FieldError[] {
  const errors = new FieldErrors();
  errors.requiredName('spec.policyName', asString(spec.policyName), checkSubdomainName);
  if (isJson(spec.paramRef)) errors.push(...validateParamRef(spec.paramRef, 'spec.paramRef'));
  if (isJson(spec.matchResources)) errors.push(...validateMatch(spec.matchResources, 'spec.matchResources'));
  return errors;
}

/** The rules by which a policy or a binding says what it is asked about; none where it has no match. */
export function matchRulesOf(match: unknown): Json[] {
  return isJson(match) ? asObjects(match.resourceRules) : [];
}

export const PARAM_KIND_COLUMN: Column = column('ParamKind', (object) =>
  paramKindText(asJson(object.spec).paramKind),
);

export const BINDING_COLUMNS: readonly Column[] = [
  NAME_COLUMN,
  column('PolicyName', textAt('spec', 'policyName')),
  column('ParamRef', (object) => paramRefText(asJson(object.spec).paramRef)),
  AGE_COLUMN,
];

/** Defaults of rules, and of what they leave out. */
export function applyMatchDefaults(match: unknown): void {
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
