/** Validation of affinity terms, in the real server's words. */
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { asJson, asList, asObjects, asString, isJson, type Json, valueAt } from '../object.ts';
import { FieldErrors } from './field.ts';
import { checkQualifiedName } from './names.ts';

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];

/** Problems of `spec.affinity`. */
export function validateAffinity(affinity: unknown, path: string): FieldError[] {
  if (!isJson(affinity)) return [];
  const errors = new FieldErrors();
  const node = asJson(affinity.nodeAffinity);
  const required = node.requiredDuringSchedulingIgnoredDuringExecution;
  if (isJson(required)) {
    const at = `${path}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
    const terms = asObjects(required.nodeSelectorTerms);
    if (terms.length === 0) errors.required(at, 'must have at least one node selector term');
    for (const [index, term] of terms.entries()) errors.push(...validateNodeTerm(term, `${at}[${index}]`));
  }
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const field = 'requiredDuringSchedulingIgnoredDuringExecution';
    for (const [index, term] of asObjects(valueAt(affinity, kind, field)).entries()) {
      errors.push(...validateTopologyKey(term, `${path}.${kind}.${field}[${index}]`));
    }
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
    for (const [index, weighted] of asObjects(valueAt(affinity, kind, preferred)).entries()) {
      const at = `${path}.${kind}.${preferred}[${index}]`;
      const { weight } = weighted;
      if (typeof weight !== 'number' || weight < 1 || weight > 100) {
        errors.invalid(`${at}.weight`, weight ?? 0, 'must be in the range 1-100');
      }
      errors.push(...validateTopologyKey(asJson(weighted.podAffinityTerm), `${at}.podAffinityTerm`));
    }
  }
  return errors;
}

function validateNodeTerm(term: Json, path: string): FieldError[] {
  const errors = new FieldErrors();
  for (const [index, expression] of asObjects(term.matchExpressions).entries()) {
    const at = `${path}.matchExpressions[${index}]`;
    const operator = asString(expression.operator);
    const count = asList(expression.values).length;
    if ((operator === 'In' || operator === 'NotIn') && count === 0) {
      errors.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
    }
    if ((operator === 'Gt' || operator === 'Lt') && count !== 1) {
      errors.required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
    if (!OPERATORS.includes(operator)) {
      errors.invalid(`${at}.operator`, operator, 'not a valid selector operator');
    }
    errors.named(`${at}.key`, asString(expression.key), checkQualifiedName);
  }
  return errors;
}

function validateTopologyKey(term: Json, path: string): FieldError[] {
  const key = asString(term.topologyKey);
  const errors = new FieldErrors();
  if (key === '') errors.required(`${path}.topologyKey`, 'can not be empty');
  errors.named(`${path}.topologyKey`, key, checkQualifiedName);
  return errors;
}
