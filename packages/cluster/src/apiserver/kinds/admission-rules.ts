/** What configurations of webhooks and admission policies have in common: rules, match conditions, expressions. */
import { type FieldError, tooMany } from '@turnsole/kube/schema/field-error';
import { loadedCel } from '../cel/lazy.ts';
import { asList, asString, type Json } from '../object.ts';
import { FieldErrors, invalidField, requiredField } from '../validation/field.ts';
import { checkQualifiedName } from '../validation/names.ts';

/** The group of webhook configurations and admission policies. */
export const ADMISSION_GROUP = 'admissionregistration.k8s.io';
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];
const MAX_CONDITIONS = 64;

/** Problems of a rule: which operations on which resources. */
export function validateRule(rule: Json, path: string): FieldError[] {
  const errors = new FieldErrors();
  const operations = asList(rule.operations);
  if (operations.length === 0) errors.required(`${path}.operations`);
  if (operations.length > 1 && operations.includes('*')) {
    const why = "if '*' is present, must not specify other operations";
    errors.invalid(`${path}.operations`, operations, why);
  }
  for (const [index, operation] of operations.entries()) {
    errors.oneOf(`${path}.operations[${index}]`, operation, OPERATIONS);
  }
  for (const [field, words] of [
    ['apiGroups', "if '*' is present, must not specify other API groups"],
    ['apiVersions', "if '*' is present, must not specify other API versions"],
    ['resources', ''],
  ] as const) {
    const values = asList(rule[field]);
    if (values.length === 0) errors.required(`${path}.${field}`);
    if (words !== '' && values.length > 1 && values.includes('*')) {
      errors.invalid(`${path}.${field}`, values, words);
    }
  }
  errors.oneOf(`${path}.scope`, rule.scope, SCOPES);
  return errors;
}

/** @param variables names that the expressions may use */
export function validateConditions(
  conditions: readonly Json[],
  path: string,
  variables: readonly string[],
): FieldError[] {
  const errors = new FieldErrors();
  const names = new Set<string>();
  if (conditions.length > MAX_CONDITIONS) {
    errors.push({ ...tooMany([], conditions.length, MAX_CONDITIONS), path });
  }
  for (const [index, condition] of conditions.entries()) {
    const at = `${path}[${index}]`;
    errors.newName(`${at}.name`, asString(condition.name), names, checkQualifiedName);
    errors.push(...validateExpression(condition.expression, `${at}.expression`, variables, 'bool'));
  }
  return errors;
}

/**
 * Problems of a required expression. `loadCel` has to be awaited before, as it is for writes of these kinds.
 *
 * @param type that it has to give; `patch`: any, of types of patches too; undefined for any
 */
export function validateExpression(
  value: unknown,
  path: string,
  variables: readonly string[],
  type: 'bool' | 'string' | 'patch' | undefined,
): FieldError[] {
  const expression = asString(value).trim();
  if (expression === '') return [requiredField(path)];
  const mistake = loadedCel()?.expressionMistake(expression, variables, type);
  return mistake === undefined ? [] : [invalidField(path, expression, mistake)];
}
