/** The admission policies that are stored, with the bindings by which they hold; compiled once per version of each. */
import type { LabelSelector } from '@turnsole/kube/kinds/core';
import { compileLabelSelector, type ParsedLabelSelector } from '@turnsole/kube/text/label-selector';
import type { Store, Version } from '../../../store/index.ts';
import type { MutationExpressions, PolicyExpressions } from '../../cel/index.ts';
import { asJson, asObjects, asString, asStrings, isJson, type Json } from '../../object.ts';
import { objectOf } from '../../stored-object.ts';
import { conditionsOf, type Rule, rulesOf, type Selection, selectionOf } from '../webhooks/configured.ts';

/** Tables of policies and their bindings. */
interface Tables {
  readonly policies: string;
  readonly bindings: string;
}

const VALIDATING: Tables = {
  policies: 'validatingadmissionpolicies.admissionregistration.k8s.io',
  bindings: 'validatingadmissionpolicybindings.admissionregistration.k8s.io',
};
const MUTATING: Tables = {
  policies: 'mutatingadmissionpolicies.admissionregistration.k8s.io',
  bindings: 'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
};

/** The writes that a policy or a binding is about, without those that it leaves out. */
export interface Constraints extends Selection {
  readonly excluded: readonly Rule[];
}

/** What all policies have. */
export interface Policy {
  readonly name: string;
  readonly constraints: Constraints;
  /** Whether what cannot be evaluated is let through. */
  readonly mayFail: boolean;
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined;
}

/** A policy that judges writes. */
export interface ValidatingPolicy extends Policy, PolicyExpressions {}

/** A policy that changes writes. */
export interface MutatingPolicy extends Policy, MutationExpressions {
  /** Whether it is asked again where the object has changed since. */
  readonly isReinvoked: boolean;
}

export interface Binding {
  readonly name: string;
  readonly policyName: string;
  /** Undefined: all writes that the policy is about. */
  readonly constraints: Constraints | undefined;
  /** None for policies that change writes. */
  readonly actions: readonly string[];
  readonly paramRef: ParamRef | undefined;
}

/** The parameters of a binding, each of which the policy is asked with. */
interface ParamRef {
  /** Undefined: by `selector`. */
  readonly name: string | undefined;
  /** Undefined: that of the write. */
  readonly namespace: string | undefined;
  readonly selector: ParsedLabelSelector;
  /** Whether a write is let through where there are none. */
  readonly mayLack: boolean;
}

/** A policy with its bindings. */
export interface Bound<P extends Policy> {
  readonly policy: P;
  readonly bindings: readonly Binding[];
}

/** Whether any policy is bound. */
export function hasPolicies(store: Store): boolean {
  return areBound(store, VALIDATING) || areBound(store, MUTATING);
}

function areBound(store: Store, { policies, bindings }: Tables): boolean {
  return store.count(policies) > 0 && store.count(bindings) > 0;
}

/** Policies that judge and are bound, in the order of their names. */
export function validatingPolicies(store: Store): readonly Bound<ValidatingPolicy>[] {
  return bound(store, VALIDATING, validatingPolicyOf);
}

/** Policies that change and are bound, in the order of their names. */
export function mutatingPolicies(store: Store): readonly Bound<MutatingPolicy>[] {
  return bound(store, MUTATING, mutatingPolicyOf);
}

function bound<P extends Policy>(
  store: Store,
  tables: Tables,
  compile: (version: Version) => P,
): readonly Bound<P>[] {
  if (!areBound(store, tables)) return [];
  const bindings = byName(store, tables.bindings).map(bindingOf);
  return byName(store, tables.policies).flatMap((version) => {
    const policy = compile(version);
    const own = bindings.filter(({ policyName }) => policyName === policy.name);
    return own.length === 0 ? [] : [{ policy, bindings: own }];
  });
}

function byName(store: Store, table: string): Version[] {
  return [...store.values(table)].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const validatingPolicyOf = oncePerVersion((object, name): ValidatingPolicy => {
  const spec = asJson(object.spec);
  return {
    ...headOf(spec, name),
    validations: asObjects(spec.validations).map((validation) => ({
      expression: asString(validation.expression),
      message: asString(validation.message),
      messageExpression: asString(validation.messageExpression),
      reason: asString(validation.reason),
    })),
    auditAnnotations: asObjects(spec.auditAnnotations).map(({ key, valueExpression }) => ({
      key: asString(key),
      expression: asString(valueExpression),
    })),
  };
});

const mutatingPolicyOf = oncePerVersion((object, name): MutatingPolicy => {
  const spec = asJson(object.spec);
  return {
    ...headOf(spec, name),
    mutations: asObjects(spec.mutations).map((mutation) =>
      mutation.patchType === 'JSONPatch'
        ? { type: 'JSONPatch', expression: asString(asJson(mutation.jsonPatch).expression) }
        : {
            type: 'ApplyConfiguration',
            expression: asString(asJson(mutation.applyConfiguration).expression),
          },
    ),
    isReinvoked: spec.reinvocationPolicy === 'IfNeeded',
  };
});

function headOf(spec: Json, name: string): Policy & Pick<PolicyExpressions, 'conditions' | 'variables'> {
  const { paramKind } = spec;
  return {
    name,
    constraints: constraintsOf(asJson(spec.matchConstraints)),
    mayFail: spec.failurePolicy === 'Ignore',
    paramKind: isJson(paramKind)
      ? { apiVersion: asString(paramKind.apiVersion), kind: asString(paramKind.kind) }
      : undefined,
    conditions: conditionsOf(spec.matchConditions),
    variables: conditionsOf(spec.variables),
  };
}

const bindingOf = oncePerVersion((object, name): Binding => {
  const { policyName, matchResources, validationActions, paramRef } = asJson(object.spec);
  return {
    name,
    policyName: asString(policyName),
    constraints: isJson(matchResources) ? constraintsOf(matchResources) : undefined,
    actions: asStrings(validationActions),
    paramRef: isJson(paramRef) ? paramRefOf(paramRef) : undefined,
  };
});

function constraintsOf(match: Json): Constraints {
  return { ...selectionOf(match, match.resourceRules), excluded: rulesOf(match.excludeResourceRules) };
}

function paramRefOf({ name, namespace, selector, parameterNotFoundAction }: Json): ParamRef {
  return {
    name: asString(name) || undefined,
    namespace: asString(namespace) || undefined,
    selector: isJson(selector) ? (compileLabelSelector(selector as LabelSelector) ?? []) : [],
    mayLack: parameterNotFoundAction === 'Allow',
  };
}

function oncePerVersion<T>(compile: (object: Json, name: string) => T): (version: Version) => T {
  const known = new WeakMap<object, T>();
  return (version) => {
    const object = objectOf(version);
    const compiled = known.get(object) ?? compile(object, version.name);
    known.set(object, compiled);
    return compiled;
  };
}
