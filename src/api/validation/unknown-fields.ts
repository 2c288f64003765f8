import { isObject } from '../../text/json.ts';
import { formatPath, type PathSegment } from './path.ts';
import { propertySchema, type StructuralSchema } from './schema.ts';
import { suggest } from './suggest.ts';

/** A field that the schema does not describe. */
interface UnknownField {
  readonly path: string;
  readonly segments: readonly PathSegment[];
  /**
   * The field that was probably meant: one of the same object (`engineState`), or one level below it
   * (`components.env`). Absent when none is near: then it is rather an addition than a mistake.
   */
  readonly suggestion?: string;
}

/**
 * Fields that no schema describes, also where unknown ones are preserved: for a strict check of files that people
 * write, where an unknown field is usually a misspelled one. Objects of which nothing is described (free-form ones)
 * are left alone.
 */
export function findUnknownFields(schema: StructuralSchema, value: unknown): UnknownField[] {
  const found: UnknownField[] = [];
  visit(schema, value, [], found, true);
  return found;
}

const OBJECT_FIELDS = ['apiVersion', 'kind', 'metadata'];

function visit(
  schema: StructuralSchema,
  value: unknown,
  path: PathSegment[],
  found: UnknownField[],
  isRoot: boolean,
): void {
  if (Array.isArray(value)) {
    if (schema.items === undefined) return;
    for (const [index, item] of value.entries()) visit(schema.items, item, [...path, index], found, false);
    return;
  }
  if (!isObject(value)) return;
  const { properties, additionalProperties } = schema;
  for (const key of Object.keys(value)) {
    const child = propertySchema(schema, key);
    const next = child ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (next !== undefined) {
      visit(next, value[key], [...path, key], found, false);
    } else if (properties !== undefined && additionalProperties === undefined) {
      if (isRoot && OBJECT_FIELDS.includes(key)) continue;
      found.push(unknownField(schema, [...path, key], key));
    }
  }
}

function unknownField(schema: StructuralSchema, segments: readonly PathSegment[], key: string): UnknownField {
  const properties = schema.properties ?? {};
  const near = suggest(key, Object.keys(properties));
  const below = Object.keys(properties).find((name) => {
    const child = propertySchema(schema, name);
    return child !== undefined && propertySchema(child, key) !== undefined;
  });
  const suggestion = near ?? (below === undefined ? undefined : `${below}.${key}`);
  return { path: formatPath(segments), segments, ...(suggestion === undefined ? {} : { suggestion }) };
}
