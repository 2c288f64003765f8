/**
 * The schemas that validation works on: plain JSON, in the dialect of CustomResourceDefinitions.
 *
 * Source: OpenAPI v3.0 as Kubernetes narrows it ("structural schema", kubernetes.io, Extend the Kubernetes API with
 * CustomResourceDefinitions, Specifying a structural schema).
 */
export interface StructuralSchema {
  /** `object`, `array`, `string`, `integer`, `number` or `boolean`; absent: anything. */
  readonly type?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;

  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: boolean | StructuralSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;

  readonly items?: StructuralSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;

  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;

  readonly minimum?: number;
  readonly maximum?: number;
  /** Booleans as in OpenAPI v3.0: they sharpen minimum and maximum. */
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;

  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;

  /** Fields not described are kept instead of pruned. */
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  /** The object is a whole Kubernetes object with apiVersion, kind and metadata. */
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  /** `atomic`, `set` or `map`; the items of the last two are unique. */
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  /** `atomic`: applying replaces the object as a whole; `granular`: field by field. */
  readonly 'x-kubernetes-map-type'?: string;
  /** Rules in CEL. What validates here does not evaluate them; the embedded API server does. */
  readonly 'x-kubernetes-validations'?: readonly unknown[];
}

/**
 * The schema of a field by its name, without being fooled by names that every JavaScript object inherits
 * (`constructor`, `__proto__`): a user's object may have such keys.
 */
export function propertySchema(schema: StructuralSchema, key: string): StructuralSchema | undefined {
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** Sets an own field even where the name is `__proto__`, which plain assignment would take as the prototype. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** A shallow copy of own fields, with the same care for `__proto__` (the spread operator defines, it does not assign). */
export function copyOwn(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...object };
}
