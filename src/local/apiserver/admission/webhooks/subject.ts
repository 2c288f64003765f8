/** What webhooks are asked about: one write, in the form that its client sees. */
import type { ApiObject, Json } from '../../object.ts';
import { toStored } from '../../registry/create.ts';
import { serve } from '../../registry/encode.ts';
import type { WriteContext } from '../../registry/environment.ts';
import type { ServedKind } from '../../registry/registry.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A write before its commit. */
export interface Subject {
  readonly operation: Operation;
  /** The resource as the request named it. */
  readonly kind: ServedKind;
  /** Empty, `status`, `scale`, `eviction`… */
  readonly subresource: string;
  /** The kind of `object` where it is not the resource's: Scale, Eviction, Binding. */
  readonly objectKind: GroupVersionKind | undefined;
  readonly namespace: string;
  /** Empty where the server will choose it. */
  readonly name: string;
  /** As served in `kind`; absent for deletions. */
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
  readonly context: WriteContext;
  /** The `meta.k8s.io/v1` options of the request. */
  readonly options: Json;
}

/** An object of one served form in another; the input is not changed. */
export function inForm(object: ApiObject, from: ServedKind, to: ServedKind): ApiObject {
  if (from === to) return object;
  return serve(to, toStored(from, { ...object }));
}
