/** k8sProbe: looks whether objects exist, creates one, or deletes some. */

import { ManifestError, parseManifest } from '@turnsole/kube/apply/parse-manifest';
import { ApiError, isNotFound, unless } from '@turnsole/kube/client/errors';
import type { NewObject, RequestOptions } from '@turnsole/kube/client/types';
import { type KubeObject, objectKey } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { type FieldError, invalid } from '@turnsole/kube/schema/field-error';
import { splitList } from '@turnsole/kube/text/split-list';
import type { K8sProbeInputs, Probe } from '../../api/schema/probe.ts';
import type { K8sOperation } from '../../api/schema/vocabulary.ts';
import { errorCode, failureCode } from './codes.ts';
import { discoverResource } from './discovery.ts';
import type { Measurement } from './outcome.ts';
import type { MeasureContext, ProbeKind } from './probe-kind.ts';

const KEY = 'k8sProbe/inputs';
const TYPE = 'k8sProbe';
/** Names in a message; the rest is counted. */
const NAMES_SHOWN = 10;

/** The objects that a probe is about, with templates replaced. */
interface Selection {
  /** Empty: the selectors choose alone. */
  readonly names: readonly string[];
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

/** One probe with its client, ready to ask. */
interface Query extends Selection {
  readonly context: MeasureContext;
  readonly resource: Resource;
  /** For requests: without a namespace where the resource has none. */
  readonly request: RequestOptions;
  /** For messages: `pods in namespace shop (app=web)`. */
  readonly what: string;
}

/** Gives the type; see {@link ProbeKind}. The served kinds of the API server are asked for once per resource. */
export function createK8sProbe(): ProbeKind {
  const resources = new Map<string, Resource>();
  const discover = async (inputs: K8sProbeInputs, { client, signal }: MeasureContext): Promise<Resource> => {
    const name = { group: inputs.group ?? '', version: inputs.version, plural: inputs.resource };
    const key = `${name.group}/${name.version}/${name.plural}`;
    const resource = resources.get(key) ?? (await discoverResource(client, name, { signal }));
    resources.set(key, resource);
    return resource;
  };
  return {
    check,
    subject: (probe) => {
      const { operation, resource, namespace = '' } = probe[KEY] ?? {};
      return `${operation} of ${resource}${namespace === '' ? '' : ` in namespace ${namespace}`}`;
    },
    changesState: (probe) => ['create', 'delete'].includes(probe[KEY]?.operation ?? ''),
    async measure(probe, context) {
      const inputs = probe[KEY];
      if (inputs === undefined) throw new Error(`${KEY} is missing`);
      const resource = await discover(inputs, context);
      const query = buildQuery(inputs, resource, context);
      return OPERATIONS[inputs.operation](query, probe);
    },
  };
}

/** The manifest of an object to create is read here and not by admission, which loads no YAML. */
async function check(probe: Probe): Promise<FieldError[]> {
  const { data = '' } = probe;
  if (probe[KEY]?.operation !== 'create') return [];
  try {
    await parseManifest(data);
    return [];
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    return [invalid(['data'], data, error.message)];
  }
}

function buildQuery(inputs: K8sProbeInputs, resource: Resource, context: MeasureContext): Query {
  const names = splitList(renderChoice(inputs, 'resourceNames', context));
  const labelSelector = renderChoice(inputs, 'labelSelector', context);
  const fieldSelector = renderChoice(inputs, 'fieldSelector', context);
  const namespace = resource.namespaced ? (inputs.namespace ?? '').trim() : '';
  const where = namespace === '' ? '' : ` in namespace ${namespace}`;
  const filters = [shorten(names), labelSelector, fieldSelector].filter(Boolean);
  const which = filters.length === 0 ? '' : ` (${filters.join('; ')})`;
  return {
    context,
    resource,
    names,
    labelSelector,
    fieldSelector,
    request: { signal: context.signal, namespace: namespace || undefined },
    what: `${resource.plural}${where}${which}`,
  };
}

/** A choice that was written but becomes empty would choose everything; a user never means that. */
function renderChoice(
  inputs: K8sProbeInputs,
  field: 'resourceNames' | 'labelSelector' | 'fieldSelector',
  { render }: MeasureContext,
): string {
  const written = inputs[field] ?? '';
  const rendered = render(written).trim();
  if (written.trim() !== '' && rendered.replaceAll(',', '').trim() === '') {
    throw new Error(`${KEY}.${field} '${written}' comes out empty and would choose every ${inputs.resource}`);
  }
  return rendered;
}

const OPERATIONS: Readonly<Record<K8sOperation, (query: Query, probe: Probe) => Promise<Measurement>>> = {
  async present(query) {
    const { found, missing } = await find(query);
    if (missing.length > 0) return failure('not found', `${query.what}: not found: ${shorten(missing)}`);
    return found.length > 0 ? passed('present') : failure('not found', `${query.what}: none found`);
  },
  async absent(query) {
    const { found } = await find(query);
    return found.length === 0
      ? passed('absent')
      : failure('still there', `${query.what}: still there: ${keys(found)}`);
  },
  async create(query, probe) {
    const object = await parseManifest(probe.data ?? '');
    return await create(query, object);
  },
  async delete(query) {
    const { found, missing } = await find(query);
    if (missing.length > 0) return error(`cannot delete ${query.what}: not found: ${shorten(missing)}`);
    if (found.length === 0) return error(`cannot delete ${query.what}: none found`);
    return await remove(query, found);
  },
};

/** The objects that exist, and the names that do not. */
async function find(query: Query): Promise<{ found: readonly KubeObject[]; missing: readonly string[] }> {
  const { context, resource, names, labelSelector, fieldSelector, request } = query;
  if (names.length > 0) requireNamespace(query);
  // All that was written must hold: an object with the name and without the label is not the one that is asked for.
  if (names.length === 0 || labelSelector !== '' || fieldSelector !== '') {
    const { items } = await context.client.list<KubeObject>(resource, {
      ...request,
      ...(labelSelector === '' ? {} : { labelSelector }),
      ...(fieldSelector === '' ? {} : { fieldSelector }),
    });
    if (names.length === 0) return { found: items, missing: [] };
    const found = items.filter(({ metadata }) => names.includes(metadata.name));
    return { found, missing: names.filter((name) => !found.some(({ metadata }) => metadata.name === name)) };
  }
  const objects = await Promise.all(
    names.map((name) => context.client.find<KubeObject>(resource, name, request)),
  );
  return {
    found: objects.filter((object) => object !== undefined),
    missing: names.filter((_, index) => objects[index] === undefined),
  };
}

/** Without a namespace a namespaced object has no name of its own. */
function requireNamespace({ resource, request, what }: Query): void {
  if (resource.namespaced && request.namespace === undefined) {
    throw new Error(
      `${what}: ${KEY}.namespace is missing; ${resource.plural} are found by name in a namespace only`,
    );
  }
}

async function create(query: Query, object: NewObject<KubeObject>): Promise<Measurement> {
  const { context, resource, request } = query;
  const namespace = request.namespace ?? (resource.namespaced ? object.metadata.namespace : undefined);
  const options = { ...request, namespace };
  if (resource.namespaced && namespace === undefined) {
    throw new Error(`${query.what}: ${KEY}.namespace is missing, and the manifest names none`);
  }
  try {
    await context.client.create(resource, object, options);
    return passed('create');
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    return failure('refused', `cannot create ${query.what}: ${cause.message}`);
  }
}

async function remove(
  { context, resource, what }: Query,
  objects: readonly KubeObject[],
): Promise<Measurement> {
  try {
    await Promise.all(
      objects.map(async ({ metadata: { name, namespace } }) => {
        const options = { signal: context.signal, namespace };
        // Gone meanwhile: that is what was wanted.
        await unless(isNotFound, context.client.delete(resource, name, options));
      }),
    );
    return passed('delete');
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    return failure('refused', `cannot delete ${what}: ${cause.message}`);
  }
}

function keys(objects: readonly KubeObject[]): string {
  return shorten(objects.map(objectKey));
}

function shorten(names: readonly string[]): string {
  const rest = names.length - NAMES_SHOWN;
  return names.slice(0, NAMES_SHOWN).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

function passed(operation: K8sOperation): Measurement {
  const description = `Probe successfully performed the '${operation}' operation on the specified Kubernetes resource`;
  return { outcome: 'passed', description };
}

function failure(kind: string, reason: string): Measurement {
  return { outcome: 'failure', code: failureCode(TYPE), reason, failure: kind };
}

function error(reason: string): Measurement {
  return { outcome: 'error', code: errorCode(TYPE), reason };
}
