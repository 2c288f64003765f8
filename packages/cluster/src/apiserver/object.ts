/**
 * Objects as the API server handles them: JSON whose metadata has been checked at the door (`http/decode.ts`).
 *
 * Until an object is committed its handlers may change it; afterwards it belongs to the store and is immutable.
 */

import type { OwnerReference } from '@turnsole/kube/kinds/core';
import { metaTime } from '@turnsole/kube/text/time';

/** A JSON object of unknown content. */
export type Json = Record<string, unknown>;

/** One manager's fields (server-side apply). */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Json;
  subresource?: string;
}

export interface Metadata {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any object the server keeps. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata: Metadata;
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}

/** Whether a value is a JSON object: neither null nor a list. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or an empty one that is not connected to anything. */
export function asJson(value: unknown): Json {
  return isJson(value) ? value : {};
}

/** The list, or an empty one. */
export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list; anything else in it is left out. */
export function asObjects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** The string, or ''. */
export function asString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The items of a list as strings; '' for others. */
export function asStrings(value: unknown): string[] {
  return asList(value).map(asString);
}

/** The number, or `otherwise`. */
export function asNumber(value: unknown, otherwise = 0): number {
  return typeof value === 'number' ? value : otherwise;
}

/** The object below a field, made and attached when it is missing. */
export function childOf(object: Json, field: string): Json {
  const found = object[field];
  if (isJson(found)) return found;
  const made: Json = {};
  object[field] = made;
  return made;
}

/** Sets a field only where it is absent (undefined or null): the way defaults are given. */
export function setDefault(object: Json, field: string, value: unknown): void {
  if (object[field] === undefined || object[field] === null) object[field] = value;
}

/** Sets the fields that are absent or null. */
export function setDefaults(object: Json, values: Json): void {
  for (const [field, value] of Object.entries(values)) setDefault(object, field, value);
}

/** Value at a path of fields, or undefined. */
export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  let current = object;
  for (const field of path) {
    if (!isJson(current)) return undefined;
    current = current[field];
  }
  return current;
}

/** A deep copy of JSON. Faster than structuredClone for the small objects that are usual here. */
export function clone<T>(value: T): T {
  // The copy has the shape of the original, which the type system cannot follow through the recursion.
  return cloneValue(value) as T;
}

function cloneValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneValue);
  const copy: Json = {};
  for (const key of Object.keys(value)) {
    // Own enumerable field of a JSON object.
    copy[key] = cloneValue((value as Json)[key]);
  }
  return copy;
}

/** Makes an object what it was, but for the ownership of its fields: for a write of one part, which is then put in. */
export function restore(object: ApiObject, old: ApiObject): void {
  const { managedFields } = object.metadata;
  for (const field of Object.keys(object)) if (!(field in old)) delete object[field];
  Object.assign(object, old, { metadata: { ...old.metadata } });
  if (managedFields !== undefined) object.metadata.managedFields = managedFields;
}

/** Equality in which empty objects, empty lists and null count as absent, as Go's omitempty makes it on the wire. */
export function semanticallyEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => semanticallyEqual(item, b[index]));
  }
  if (!isJson(a) || !isJson(b)) return isNothing(a) && isNothing(b);
  for (const key of Object.keys(a)) if (!semanticallyEqual(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (a[key] === undefined && !isNothing(b[key])) return false;
  return true;
}

/** Whether nothing of a value would be on the wire. */
function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJson(value) && Object.values(value).every(isNothing);
}

let lastSecond = Number.NaN;
let lastTimestamp = '';

/** Time as the API writes it: seconds, UTC. Cached, as the same second is written thousands of times: 2 % of a create. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastTimestamp = metaTime(ms);
    lastSecond = second;
  }
  return lastTimestamp;
}
