import type { CustomResourceDefinition } from '@turnsole/kube/schema/definition';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';

/**
 * The definition with every text field nullable, which changes nothing but that servers take an empty text for it that would refuse
 * it otherwise (docs/decisions/0020): the type is checked as before, and so are patterns, lengths and lists of allowed words. Where a
 * list has no null, null stays refused. Pure.
 */
export function withNullableText(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { spec } = definition;
  const versions = spec.versions.map((version) => {
    const openAPIV3Schema = nullableText(version.schema.openAPIV3Schema);
    return { ...version, schema: { ...version.schema, openAPIV3Schema } };
  });
  return { ...definition, spec: { ...spec, versions } };
}

/** Whether a definition, as a cluster stores it, was made by {@link withNullableText}; no text at all is no sign of it. Pure. */
export function hasNullableText(stored: CustomResourceDefinition): boolean {
  const fields = stored.spec.versions.flatMap(({ schema }) => [...textFields(schema.openAPIV3Schema)]);
  return fields.length > 0 && fields.every(({ nullable }) => nullable === true);
}

function* textFields(schema: StructuralSchema): Generator<StructuralSchema> {
  if (schema.type === 'string') yield schema;
  const { properties = {}, items, additionalProperties } = schema;
  for (const field of Object.values(properties)) yield* textFields(field);
  if (items !== undefined) yield* textFields(items);
  if (typeof additionalProperties === 'object') yield* textFields(additionalProperties);
}

function nullableText(schema: StructuralSchema): StructuralSchema {
  if (schema.type === 'string') return { ...schema, nullable: true };
  const { properties, items, additionalProperties } = schema;
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, nullableText(field)]);
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(fields) }),
    ...(items === undefined ? {} : { items: nullableText(items) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: nullableText(additionalProperties) }
      : {}),
  };
}
