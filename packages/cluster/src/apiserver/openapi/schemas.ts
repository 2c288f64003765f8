/** OpenAPI schemas of built-in types, made from the generated tables of types and of their descriptions. */

import { structOf, type Type, type TypeField } from '@turnsole/kube/schema/kubernetes/types';
import type { KindDefinition, ServedVersion } from '../kinds/kind.ts';
import { asJson, clone, type Json } from '../object.ts';
import { type DescribedField, type DescribedType, descriptions } from './descriptions.ts';

/** Where references point: v3 documents and v2 keep their schemas in different places. */
export type RefPrefix = '#/components/schemas/' | '#/definitions/';

const OLDER = '#/definitions/';

/** Where Go has the packages of types that do not begin with `io.k8s.api`. */
const PACKAGES: Readonly<Record<string, string>> = {
  meta: 'apimachinery.pkg.apis',
  apiextensions: 'apiextensions-apiserver.pkg.apis',
  apiregistration: 'kube-aggregator.pkg.apis',
  metrics: 'metrics.pkg.apis',
  resource: 'apimachinery.pkg.api',
  intstr: 'apimachinery.pkg.util',
  runtime: 'apimachinery.pkg',
};

/** `core.v1.Pod` as OpenAPI names it: `io.k8s.api.core.v1.Pod`. */
function schemaName(typeName: string): string {
  const [first = ''] = typeName.split('.', 1);
  return `io.k8s.${PACKAGES[first] ?? 'api'}.${typeName}`;
}

/** Name of a custom kind's schema: the group reversed, the version and the kind. */
function customSchemaName(group: string, version: string, kind: string): string {
  return `${group.split('.').toReversed().join('.')}.${version}.${kind}`;
}

export function gvkOf(definition: KindDefinition, version: string): Json {
  return { group: definition.group, kind: definition.kind, version };
}

/** Collects the schemas of a type and of everything below it. Gives the schema's name. */
export function collectType(typeName: string, into: Json, prefix: RefPrefix): string {
  const name = schemaName(typeName);
  const struct = structOf(typeName);
  if (into[name] !== undefined || struct === undefined) return name;
  const [description, required, fields]: DescribedType = descriptions()[typeName] ?? ['', [], {}];
  const properties: Json = {};
  into[name] = {
    ...(description === '' ? {} : { description }),
    type: 'object',
    ...(required.length === 0 ? {} : { required: [...required] }),
    properties,
  };
  for (const head of isWhole(typeName) ? ['apiVersion', 'kind'] : []) {
    properties[head] = { description: descriptionOf(fields[head]), type: 'string' };
  }
  for (const field of struct.fields.values()) {
    properties[field.name] = {
      ...withDescription(typeSchema(field.type, into, prefix), fields[field.name]),
      ...extensions(field),
    };
  }
  return name;
}

function descriptionOf(described: DescribedField | undefined): string {
  return (typeof described === 'string' ? described : described?.[0]) ?? '';
}

/** The older form has no defaults of references. */
function withDescription(schema: Json, described: DescribedField | undefined): Json {
  const [, values, preset, itemValues] = typeof described === 'string' ? [] : (described ?? []);
  const description = descriptionOf(described);
  const { $ref, ...rest } = schema;
  const isWrapped = typeof $ref === 'string' && !$ref.startsWith(OLDER) && described !== undefined;
  return {
    ...(description === '' ? {} : { description }),
    ...(isWrapped ? { allOf: [{ $ref }], ...rest } : schema),
    ...(values ? { enum: [...values] } : {}),
    ...(preset === undefined || preset === null || (typeof $ref === 'string' && !isWrapped)
      ? {}
      : { default: clone(preset) }),
    ...(itemValues ? { items: { ...asJson(schema.items), enum: [...itemValues] } } : {}),
  };
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
      return { type: 'array', items: itemSchema(type.of, into, prefix) };
    case 'map':
      return { type: 'object', additionalProperties: itemSchema(type.of, into, prefix) };
    case 'struct':
      collectType(type.name, into, prefix);
      return { $ref: `${prefix}${schemaName(type.name)}` };
    case 'scalar': {
      const named = NAMED_SCALARS[type.letter];
      if (named === undefined) return clone(asJson(SCALARS[type.letter] ?? {}));
      return namedScalar(named, into, prefix);
    }
  }
}

/** What lists and maps hold is never absent. */
function itemSchema(type: Type, into: Json, prefix: RefPrefix): Json {
  const schema = typeSchema(type, into, prefix);
  if (type.kind !== 'struct' || prefix === OLDER) return schema;
  return { allOf: [schema], default: {} };
}

function namedScalar({ name, schema, older }: NamedScalar, into: Json, prefix: RefPrefix): Json {
  const full = schemaName(name);
  into[full] ??= {
    description: descriptions()[name]?.[0] ?? '',
    ...clone(asJson(prefix === OLDER ? (older ?? schema) : schema)),
  };
  return { $ref: `${prefix}${full}` };
}

/** By their letters in `types.json`. Any JSON (R) is of no type; as an object, clients that validate would refuse a text. */
const SCALARS: Readonly<Record<string, Json>> = {
  s: { type: 'string' },
  b: { type: 'boolean' },
  i: { type: 'integer', format: 'int32' },
  l: { type: 'integer', format: 'int64' },
  d: { type: 'number', format: 'double' },
  y: { type: 'string', format: 'byte' },
};

/** A type of Go with a form of its own on the wire. */
interface NamedScalar {
  readonly name: string;
  readonly schema: Json;
  /** In documents of the older form, which has no alternatives. @default as in the newer one */
  readonly older?: Json;
}

const NAMED_SCALARS: Readonly<Record<string, NamedScalar>> = {
  T: { name: 'meta.v1.Time', schema: { type: 'string', format: 'date-time' } },
  M: { name: 'meta.v1.MicroTime', schema: { type: 'string', format: 'date-time' } },
  D: { name: 'meta.v1.Duration', schema: { type: 'string' } },
  F: { name: 'meta.v1.FieldsV1', schema: { type: 'object' } },
  Q: {
    name: 'resource.Quantity',
    schema: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    older: { type: 'string' },
  },
  I: {
    name: 'intstr.IntOrString',
    schema: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
    older: { type: 'string', format: 'int-or-string' },
  },
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
    const name = collectType(version.type, into, prefix);
    const schema = asJson(into[name]);
    schema['x-kubernetes-group-version-kind'] = [gvk];
    return name;
  }
  const name = customSchemaName(definition.group, version.name, definition.kind);
  collectType('meta.v1.ObjectMeta', into, prefix);
  const own = clone(asJson(version.schema));
  // A kind's head is described alike wherever it is.
  const { apiVersion, kind, metadata } = descriptions()['core.v1.Pod']?.[2] ?? {};
  const ref = { $ref: `${prefix}${schemaName('meta.v1.ObjectMeta')}` };
  into[name] = {
    ...own,
    properties: {
      ...asJson(own.properties),
      apiVersion: { description: descriptionOf(apiVersion), type: 'string' },
      kind: { description: descriptionOf(kind), type: 'string' },
      metadata: withDescription(ref, descriptionOf(metadata)),
    },
    'x-kubernetes-group-version-kind': [gvk],
  };
  return name;
}
