import type { Clock } from '../base/clock.ts';
import { apiVersionOf, type Resource } from '../kinds/resources.ts';
import type { KubeClient, RequestOptions } from './types.ts';

/**
 * How long discovery is believed. A CRD may be upgraded to have a status sub-resource while a client lives, and
 * from then on status written with the object is silently dropped; so the answer must not be kept for ever.
 */
const CACHE_MS = 60_000;

interface ResourceList {
  readonly resources?: readonly { readonly name: string }[];
}

/** Knows, by discovery, which kinds have a status sub-resource. Requests of one group version are shared. */
export class StatusSubresources {
  readonly #discover: (path: string, options: RequestOptions) => Promise<ResourceList>;
  readonly #clock: Clock;
  readonly #byGroupVersion = new Map<string, { readonly at: number; readonly names: Promise<Set<string>> }>();

  constructor(discover: (path: string, options: RequestOptions) => Promise<ResourceList>, clock: Clock) {
    this.#discover = discover;
    this.#clock = clock;
  }

  /** @throws ApiError 404 when the group version is not served at all */
  async has(resource: Resource, options: RequestOptions): Promise<boolean> {
    const names = await this.#names(apiVersionOf(resource), options);
    // A CRD that is not established yet: what will be is not known, so nothing is remembered.
    if (!names.has(resource.plural)) this.#byGroupVersion.delete(apiVersionOf(resource));
    return names.has(`${resource.plural}/status`);
  }

  #names(groupVersion: string, options: RequestOptions): Promise<Set<string>> {
    const known = this.#byGroupVersion.get(groupVersion);
    if (known !== undefined && this.#clock.monotonic() - known.at < CACHE_MS) return known.names;
    const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
    const names = this.#discover(path, options).then(
      (list) => new Set((list.resources ?? []).map((entry) => entry.name)),
    );
    this.#byGroupVersion.set(groupVersion, { at: this.#clock.monotonic(), names });
    names.catch(() => this.#byGroupVersion.delete(groupVersion));
    return names;
  }
}

/** Options for writing nothing but status: by the status sub-resource where the kind has one, else by the object itself. */
export async function statusOptions<Options extends RequestOptions>(
  client: Pick<KubeClient, 'hasStatusSubresource'>,
  resource: Resource,
  options: Options,
): Promise<Options & { readonly subresource?: 'status' }> {
  const has = await client.hasStatusSubresource(resource, options);
  return has ? { ...options, subresource: 'status' } : options;
}
