import { isObject } from '../text/json.ts';
import { formatPath, type PathSegment } from './path.ts';
import { propertySchema, type StructuralSchema } from './schema.ts';
import { fold, suggest } from './suggest.ts';

/** A field that the schema does not describe. */
interface UnknownField {
  readonly path: string;
  readonly segments: readonly PathSegment[];
  /**
   * The field that was probably meant: one of the same object (`engineState`), or one level below it
   * (`components.env`). Absent when none is near.
   */
  readonly suggestion?: string;
  /** The place where a field of this name, or such a value, has a meaning: `spec.experiments[0].spec.probe`. */
  readonly belongsAt?: string;
}

/** Whether an unknown field is a known one that is misspelled or at another place: then it is a mistake, and no addition. Pure. */
export function isMistaken({ suggestion, belongsAt }: UnknownField): boolean {
  return suggestion !== undefined || belongsAt !== undefined;
}

/** What is to be said about it, after its path. Pure. */
export function unknownFieldText({
  suggestion,
  belongsAt,
}: Pick<UnknownField, 'suggestion' | 'belongsAt'>): string {
  if (suggestion !== undefined) return `unknown field; did you mean ${JSON.stringify(suggestion)}?`;
  return belongsAt === undefined
    ? 'unknown field, ignored'
    : `means nothing here; it belongs at ${belongsAt}`;
}

/**
 * Fields that no schema describes, also where unknown ones are preserved: for a strict check of what people
 * write, where an unknown field is usually a misspelled or misplaced one. Objects of which nothing is described (free-form ones)
 * are left alone.
 *
 * @param fieldMeant name of the field that a key and its value mean although neither is like it, such as one that an older version of
 * the kind had
 */
export function findUnknownFields(
  schema: StructuralSchema,
  value: unknown,
  fieldMeant: FieldMeant = () => undefined,
): UnknownField[] {
  const found: UnknownField[] = [];
  visit(schema, value, [], { found, root: schema, fieldMeant });
  return found;
}

/** The field that a key and its value mean under another name; undefined where there is none. */
type FieldMeant = (key: string, value: unknown) => string | undefined;

/** What a visit collects, and where fields that it finds might belong. */
interface Walk {
  readonly found: UnknownField[];
  readonly root: StructuralSchema;
  readonly fieldMeant: FieldMeant;
}

const OBJECT_FIELDS = ['apiVersion', 'kind', 'metadata'];

function visit(schema: StructuralSchema, value: unknown, path: PathSegment[], walk: Walk): void {
  if (Array.isArray(value)) {
    if (schema.items === undefined) return;
    for (const [index, item] of value.entries()) visit(schema.items, item, [...path, index], walk);
    return;
  }
  if (!isObject(value)) return;
  const { properties, additionalProperties } = schema;
  for (const key of Object.keys(value)) {
    const child = propertySchema(schema, key);
    const next = child ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (next !== undefined) {
      visit(next, value[key], [...path, key], walk);
    } else if (properties !== undefined && additionalProperties === undefined) {
      if (path.length === 0 && OBJECT_FIELDS.includes(key)) continue;
      walk.found.push(unknownField(schema, value, [...path, key], walk));
    }
  }
}

function unknownField(
  schema: StructuralSchema,
  parent: Readonly<Record<string, unknown>>,
  segments: readonly PathSegment[],
  walk: Walk,
): UnknownField {
  const key = String(segments.at(-1));
  const suggestion = suggestionFor(key, schema, parent);
  const belongsAt =
    suggestion === undefined ? placeFor(key, parent[key], segments.slice(0, -1), walk) : undefined;
  return {
    path: formatPath(segments),
    segments,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(belongsAt === undefined ? {} : { belongsAt }),
  };
}

function suggestionFor(
  key: string,
  schema: StructuralSchema,
  parent: Readonly<Record<string, unknown>>,
): string | undefined {
  const names = Object.keys(schema.properties ?? {});
  // `httpProbe` or `inputs` for `httpProbe/inputs`: of several, the one of the object's type is meant.
  const halves = names.filter((name) => name.includes('/') && name.split('/').includes(key));
  const half = halves.find((name) => name.startsWith(`${String(parent.type)}/`)) ?? halves[0];
  const near = half ?? suggest(key, names);
  if (near !== undefined) return near;
  const below = names.find((name) => {
    const child = propertySchema(schema, name);
    return child !== undefined && propertySchema(child, key) !== undefined;
  });
  return below === undefined ? undefined : `${below}.${key}`;
}

/** A name that has a meaning at more places than this is too common to say where it belongs. */
const MOST_PLACES = 3;

/** Where in the kind such a field has a meaning; indexes of lists are those of the path that was taken. */
function placeFor(
  key: string,
  value: unknown,
  parent: readonly PathSegment[],
  { root, fieldMeant }: Walk,
): string | undefined {
  const all = placesOf(root);
  const meant = fieldMeant(key, value);
  const places = (all.get(fold(meant ?? key)) ?? []).filter(
    ({ schema }) => meant !== undefined || fits(schema, value),
  );
  if (places.length === 0 || places.length > MOST_PLACES) return undefined;
  const [best] = places
    .map(({ path }) => ({ path, common: commonLength(path, parent) }))
    .sort((one, other) => other.common - one.common);
  if (best === undefined) return undefined;
  return formatPath(
    best.path.map((segment, index) =>
      typeof segment === 'number' && typeof parent[index] === 'number' && index <= best.common
        ? parent[index]
        : segment,
    ),
  );
}

/** Whether a value can stand where the schema is. */
function fits({ type, properties }: StructuralSchema, value: unknown): boolean {
  if (Array.isArray(value)) return type === 'array';
  if (isObject(value)) return type === 'object' && properties !== undefined;
  return type !== 'array' && type !== 'object';
}

/** How many segments two paths share from the start; positions in lists count as the same. */
function commonLength(one: readonly PathSegment[], other: readonly PathSegment[]): number {
  const differs = one.findIndex((segment, index) => {
    const opposite = other[index];
    return typeof segment === 'number' ? typeof opposite !== 'number' : segment !== opposite;
  });
  return differs < 0 ? one.length : differs;
}

/** A field of a kind; 0 stands for each item of a list. */
interface Place {
  readonly path: readonly PathSegment[];
  readonly schema: StructuralSchema;
}

/** The places of each schema, which is asked for again and again. */
const places = new WeakMap<StructuralSchema, ReadonlyMap<string, readonly Place[]>>();

/** All that users may write in a kind, by its folded name: not the status, which is written for them. */
function placesOf(root: StructuralSchema): ReadonlyMap<string, readonly Place[]> {
  const known = places.get(root);
  if (known !== undefined) return known;
  const found = new Map<string, Place[]>();
  const spec = propertySchema(root, 'spec');
  if (spec !== undefined) collectPlaces(spec, ['spec'], found);
  places.set(root, found);
  return found;
}

function collectPlaces(
  schema: StructuralSchema,
  path: readonly PathSegment[],
  found: Map<string, Place[]>,
): void {
  if (schema.items !== undefined) collectPlaces(schema.items, [...path, 0], found);
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const place = { path: [...path, name], schema: child };
    found.set(fold(name), [...(found.get(fold(name)) ?? []), place]);
    collectPlaces(child, place.path, found);
  }
}
