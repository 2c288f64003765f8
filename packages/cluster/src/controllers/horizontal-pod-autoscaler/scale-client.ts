import { ApiError, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { explain } from '@turnsole/kube/controllers/errors';
import { type ApiResourceList, apiVersionOf, type Resource } from '@turnsole/kube/kinds/resources';
import type { HorizontalPodAutoscaler, Scale } from './types.ts';

type TargetReference = NonNullable<HorizontalPodAutoscaler['spec']>['scaleTargetRef'];

/** Reads and writes the scale of whatever has one: workloads, and custom resources with a scale subresource. */
export class ScaleClient {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** The scale of an object; or why it has none, as a sentence. */
  async find(
    reference: TargetReference | undefined,
    namespace: string,
    signal: AbortSignal,
  ): Promise<{ readonly resource: Resource; readonly scale: Scale } | string> {
    const { apiVersion = 'v1', kind = '', name = '' } = reference ?? {};
    try {
      const resource = await this.#resourceOf(apiVersion, kind, signal);
      if (resource === undefined)
        return `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
      const path = `${rootOf(apiVersion)}/namespaces/${namespace}/${resource.plural}/${encodeURIComponent(name)}/scale`;
      return { resource, scale: await this.#client.raw<Scale>('GET', path, undefined, { signal }) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError) return explain(error);
      throw error;
    }
  }

  /** Sets the number of replicas, unless the object has changed since its scale was read. */
  async set(resource: Resource, { metadata }: Scale, replicas: number, signal: AbortSignal): Promise<void> {
    const { name, namespace = '', resourceVersion } = metadata;
    const patch = { metadata: { resourceVersion }, spec: { replicas } };
    await this.#client.patch(resource, name, 'merge', patch, { namespace, subresource: 'scale', signal });
  }

  /** The resource of a kind, by discovery: definitions come and go. */
  async #resourceOf(apiVersion: string, kind: string, signal: AbortSignal): Promise<Resource | undefined> {
    let list: ApiResourceList;
    try {
      list = await this.#client.raw<ApiResourceList>('GET', rootOf(apiVersion), undefined, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
    const found = (list.resources ?? []).find((one) => one.kind === kind && !one.name.includes('/'));
    if (found === undefined || !found.namespaced) return undefined;
    const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const resource = { group, version, plural: found.name, kind, namespaced: true };
    return apiVersionOf(resource) === apiVersion ? resource : undefined;
  }
}

function rootOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}
