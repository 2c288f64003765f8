import type { NewObject } from '../client/types.ts';
import type { KubeObject } from '../kinds/core.ts';
import { isObject } from '../text/json.ts';

/** The text is not one manifest; `message` says why. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

/**
 * Gives the one object of a YAML (or JSON) text. The YAML parser is loaded when this is called for the first time.
 *
 * @throws ManifestError when it is no YAML, not exactly one document, or without a name
 */
export async function parseManifest(text: string): Promise<NewObject<KubeObject>> {
  const { parseAllDocuments } = await import('yaml');
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents) || documents.length !== 1) {
    throw new ManifestError(`must be one manifest, found ${Array.isArray(documents) ? documents.length : 0}`);
  }
  const [document] = documents;
  const [problem] = document?.errors ?? [];
  if (problem !== undefined) throw new ManifestError(`no valid YAML: ${problem.message}`);
  const object: unknown = document?.toJS();
  if (!isManifest(object))
    throw new ManifestError('must be an object with metadata.name or metadata.generateName');
  return object;
}

function isManifest(value: unknown): value is NewObject<KubeObject> {
  if (!isObject(value) || !isObject(value.metadata)) return false;
  return typeof value.metadata.name === 'string' || typeof value.metadata.generateName === 'string';
}
