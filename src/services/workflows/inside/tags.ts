import { isObject } from '@turnsole/kube/text/json';

/** Values by the name of a tag: `workflow.parameters.x`, `inputs.parameters.y`, `item`. */
export type Names = ReadonlyMap<string, string>;

const TAG = /\{\{(=?)\s*([\s\S]*?)\s*\}\}/g;

/** A text with the known tags replaced; unknown ones stay. Pure. */
export function replaceTags(text: string, names: Names): string {
  return text.replace(TAG, (tag: string, expression: string, name: string) =>
    expression === '' ? (names.get(name) ?? tag) : tag,
  );
}

/** A value with the known tags of its texts replaced; unknown ones stay. Pure. */
export function replaceTagsIn<T>(value: T, names: Names): T {
  return replaced(value, names) as T;
}

function replaced(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return replaceTags(value, names);
  if (Array.isArray(value)) return value.map((item) => replaced(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replaced(member, names)]));
}

/** Whether a text in a value still has tags. Pure. */
export function hasTags(value: unknown): boolean {
  if (typeof value === 'string') return tagsOf(value).length > 0;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasTags);
}

/** The template tags (`{{…}}`) that are still in a text, each once. Pure. */
function tagsOf(text: string): string[] {
  return [...new Set([...text.matchAll(TAG)].map(([tag]) => tag))];
}

const MARK = 'known-at-run-time-';

/** Texts with tags in them, made such that they can be read as YAML, and the tags that stood there. */
interface Marked {
  readonly text: string;
  readonly tags: readonly string[];
}

/** A text in whose tags a YAML parser sees a name and no mapping. Pure. */
export function markTags(text: string): Marked {
  const tags = tagsOf(text);
  return { tags, text: text.replace(TAG, (tag) => `${MARK}${tags.indexOf(tag)}`) };
}

/** Fields of a value in which a tag stood, with the tags: `spec.experiments[0].spec.components.env[1].value`. Pure. */
export function markedFields(
  value: unknown,
  tags: readonly string[],
  path = '',
): [field: string, tags: string[]][] {
  if (typeof value === 'string') {
    const found = [...value.matchAll(new RegExp(`${MARK}(\\d+)`, 'g'))].map(
      ([, index]) => tags[Number(index)] ?? '',
    );
    return found.length === 0 ? [] : [[path, found]];
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) => markedFields(item, tags, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    markedFields(item, tags, path === '' ? key : `${path}.${key}`),
  );
}
