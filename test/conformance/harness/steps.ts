/** Short forms in which scenarios are written. */
import {
  type AwaitStep,
  type CollectStep,
  type Marker,
  PATCH_CONTENT_TYPES,
  type RequestDetails,
  type RequestStep,
  type WatchStep,
} from './scenario.ts';

export function get(path: string, details: RequestDetails = {}): RequestStep {
  return { request: `GET ${path}`, ...details };
}

export function post(path: string, body: unknown, details: RequestDetails = {}): RequestStep {
  return { request: `POST ${path}`, body, ...details };
}

export function put(path: string, body: unknown, details: RequestDetails = {}): RequestStep {
  return { request: `PUT ${path}`, body, ...details };
}

export function patch(
  type: keyof typeof PATCH_CONTENT_TYPES,
  path: string,
  body: unknown,
  details: RequestDetails = {},
): RequestStep {
  const headers = { 'content-type': PATCH_CONTENT_TYPES[type], ...details.headers };
  return { request: `PATCH ${path}`, body, ...details, headers };
}

export function remove(path: string, body?: unknown, details: RequestDetails = {}): RequestStep {
  return { request: `DELETE ${path}`, ...(body === undefined ? {} : { body }), ...details };
}

/** A step that has to succeed and is not compared. */
export function setup<T extends RequestStep | AwaitStep>(step: T): T {
  return { ...step, setup: true };
}

/** Opens a watch; `watch=1` is added to the query. */
export function watch(as: string, path: string, headers?: Readonly<Record<string, string>>): WatchStep {
  const query = path.includes('?') ? '&' : '?';
  return { watch: `${path}${query}watch=1`, as, ...(headers === undefined ? {} : { headers }) };
}

export function collect(
  from: string,
  until: Marker | 'end',
  details: Omit<CollectStep, 'collect' | 'until'> = {},
): CollectStep {
  return { collect: from, until, ...details };
}

export function awaiting(path: string, details: Omit<AwaitStep, 'awaiting'> = {}): AwaitStep {
  return { awaiting: path, ...details };
}

/** Path of a namespaced resource of the core group in the scenario's namespace. */
export function core(plural: string, rest = ''): string {
  return `/api/v1/namespaces/{ns}/${plural}${rest === '' ? '' : `/${rest}`}`;
}

/** Path of a namespaced resource of a group (`apps/v1`) in the scenario's namespace. */
export function apis(groupVersion: string, plural: string, rest = ''): string {
  return `/apis/${groupVersion}/namespaces/{ns}/${plural}${rest === '' ? '' : `/${rest}`}`;
}

/** A config map: the object most scenarios use when the kind does not matter. */
export function configMap(name: string, extra: Readonly<Record<string, unknown>> = {}): object {
  const { metadata, ...rest } = extra;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...(metadata as object | undefined) },
    ...rest,
  };
}

/** A pod that no controller or admission step adds generated parts to. */
export function pod(name: string, extra: Readonly<Record<string, unknown>> = {}): object {
  const { metadata, spec, ...rest } = extra;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...(metadata as object | undefined) },
    spec: {
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image: 'example.com/app:1' }],
      ...(spec as object | undefined),
    },
    ...rest,
  };
}
