/** The subject of a review: one write, in the form that its client sees. */

import type { ApiObject, Json } from '../../object.ts';
import { toStored } from '../../registry/create.ts';
import { serve } from '../../registry/encode.ts';
import type { AdmissionAttempt, WriteContext } from '../../registry/environment.ts';
import type { ServedKind } from '../../registry/registry.ts';
import type { ResourceRequest } from '../../request/request.ts';

type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

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

/** The form in which webhooks see an action that is an object of its own: a Scale. Their patches to it are ignored. */
export interface ActionForm {
  readonly kind: GroupVersionKind;
  readonly of: (object: ApiObject) => ApiObject;
}

const OPERATIONS: Readonly<Record<AdmissionAttempt['operation'], Operation>> = {
  create: 'CREATE',
  update: 'UPDATE',
  delete: 'DELETE',
};

/** A pending write as its client would see it. */
export function subjectOfAttempt(
  request: ResourceRequest,
  { operation, object, old, context, namespace, name }: AdmissionAttempt,
  warnings: string[],
  action: ActionForm | undefined,
): Subject {
  const { kind, info } = request;
  const shown = (stored: ApiObject | undefined): ApiObject | undefined => {
    if (stored === undefined) return undefined;
    return action === undefined ? serve(kind, stored) : action.of(stored);
  };
  return {
    operation: OPERATIONS[operation],
    kind,
    subresource: info.subresource,
    namespace,
    name,
    objectKind: action?.kind,
    // Copied: what follows changes it.
    object: shown(object === undefined ? undefined : structuredClone(object)),
    old: shown(old),
    context: { ...context, warnings },
    options: optionsOf(request, operation, context),
  };
}

/** An action that is an object of its own. */
export function subjectOfAction(
  request: ResourceRequest,
  type: string,
  object: ApiObject,
  context: WriteContext,
): Subject {
  const { kind, info } = request;
  const [group = '', version = '', name = ''] = type.split('.');
  return {
    operation: 'CREATE',
    kind,
    subresource: info.subresource,
    objectKind: { group: group === 'core' ? '' : group, version, kind: name },
    namespace: info.namespace,
    name: info.name,
    object,
    old: undefined,
    context,
    options: optionsOf(request, 'create', context),
  };
}

/** An object of one served form in another; the input is not changed. */
export function inForm(object: ApiObject, from: ServedKind, to: ServedKind): ApiObject {
  if (from === to) return object;
  return serve(to, toStored(from, { ...object }));
}

/** The options of a write as webhooks see them. Pure. */
function optionsOf(
  { info, query }: ResourceRequest,
  operation: AdmissionAttempt['operation'],
  context: WriteContext,
): Json {
  const own = { create: 'CreateOptions', update: 'UpdateOptions', delete: 'DeleteOptions' }[operation];
  const kind = info.verb === 'patch' ? 'PatchOptions' : own;
  const isForced = context.isApply === true && query.get('force') === 'true';
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(context.dryRun ? { dryRun: ['All'] } : {}),
    ...(operation === 'delete' || context.fieldManager === '' ? {} : { fieldManager: context.fieldManager }),
    ...(isForced ? { force: true } : {}),
  };
}
