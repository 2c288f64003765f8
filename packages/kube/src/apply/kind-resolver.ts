import { isNotFound } from '../client/errors.ts';
import type { KubeClient } from '../client/types.ts';
import type { ApiResourceList, Resource } from '../kinds/resources.ts';

/** Answers which resource of the cluster serves a kind; discovery documents are read once each. */
export class KindResolver {
  readonly #client: KubeClient;
  readonly #groups = new Map<string, Promise<ApiResourceList | undefined>>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /**
   * The resource of `apiVersion` and `kind`, or a sentence that says what the cluster does serve instead.
   * @throws ApiError, ConnectionError when discovery itself fails.
   */
  async resolve(apiVersion: string, kind: string): Promise<Resource | string> {
    const served = await this.#read(apiVersion);
    if (served === undefined)
      return `the cluster serves no API ${apiVersion}; is a CustomResourceDefinition missing?`;
    const kinds = (served.resources ?? []).filter((resource) => !resource.name.includes('/'));
    const found = kinds.find((resource) => resource.kind === kind);
    if (found === undefined) {
      const known = kinds.map((resource) => resource.kind).sort();
      return `unknown kind ${kind} in ${apiVersion}; known are ${known.join(', ')}`;
    }
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/', 2) : ['', apiVersion];
    return {
      group: group ?? '',
      version: version ?? '',
      plural: found.name,
      kind,
      namespaced: found.namespaced,
    };
  }

  /** Forgets what was read: call after CustomResourceDefinitions changed. */
  forget(): void {
    this.#groups.clear();
  }

  #read(apiVersion: string): Promise<ApiResourceList | undefined> {
    const known = this.#groups.get(apiVersion);
    if (known !== undefined) return known;
    const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const reading = this.#client.raw<ApiResourceList>('GET', path).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      // A failed read must not be remembered: the next object asks again.
      this.#groups.delete(apiVersion);
      throw error;
    });
    this.#groups.set(apiVersion, reading);
    return reading;
  }
}
