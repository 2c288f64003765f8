import { type KubeObject, objectKey } from '../kinds/core.ts';
import { isObject } from '../text/json.ts';
import { ManifestError } from './parse-manifest.ts';

/** An object that says what it is. */
export interface TypedObject extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * The objects of a YAML (or JSON) text with any number of documents, in their order. Empty documents are none, and a `List` is its items.
 * The YAML parser is loaded when this is called for the first time.
 *
 * @throws ManifestError when it is no YAML, or a document is no object with apiVersion, kind and a name
 */
export async function parseManifests(text: string): Promise<TypedObject[]> {
  const { parseLenient } = await import('../text/lenient-yaml.ts');
  const { documents, lines } = parseLenient(text);
  return documents.flatMap((document, index) => {
    const place = documents.length === 1 ? 'the manifest' : `document ${index + 1} of the manifest`;
    const [problem] = document.errors;
    if (problem !== undefined) {
      const { line } = lines.linePos(problem.pos[0]);
      throw new ManifestError(`${place} is no valid YAML, line ${line}: ${problem.message}`);
    }
    const value: unknown = document.toJS();
    return value === null || value === undefined ? [] : typedObjects(value, place);
  });
}

/**
 * The object that a value is, or those that a `List` holds. Pure.
 *
 * @param place of the value, for messages
 * @throws ManifestError naming what is missing
 */
export function typedObjects(value: unknown, place: string): TypedObject[] {
  if (!isObject(value)) throw new ManifestError(`${place} is no object, but ${JSON.stringify(value)}`);
  for (const field of ['apiVersion', 'kind']) {
    if (typeof value[field] !== 'string') throw new ManifestError(`${place} has no ${field}`);
  }
  if (value.kind === 'List' && Array.isArray(value.items)) {
    return value.items.flatMap((item, index) => typedObjects(item, `item ${index + 1} of ${place}`));
  }
  if (!isObject(value.metadata) || typeof value.metadata.name !== 'string') {
    throw new ManifestError(`${place} (${String(value.kind)}) has no metadata.name`);
  }
  // Its form is checked by the server that it is for.
  return [value as unknown as TypedObject];
}

/** `Deployment default/web`, for messages. Pure. */
export function nameOf(object: TypedObject): string {
  return `${object.kind} ${objectKey(object)}`;
}
