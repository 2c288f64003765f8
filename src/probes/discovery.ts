import type { Resource } from '../api/resources.ts';
import type { RequestOptions } from '../kube/client/types.ts';

/** The part of a client that discovery needs. */
export interface DiscoveryClient {
  raw<T = unknown>(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<T>;
}

/** What a user names of a resource. */
export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** meta/v1 APIResourceList, as far as needed. */
interface ApiResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
  }[];
}

/** The API server does not serve the resource. */
export class UnknownResourceError extends Error {
  override readonly name = 'UnknownResourceError';

  constructor({ group, version, plural }: ResourceName, served: readonly string[]) {
    const groupVersion = group === '' ? version : `${group}/${version}`;
    super(
      `the API server has no resource '${plural}' in ${groupVersion}; use the plural name as 'kubectl api-resources' lists it` +
        (served.length === 0 ? '' : ` (there: ${served.join(', ')})`),
    );
  }
}

/**
 * Gives kind and scope of a resource by asking the API server.
 *
 * @throws UnknownResourceError when it serves the version but not the resource; ApiError or ConnectionError otherwise
 */
export async function discoverResource(
  client: DiscoveryClient,
  name: ResourceName,
  options: RequestOptions,
): Promise<Resource> {
  const { group, version, plural } = name;
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const { resources = [] } = await client.raw<ApiResourceList>('GET', path, undefined, options);
  const found = resources.find((resource) => resource.name === plural);
  if (found === undefined) {
    throw new UnknownResourceError(
      name,
      resources.map((resource) => resource.name).filter((served) => !served.includes('/')),
    );
  }
  return { group, version, plural, kind: found.kind, namespaced: found.namespaced };
}
