/** Defaults, checks and status of CustomResourceDefinitions. Source: kubernetes.io, CustomResourceDefinition v1. */

import {
  type Condition,
  isConditionTrue,
  setCondition,
  setConditionAt,
} from '@turnsole/kube/kinds/conditions';
import type { FieldError } from '@turnsole/kube/schema/field-error';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import { Pattern, PatternError } from '@turnsole/kube/text/pattern';
import type { Rules } from '../kinds/kind.ts';
import {
  type ApiObject,
  asJson,
  asList,
  asObjects,
  asString,
  asStrings,
  childOf,
  isJson,
  type Json,
  setDefault,
  timestamp,
  valueAt,
} from '../object.ts';
import type { KindRegistry } from '../registry/registry.ts';
import { FieldErrors, invalidField, literal, requiredField } from '../validation/field.ts';
import { checkServiceName, checkSubdomainName } from '../validation/names.ts';
import { hasRules, rulesOf } from './schema-rules.ts';

const APPROVAL = 'api-approved.kubernetes.io';

export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** The rules; they need to know which names are taken. */
export function definitionRules(kinds: () => KindRegistry): Rules {
  return {
    applyDefaults,
    prepareCreate: (object, { now }) => {
      acceptNames(object, kinds(), now);
    },
    prepareUpdate: (object, old, { now }) => {
      object.status = old.status;
      acceptNames(object, kinds(), now);
    },
    prepareDeletion: (object, old, now) => {
      const { generation } = old.metadata;
      delete object.metadata.deletionGracePeriodSeconds;
      if (generation !== undefined) object.metadata.generation = generation;
      const terminating: Condition = {
        type: 'Terminating',
        status: 'True',
        lastTransitionTime: timestamp(now),
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      };
      const { status } = object;
      object.status = { ...asJson(status), conditions: setCondition(conditionsOf(status), terminating) };
    },
    validate: (object) => validateDefinition(object),
    validateUpdate,
  };
}

/** Some fields of an established definition cannot change: objects and clients rely on them. */
function validateUpdate(object: ApiObject, old: ApiObject): FieldError[] {
  const isEstablished = isConditionTrue(conditionsOf(old.status), 'Established');
  const fields = isEstablished
    ? [['group'], ['names', 'plural'], ['scope'], ['names', 'kind']]
    : [['group'], ['names', 'plural']];
  return fields.flatMap((path) => {
    const value = valueAt(object.spec, ...path);
    if (value === valueAt(old.spec, ...path)) return [];
    return [invalidField(`spec.${path.join('.')}`, value, 'field is immutable')];
  });
}

function applyDefaults(object: ApiObject): void {
  const spec = asJson(object.spec);
  const names = childOf(spec, 'names');
  const kind = asString(names.kind);
  setDefault(names, 'singular', kind.toLowerCase());
  setDefault(names, 'listKind', `${kind}List`);
  setDefault(spec, 'conversion', { strategy: 'None' });
}

/** Writes the status that the real server's naming controllers would write a moment later. */
function acceptNames(object: ApiObject, kinds: KindRegistry, now: number): void {
  const spec = asJson(object.spec);
  const before = asJson(object.status);
  const { names, conflict } = acceptableNames(object, kinds);
  let conditions = conditionsOf(before);
  const set = (type: string, status: 'True' | 'False', reason: string, message: string): void => {
    conditions = setConditionAt(conditions, { type, status, reason, message }, now);
  };
  if (conflict === undefined) {
    set('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found');
    set('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted');
  } else {
    set('NamesAccepted', 'False', conflict.reason, conflict.message);
    if (!isConditionTrue(conditions, 'Established')) {
      set('Established', 'False', 'NotAccepted', 'not all names are accepted');
    }
  }
  const stored = asObjects(spec.versions).find((version) => version.storage === true);
  const storedVersions = new Set([...asStrings(before.storedVersions), asString(stored?.name)]);
  object.status = {
    ...before,
    conditions,
    acceptedNames: names,
    storedVersions: [...storedVersions].filter((version) => version !== ''),
  };
}

/** Conditions of a status; only this file writes them. */
function conditionsOf(status: unknown): readonly Condition[] {
  return asObjects(asJson(status).conditions) as unknown as readonly Condition[];
}

/** The names that no other definition of the group has, and the last conflict among the rest. */
function acceptableNames(
  object: ApiObject,
  kinds: KindRegistry,
): {
  readonly names: Json;
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
} {
  const spec = asJson(object.spec);
  const wanted = asJson(spec.names);
  const others = kinds
    .definitions()
    .filter(({ group, plural }) => group === spec.group && `${plural}.${group}` !== object.metadata.name);
  const resources = new Set(
    others.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]),
  );
  const taken = new Set(others.flatMap(({ kind, listKind }) => [kind, listKind]));
  const names: Json = { plural: '', kind: '' };
  let conflict: { reason: string; message: string } | undefined;
  for (const [field, reason, used] of [
    ['plural', 'PluralConflict', resources],
    ['singular', 'SingularConflict', resources],
    ['shortNames', 'ShortNamesConflict', resources],
    ['kind', 'KindConflict', taken],
    ['listKind', 'ListKindConflict', taken],
  ] as const) {
    const value = wanted[field];
    const clash = (Array.isArray(value) ? value : [value]).find((name) => used.has(asString(name)));
    if (clash !== undefined) conflict = inUse(reason, asString(clash));
    else if (value !== undefined) names[field] = value;
  }
  if (wanted.categories !== undefined) names.categories = wanted.categories;
  return { names, conflict };
}

function inUse(reason: string, name: string): { reason: string; message: string } {
  return { reason, message: `${JSON.stringify(name)} is already in use` };
}

function validateDefinition(object: ApiObject): FieldError[] {
  const spec = asJson(object.spec);
  const names = asJson(spec.names);
  const errors = new FieldErrors();
  const group = asString(spec.group);
  const plural = asString(names.plural);
  const expected = `${plural}.${group}`;
  // Only at creation: afterwards the parts of the name are immutable by themselves.
  if (object.metadata.resourceVersion === undefined && object.metadata.name !== expected) {
    errors.invalid('metadata.name', object.metadata.name, `must be spec.names.plural+"."+spec.group`);
  }
  const isProtected = /(^|\.)(k8s|kubernetes)\.io$/.test(group);
  if (isProtected && (object.metadata.annotations?.[APPROVAL] ?? '') === '') {
    const detail = `protected groups must have approval annotation "${APPROVAL}", see https://github.com/kubernetes/enhancements/pull/1111`;
    errors.required(`metadata.annotations[${APPROVAL}]`, detail);
  }
  if (group === '') errors.required('spec.group');
  else {
    errors.named('spec.group', group, checkSubdomainName);
    if (!group.includes('.')) errors.invalid('spec.group', group, 'should be a domain with at least one dot');
  }
  if (asString(spec.scope) === '') errors.required('spec.scope');
  else errors.oneOf('spec.scope', spec.scope, ['Cluster', 'Namespaced']);
  errors.push(...validateNames(names), ...validateVersions(spec));
  return errors;
}

function validateNames(names: Record<string, unknown>): FieldError[] {
  const errors = new FieldErrors();
  for (const field of ['plural', 'singular', 'kind', 'listKind']) {
    const value = asString(names[field]);
    const path = `spec.names.${field}`;
    if (value === '') errors.required(path);
    else {
      // Kinds are checked as if they had no capitals.
      const hint = field.toLowerCase().endsWith('kind')
        ? 'may have mixed case, but should otherwise match: '
        : '';
      for (const words of checkServiceName(value.toLowerCase()))
        errors.invalid(path, value, `${hint}${words}`);
    }
    if ((field === 'plural' || field === 'singular') && value !== value.toLowerCase()) {
      errors.invalid(path, value, 'a DNS-1035 label must consist of lower case alphanumeric characters');
    }
  }
  if (names.kind === names.listKind && names.kind !== '') {
    errors.invalid('spec.names.listKind', names.listKind, 'kind and listKind may not be the same');
  }
  return errors;
}

/** Problems of the parts of a schema: each part needs a type, and some settings are forbidden. */
function validateStructure(schema: Json, path: string): FieldError[] {
  const errors = new FieldErrors();
  const check = (child: unknown, at: string, what: string): void => {
    if (!isJson(child)) return;
    const isFree =
      child['x-kubernetes-int-or-string'] === true || child['x-kubernetes-preserve-unknown-fields'] === true;
    if (asString(child.type) === '' && !isFree) {
      errors.required(`${at}.type`, `must not be empty for specified ${what}`);
    }
    errors.push(...validateStructure(child, at));
  };
  if (schema.uniqueItems === true) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.forbidden(`${path}.uniqueItems`, why);
  }
  for (const [name, child] of Object.entries(asJson(schema.properties))) {
    check(child, `${path}.properties[${name}]`, 'object fields');
  }
  check(schema.items, `${path}.items`, 'array items');
  check(schema.additionalProperties, `${path}.additionalProperties`, 'object fields');
  return errors;
}

/** Patterns that cannot be compiled, anywhere in a schema: no object could be checked by them. */
function validatePatterns(schema: Json, path: string): FieldError[] {
  const { pattern } = schema;
  const problem = typeof pattern === 'string' ? patternProblem(pattern) : undefined;
  const words = `must be a valid regular expression, but isn't: ${problem}`;
  const below = [
    ...Object.entries(asJson(schema.properties)).map(
      ([name, child]) => [`properties[${name}]`, child] as const,
    ),
    ...(['items', 'additionalProperties', 'not'] as const).map((name) => [name, schema[name]] as const),
    ...(['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) =>
      asObjects(schema[name]).map((child, index) => [`${name}[${index}]`, child] as const),
    ),
  ];
  return [
    ...(problem === undefined ? [] : [invalidField(`${path}.pattern`, pattern, words)]),
    ...below.flatMap(([at, child]) => (isJson(child) ? validatePatterns(child, `${path}.${at}`) : [])),
  ];
}

function patternProblem(pattern: string): string | undefined {
  try {
    Pattern.read(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

/** Rules that cannot be compiled. */
function validateRules(schema: Json, path: string): FieldError[] {
  // validateStructure reports a value that is no schema; no rules are found in it.
  const structural = schema as StructuralSchema;
  if (!hasRules(structural)) return [];
  const mistakes = rulesOf(structural)?.mistakes ?? [];
  return mistakes.map(({ path: below, value, detail }) =>
    value === undefined
      ? requiredField(`${path}.${below}`, detail)
      : invalidField(`${path}.${below}`, value, detail),
  );
}

function validateVersions(spec: Record<string, unknown>): FieldError[] {
  const errors = new FieldErrors();
  const versions = asObjects(spec.versions);
  const seen = new Set<string>();
  let stored = 0;
  for (const [index, version] of versions.entries()) {
    const path = `spec.versions[${index}]`;
    const name = asString(version.name);
    errors.named(`${path}.name`, name, checkServiceName);
    if (seen.has(name)) errors.duplicate(`${path}.name`, name);
    seen.add(name);
    if (version.storage === true) stored += 1;
    const schema = asJson(version.schema).openAPIV3Schema;
    // A single version's schema stands above the versions, where messages look for it.
    const at = versions.length === 1 ? 'spec.validation.openAPIV3Schema' : `${path}.schema.openAPIV3Schema`;
    if (!isJson(schema)) errors.required(`${path}.schema.openAPIV3Schema`);
    else if (schema.type === 'object')
      errors.push(
        ...validateStructure(schema, at),
        ...validatePatterns(schema, at),
        ...validateRules(schema, at),
      );
    else {
      const words = schema.type === undefined ? undefined : 'must be object at the root';
      errors.push(
        words === undefined
          ? requiredField(`${at}.type`, 'must not be empty at the root')
          : invalidField(`${at}.type`, schema.type, words),
      );
    }
  }
  if (stored !== 1) {
    errors.invalid(
      'spec.versions',
      literal('[]apiextensions.CustomResourceDefinitionVersion{…}'),
      'must have exactly one version marked as storage version',
    );
  }
  if (spec.preserveUnknownFields === true) {
    errors.invalid(
      'spec.preserveUnknownFields',
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    );
  }
  errors.push(...validateConversion(asJson(spec.conversion)));
  return errors;
}

function validateConversion({ strategy, webhook }: Json): FieldError[] {
  const errors = new FieldErrors();
  if (strategy !== 'Webhook') return errors;
  const { clientConfig, conversionReviewVersions } = asJson(webhook);
  if (clientConfig === undefined) {
    const why = 'required when strategy is set to Webhook';
    errors.required('spec.conversion.webhookClientConfig', why);
  }
  if (asList(conversionReviewVersions).length === 0)
    errors.required('spec.conversion.conversionReviewVersions');
  if (errors.length === 0) {
    const why = 'conversion webhooks are not served by the embedded API server; use None';
    errors.forbidden('spec.conversion.strategy', why);
  }
  return errors;
}
