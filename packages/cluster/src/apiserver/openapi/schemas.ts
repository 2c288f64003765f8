/** OpenAPI schemas of built-in types, made from the generated type table; no descriptions. */

import { structOf, type Type, type TypeField } from '@turnsole/kube/schema/kubernetes/types';
import type { KindDefinition, ServedVersion } from '../kinds/kind.ts';
import { asJson, clone, type Json } from '../object.ts';

/** Where references point: v3 documents and v2 keep their schemas in different places. */
export type RefPrefix = '#/components/schemas/' | '#/definitions/';

/** `core.v1.Pod` as OpenAPI names it: `io.k8s.api.core.v1.Pod`. */
function schemaName(typeName: string): string {
  if (typeName.startsWith('meta.')) return `io.k8s.apimachinery.pkg.apis.${typeName}`;
  if (typeName.startsWith('apiextensions.')) return `io.k8s.apiextensions-apiserver.pkg.apis.${typeName}`;
  return `io.k8s.api.${typeName}`;
}

/** Name of a custom kind's schema: the group reversed, the version and the kind. */
function customSchemaName(group: string, version: string, kind: string): string {
  return `${group.split('.').toReversed().join('.')}.${version}.${kind}`;
}

export function gvkOf(definition: KindDefinition, version: string): Json {
  return { group: definition.group, kind: definition.kind, version };
}

/** Collects the schemas of a type and of everything below it. */
export function collectType(typeName: string, into: Json, prefix: RefPrefix): void {
  const name = schemaName(typeName);
  if (into[name] !== undefined) return;
  const struct = structOf(typeName);
  if (struct === undefined) return;
  const properties: Json = {};
  const schema: Json = { type: 'object', properties };
  into[name] = schema;
  if (isWhole(typeName)) {
    properties.apiVersion = { type: 'string' };
    properties.kind = { type: 'string' };
  }
  const required: string[] = [];
  for (const field of struct.fields.values()) {
    properties[field.name] = { ...typeSchema(field.type, into, prefix), ...extensions(field) };
    if (isRequired(typeName, field)) required.push(field.name);
  }
  if (required.length > 0) schema.required = required;
}

/** Pointers that are required all the same; for other fields their encoding decides. */
const REQUIRED_POINTERS = /^(apps\.v1\.\w+Spec\.selector|networking\.v1\.HTTPIngressPath\.pathType)$/;

function isRequired(typeName: string, { name, omitEmpty, isPointer }: TypeField): boolean {
  if (omitEmpty) return false;
  return !isPointer || REQUIRED_POINTERS.test(`${typeName}.${name}`);
}

/** Whether a type is a kind of its own: it has metadata of an object. */
function isWhole(typeName: string): boolean {
  const metadata = structOf(typeName)?.fields.get('metadata');
  if (metadata?.type.kind !== 'struct' || metadata.type.name !== 'meta.v1.ObjectMeta') return false;
  return !typeName.endsWith('TemplateSpec') && !typeName.endsWith('ClaimTemplate');
}

function extensions({ rule, type }: TypeField): Json {
  const { strategies, mergeKey, topology, mapKeys } = rule;
  const topologyField = type.kind === 'list' ? 'x-kubernetes-list-type' : 'x-kubernetes-map-type';
  return {
    ...(mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': mergeKey }),
    ...(strategies.length === 0 ? {} : { 'x-kubernetes-patch-strategy': strategies.join(',') }),
    ...(topology === undefined || topology === 'granular' ? {} : { [topologyField]: topology }),
    ...(mapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': [...mapKeys] }),
  };
}

function typeSchema(type: Type, into: Json, prefix: RefPrefix): Json {
  switch (type.kind) {
    case 'list':
      return { type: 'array', items: typeSchema(type.of, into, prefix) };
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(type.of, into, prefix) };
    case 'struct':
      collectType(type.name, into, prefix);
      return prefix === '#/definitions/'
        ? { $ref: `${prefix}${schemaName(type.name)}` }
        : { allOf: [{ $ref: `${prefix}${schemaName(type.name)}` }], default: {} };
    case 'scalar':
      return clone(asJson(SCALARS[type.letter] ?? { type: 'object' }));
  }
}

const SCALARS: Readonly<Record<string, Json>> = {
  s: { type: 'string' },
  b: { type: 'boolean' },
  i: { type: 'integer', format: 'int32' },
  l: { type: 'integer', format: 'int64' },
  d: { type: 'number', format: 'double' },
  y: { type: 'string', format: 'byte' },
  T: { type: 'string', format: 'date-time' },
  M: { type: 'string', format: 'date-time' },
  D: { type: 'string' },
  Q: { type: 'string' },
  I: { type: 'string', format: 'int-or-string' },
  // Any JSON is of no type; as an object, clients that validate would refuse a text.
  R: {},
};

/** Collects the schema of a kind in one version and marks it with its kind. Gives the schema's name. */
export function collectKind(
  definition: KindDefinition,
  version: ServedVersion,
  into: Json,
  prefix: RefPrefix,
): string {
  const gvk = gvkOf(definition, version.name);
  if (version.type !== undefined) {
    collectType(version.type, into, prefix);
    const name = schemaName(version.type);
    const schema = asJson(into[name]);
    schema['x-kubernetes-group-version-kind'] = [gvk];
    return name;
  }
  const name = customSchemaName(definition.group, version.name, definition.kind);
  collectType('meta.v1.ObjectMeta', into, prefix);
  const own = clone(asJson(version.schema));
  const metadata = { $ref: `${prefix}${schemaName('meta.v1.ObjectMeta')}` };
  into[name] = {
    ...own,
    properties: {
      ...asJson(own.properties),
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata,
    },
    'x-kubernetes-group-version-kind': [gvk],
  };
  return name;
}
