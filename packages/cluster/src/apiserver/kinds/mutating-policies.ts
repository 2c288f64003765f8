/** Policies whose expressions change writes, and where they hold. Source: kubernetes.io, Mutating Admission Policy; admissionregistration/v1. */
import type { FieldError } from '@turnsole/kube/schema/field-error';
import { asJson, asList, asObjects, isJson, type Json, setDefault } from '../object.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../tables/column.ts';
import { FieldErrors } from '../validation/field.ts';
import { ADMISSION_GROUP, validateExpression } from './admission-rules.ts';
import { defineKind } from './define.ts';
import type { KindDefinition } from './kind.ts';
import {
  applyMatchDefaults,
  BINDING_COLUMNS,
  matchRulesOf,
  PARAM_KIND_COLUMN,
  policyVariables,
  validateBindingHead,
  validatePolicyHead,
} from './policy-parts.ts';

/** Only what is stored can be changed. */
const OPERATIONS = ['*', 'CREATE', 'UPDATE'];
/** Field of a mutation by its type of patch. */
const FIELDS = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;

const policies = defineKind({
  group: ADMISSION_GROUP,
  plural: 'mutatingadmissionpolicies',
  kind: 'MutatingAdmissionPolicy',
  namespaced: false,
  categories: ['api-extensions'],
  hasGeneration: true,
  rules: {
    applyDefaults: (object) => {
      const spec = asJson(object.spec);
      setDefault(spec, 'failurePolicy', 'Fail');
      applyMatchDefaults(spec.matchConstraints);
    },
    validate: (object) => validatePolicy(asJson(object.spec)),
  },
  columns: [
    NAME_COLUMN,
    column('Mutations', (object) => asList(asJson(object.spec).mutations).length, { type: 'integer' }),
    PARAM_KIND_COLUMN,
    AGE_COLUMN,
  ],
});

const bindings = defineKind({
  group: ADMISSION_GROUP,
  plural: 'mutatingadmissionpolicybindings',
  kind: 'MutatingAdmissionPolicyBinding',
  namespaced: false,
  categories: ['api-extensions'],
  hasGeneration: true,
  rules: {
    applyDefaults: (object) => applyMatchDefaults(asJson(object.spec).matchResources),
    validate: (object) => {
      const spec = asJson(object.spec);
      return [...validateBindingHead(spec), ...operationMistakes(spec.matchResources, 'spec.matchResources')];
    },
  },
  columns: BINDING_COLUMNS,
});

export const MUTATING_POLICY_KINDS: readonly KindDefinition[] = [policies, bindings];

function operationMistakes(match: unknown, path: string): FieldError[] {
  const errors = new FieldErrors();
  for (const rule of matchRulesOf(match)) {
    for (const operation of asList(rule.operations)) {
      errors.oneOf(`${path}.resourceRules.operations`, operation, OPERATIONS);
    }
  }
  return errors;
}

function validatePolicy(spec: Json): FieldError[] {
  const errors = new FieldErrors();
  errors.push(
    ...validatePolicyHead(spec, 'patch'),
    ...operationMistakes(spec.matchConstraints, 'spec.matchConstraints'),
  );
  const names = [...policyVariables(isJson(spec.paramKind)), 'variables'];
  const mutations = asObjects(spec.mutations);
  if (mutations.length === 0) errors.required('spec.mutations', 'mutations must contain at least one item');
  for (const [index, mutation] of mutations.entries()) {
    errors.push(...validateMutation(mutation, `spec.mutations[${index}]`, names));
  }
  if (spec.reinvocationPolicy === undefined) errors.required('spec.reinvocationPolicy');
  else errors.oneOf('spec.reinvocationPolicy', spec.reinvocationPolicy, ['IfNeeded', 'Never']);
  return errors;
}

function validateMutation(mutation: Json, path: string, names: readonly string[]): FieldError[] {
  const errors = new FieldErrors();
  const { patchType } = mutation;
  if (patchType === undefined || patchType === '') {
    errors.required(`${path}.patchType`);
    return errors;
  }
  if (patchType !== 'ApplyConfiguration' && patchType !== 'JSONPatch') {
    errors.oneOf(`${path}.patchType`, patchType, Object.keys(FIELDS));
    return errors;
  }
  const own = FIELDS[patchType];
  const other = own === 'jsonPatch' ? FIELDS.ApplyConfiguration : FIELDS.JSONPatch;
  const patch = mutation[own];
  if (!isJson(patch)) errors.required(`${path}.${own}`, `must be specified when patchType is ${patchType}`);
  else {
    const at = `${path}.${own}.expression`;
    errors.push(...validateExpression(patch.expression, at, names, 'patch'));
  }
  if (mutation[other] !== undefined) {
    const why = `must not be specified when patchType is ${patchType}`;
    errors.invalid(`${path}.${other}`, `{${other}}`, why);
  }
  return errors;
}
