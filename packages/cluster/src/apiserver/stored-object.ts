import type { Version } from '../store/index.ts';
import type { ApiObject } from './object.ts';

/** The object of a version. What the store holds came in as an ApiObject. */
export function objectOf(version: Version): ApiObject {
  // The store is generic; everything that the API server commits is an ApiObject.
  return version.object as ApiObject;
}
