/**
 * How apply sees a type: which parts are owned separately, which as a whole.
 * Source: kubernetes.io, Server-Side Apply, Merge strategy.
 */

import { isAtomicStruct, type MergeRule, structOf, type Type } from '@turnsole/kube/schema/kubernetes/types';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';

/** `isOptional`: the whole may be absent, so that the manager that adds it owns it besides its parts. */
export type Shape =
  /** Owned as a whole: scalars, atomic lists and maps. */
  | { readonly kind: 'leaf'; readonly isOptional?: boolean }
  /** Named fields; `field` gives undefined for unknown ones. */
  | {
      readonly kind: 'struct';
      readonly isOptional?: boolean;
      /** It has no owner while it has no fields. */
      readonly isNothingIfEmpty?: boolean;
      readonly field: (name: string) => Shape | undefined;
    }
  /** Any keys, each owned separately. */
  | { readonly kind: 'map'; readonly isOptional?: boolean; readonly of: Shape }
  /** A list of scalars, each owned separately. */
  | { readonly kind: 'set'; readonly isOptional?: boolean }
  /** A list of objects that some of their fields identify. */
  | {
      readonly kind: 'list';
      readonly isOptional?: boolean;
      readonly keys: readonly string[];
      readonly of: Shape;
    };

export const LEAF: Shape = { kind: 'leaf' };

/** The shape of a generated type. */
export function shapeOfType(name: string): Shape {
  if (isAtomicStruct(name)) return LEAF;
  return {
    kind: 'struct',
    // It exists whether or not it was given. An owner of all of it would take away labels that others add, such as those of a Job.
    ...(name === 'meta.v1.ObjectMeta' ? { isNothingIfEmpty: true } : {}),
    field: (field) => {
      const found = structOf(name)?.fields.get(field);
      if (found === undefined) return undefined;
      const shape = shapeOf(found.type, found.rule);
      const isOptional = found.type.kind === 'struct' ? found.isPointer : found.omitEmpty;
      return isOptional ? { ...shape, isOptional } : shape;
    },
  };
}

function shapeOf(type: Type, rule: MergeRule): Shape {
  if (rule.topology === 'atomic') return LEAF;
  switch (type.kind) {
    case 'scalar':
      return type.letter === 'R' ? deduced() : LEAF;
    case 'struct':
      return shapeOfType(type.name);
    case 'map':
      return { kind: 'map', of: shapeOf(type.of, NO_RULE) };
    case 'list':
      if (rule.topology === 'set') return { kind: 'set' };
      if (rule.topology !== 'map' || rule.mapKeys === undefined) return LEAF;
      return { kind: 'list', keys: rule.mapKeys, of: shapeOf(type.of, NO_RULE) };
  }
}

const NO_RULE: MergeRule = { strategies: [], mergeKey: undefined, topology: undefined, mapKeys: undefined };

/** The shape of raw JSON: objects by field, all the way down. */
function deduced(): Shape {
  return { kind: 'struct', field: () => deduced() };
}

/** The shape of a custom kind. Metadata is that of every object. */
export function shapeOfCustom(schema: StructuralSchema): Shape {
  const metadata = shapeOfType('meta.v1.ObjectMeta');
  const own = shapeOfSchema(schema);
  return {
    kind: 'struct',
    field: (name) => (name === 'metadata' ? metadata : own.kind === 'struct' ? own.field(name) : deduced()),
  };
}

function shapeOfSchema(schema: StructuralSchema): Shape {
  if (schema['x-kubernetes-map-type'] === 'atomic') return LEAF;
  if (schema.type === 'array') {
    const { items } = schema;
    switch (schema['x-kubernetes-list-type']) {
      case 'set':
        return { kind: 'set' };
      case 'map':
        return {
          kind: 'list',
          keys: schema['x-kubernetes-list-map-keys'] ?? [],
          of: items === undefined ? deduced() : shapeOfSchema(items),
        };
      default:
        return LEAF;
    }
  }
  const { properties, additionalProperties } = schema;
  if (properties !== undefined) {
    return {
      kind: 'struct',
      field: (name) => {
        const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
        return property === undefined ? deduced() : shapeOfSchema(property);
      },
    };
  }
  if (typeof additionalProperties === 'object')
    return { kind: 'map', of: shapeOfSchema(additionalProperties) };
  return schema.type === 'object' || schema.type === undefined ? deduced() : LEAF;
}
