import { encodeVersion, type StoreObject, type Version } from '../../store/index.ts';
import type { ApiObject } from '../object.ts';
import type { ServedKind } from './registry.ts';

/** A stored object in the form a version serves it. The input is not changed. */
export function serve(kind: ServedKind, object: ApiObject): ApiObject {
  const { fromStored } = kind.version;
  if (fromStored !== undefined) return fromStored(object);
  if (object.apiVersion === kind.apiVersion) return object;
  return { ...object, apiVersion: kind.apiVersion };
}

/** Bytes of a version as served, made once and shared. */
export function bytesOf(kind: ServedKind, version: Version): Buffer {
  // See objectOf.
  return encodeVersion(version, kind.apiVersion, (object: StoreObject) => serve(kind, object as ApiObject));
}
