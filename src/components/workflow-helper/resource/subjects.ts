import { findKind } from '@turnsole/kube/apply/find-kind';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { isObject } from '@turnsole/kube/text/json';
import { parseAllDocuments } from 'yaml';
import { HelperError } from '../failure.ts';
import type { ResourceFlags } from './flags.ts';

/** An object that a `resource` template is about. */
export interface Subject {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
  /** As the manifest has it; absent where it is only named. */
  readonly manifest?: KubeObject;
}

/** The documents of a manifest; lists are opened. @throws HelperError for a text that is not YAML */
export function readManifest(text: string): unknown[] {
  const documents = parseAllDocuments(text, { uniqueKeys: false });
  return [...documents].flatMap((document): unknown[] => {
    const [problem] = document.errors;
    if (problem !== undefined) throw new HelperError(`resource.manifest is no YAML: ${problem.message}`);
    const value: unknown = document.toJS();
    if (value === null || value === undefined) return [];
    return isObject(value) && Array.isArray(value['items']) && value['kind'] === 'List'
      ? value['items']
      : [value];
  });
}

/** The objects of manifests. @throws HelperError for one without a kind, or of a kind that the cluster does not serve */
export async function subjectsOf(
  manifests: readonly unknown[],
  client: KubeClient,
  flags: ResourceFlags,
  namespace: string,
): Promise<Subject[]> {
  const kinds = new KindResolver(client);
  const subjects: Subject[] = [];
  for (const manifest of manifests) {
    const { apiVersion, kind, metadata } = isObject(manifest) ? manifest : {};
    if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isObject(metadata))
      throw new HelperError('resource.manifest: an object needs apiVersion, kind and metadata');
    const resource = await kinds.resolve(apiVersion, kind);
    if (typeof resource === 'string') throw new HelperError(`resource.manifest: ${resource}`);
    const name = typeof metadata['name'] === 'string' ? metadata['name'] : '';
    const own = typeof metadata['namespace'] === 'string' ? metadata['namespace'] : undefined;
    subjects.push({
      resource,
      name,
      namespace: resource.namespaced ? (flags.namespace ?? own ?? namespace) : undefined,
      // It has metadata, and a server judges the rest.
      manifest: manifest as KubeObject,
    });
  }
  return subjects;
}

/** The objects that flags name: `pod web`, or a kind with a selector. @throws HelperError */
export async function namedSubjects(
  client: KubeClient,
  { kind = '', names, selector, isAll, namespace: wanted }: ResourceFlags,
  namespace: string,
  signal: AbortSignal,
): Promise<Subject[]> {
  const resource = await findKind(client, kind);
  if (resource === undefined)
    throw new HelperError(`resource.flags: the server doesn't have a resource type ${JSON.stringify(kind)}`);
  const place = resource.namespaced ? (wanted ?? namespace) : undefined;
  if (names.length > 0) return names.map((name) => ({ resource, namespace: place, name }));
  if (selector === undefined && !isAll)
    throw new HelperError(`resource.flags: name an object of ${kind}, or give --selector or --all`);
  const { items } = await client.list<KubeObject>(resource, {
    signal,
    namespace: place,
    labelSelector: selector,
  });
  return items.map(({ metadata }) => ({ resource, namespace: place, name: metadata.name }));
}
