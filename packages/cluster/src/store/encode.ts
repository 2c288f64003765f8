import type { StoreObject, Version } from './types.ts';

/**
 * JSON of a version as served under `apiVersion`, made once and shared by every reader.
 *
 * `convert` is called on the first use per API version only; it must be pure.
 */
export function encodeVersion(
  version: Version,
  apiVersion: string,
  convert: (object: StoreObject) => StoreObject,
): Buffer {
  let bytes = version.encoded.get(apiVersion);
  if (bytes === undefined) {
    bytes = Buffer.from(JSON.stringify(convert(version.object)));
    version.encoded.set(apiVersion, bytes);
  }
  return bytes;
}
