/** From a CustomResourceDefinition to a kind that the server serves. */

import { applyDefaults } from '@turnsole/kube/schema/defaults';
import { type FieldError, invalid } from '@turnsole/kube/schema/field-error';
import { prune } from '@turnsole/kube/schema/prune';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import { validate } from '@turnsole/kube/schema/structural';
import { evaluateJsonPath, type JsonPath, JsonPathError, parseJsonPath } from '@turnsole/kube/text/json-path';
import { defineKind } from '../kinds/define.ts';
import type { KindDefinition, ScaleRule, ServedVersion } from '../kinds/kind.ts';
import { type ApiObject, asJson, asObjects, asString, asStrings, isJson, type Json } from '../object.ts';
import { AGE_COLUMN, type Cell, type Column, column, NAME_COLUMN } from '../tables/column.ts';
import { formatAge } from '../tables/duration.ts';
import { literal } from '../validation/field.ts';
import { hasRules, rulesOf } from './schema-rules.ts';

/** The kind that a definition defines; undefined while its names are not accepted or nothing is served. */
export function kindOfDefinition(crd: ApiObject): KindDefinition | undefined {
  const spec = asJson(crd.spec);
  const names = asJson(asJson(crd.status).acceptedNames);
  const plural = asString(names.plural);
  const kind = asString(names.kind);
  const declared = asObjects(spec.versions);
  const served = declared.filter((version) => version.served === true);
  if (plural === '' || kind === '' || served.length === 0) return undefined;
  const group = asString(spec.group);
  const stored = asString((declared.find((version) => version.storage === true) ?? served[0])?.name);
  const hasStatus = served.some((version) => isJson(asJson(version.subresources).status));
  const scale = served.map(scaleOf).find((rule) => rule !== undefined);
  return defineKind({
    group,
    plural,
    kind,
    singular: asString(names.singular) || kind.toLowerCase(),
    listKind: asString(names.listKind) || `${kind}List`,
    namespaced: spec.scope === 'Namespaced',
    shortNames: texts(names.shortNames),
    categories: texts(names.categories),
    versions: served.map(servedVersion),
    storedVersion: stored,
    hasGeneration: true,
    hasStatus,
    allowsUnconditionalUpdate: false,
    fields: selectableFields(served),
    scale,
  });
}

function texts(value: unknown): string[] {
  return asStrings(value).filter((text) => text !== '');
}

function servedVersion(version: Json): ServedVersion {
  const schema = schemaOf(version);
  const hasStatus = isJson(asJson(version.subresources).status);
  // A type name is only for built-in kinds; `undefined` hides the one that defineKind would make.
  return {
    name: asString(version.name),
    type: undefined,
    schema,
    decode: (object) => decodeCustom(schema, object),
    validate: (object, old) => validateCustom(schema, object, old),
    ...(hasRules(schema) ? { hasRules: true } : {}),
    columns: columnsOf(version),
    hasStatus,
    ...(version.deprecated === true ? { deprecation: asString(version.deprecationWarning) } : {}),
  };
}

/** The schema of a version; without one, a schema that keeps everything. */
function schemaOf(version: Json): StructuralSchema {
  const found = asJson(version.schema).openAPIV3Schema;
  // Definitions are checked for being structural before they are stored.
  return isJson(found)
    ? (found as StructuralSchema)
    : { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
}

function decodeCustom(
  schema: StructuralSchema,
  object: ApiObject,
): { object: ApiObject; unknown: readonly string[] } {
  const pruned = prune(schema, object);
  // Pruning and defaulting keep apiVersion, kind and metadata of an object as they are.
  const defaulted = applyDefaults(schema, pruned.value) as ApiObject;
  return { object: { ...defaulted, metadata: object.metadata }, unknown: pruned.pruned };
}

function validateCustom(
  schema: StructuralSchema,
  object: ApiObject,
  old: ApiObject | undefined,
): FieldError[] {
  const errors = validate(schema, object, old);
  if (!hasRules(schema)) return errors;
  // Rules rely on values of the declared types.
  if (errors.some(({ type }) => BLOCKING.has(type))) return [...errors, NOT_CHECKED];
  return [...errors, ...(rulesOf(schema)?.evaluate(object, old) ?? [])];
}

const BLOCKING: ReadonlySet<FieldError['type']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const NOT_CHECKED = invalid(
  [],
  literal('null'),
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

/** Columns of a version: the name first, then the declared ones; the age where none are declared. */
function columnsOf(version: Json): readonly Column[] {
  const declared = asObjects(version.additionalPrinterColumns);
  if (declared.length === 0) return [NAME_COLUMN, { ...AGE_COLUMN, type: 'date' }];
  return [NAME_COLUMN, ...declared.map(declaredColumn)];
}

function declaredColumn(declared: Json): Column {
  const path = tryParse(asString(declared.jsonPath));
  const type = asString(declared.type);
  return {
    ...column(asString(declared.name), (object, now) => customCell(path, type, object, now), { type }),
    priority: typeof declared.priority === 'number' ? declared.priority : 0,
    format: asString(declared.format),
    description:
      asString(declared.description) ||
      `Custom resource definition column (in JSONPath format): ${asString(declared.jsonPath)}`,
  };
}

function tryParse(text: string): JsonPath {
  try {
    return parseJsonPath(text);
  } catch (error) {
    if (error instanceof JsonPathError) return [{ kind: 'member', name: '' }];
    throw error;
  }
}

function customCell(path: JsonPath, type: string, object: ApiObject, now: number): Cell {
  const [value] = evaluateJsonPath(path, object);
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'date':
      return typeof value === 'string' ? formatAge(value, now) : null;
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

function scaleOf(version: Json): ScaleRule | undefined {
  const scale = asJson(version.subresources).scale;
  if (!isJson(scale)) return undefined;
  const fields = (text: unknown): string[] =>
    asString(text)
      .split('.')
      .filter((part) => part !== '');
  const selector = asString(scale.labelSelectorPath);
  return {
    specReplicas: fields(scale.specReplicasPath),
    statusReplicas: fields(scale.statusReplicasPath),
    ...(selector === '' ? {} : { selectorText: fields(selector) }),
  };
}

function selectableFields(versions: readonly Json[]): KindDefinition['fields'] {
  const fields: Record<string, (object: ApiObject) => string> = {};
  for (const { jsonPath } of versions.flatMap((version) => asObjects(version.selectableFields))) {
    const text = asString(jsonPath);
    const path = tryParse(text);
    fields[text.replace(/^\./, '')] = (object) => {
      const [value] = evaluateJsonPath(path, object);
      return value === undefined || value === null ? '' : String(value);
    };
  }
  return fields;
}
