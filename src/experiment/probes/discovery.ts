import { isNotFound } from '@turnsole/kube/client/errors';
import type { RequestOptions } from '@turnsole/kube/client/types';
import { type ApiResourceList, apiVersionOf, type Resource } from '@turnsole/kube/kinds/resources';

/** The part of a client that discovery needs. */
interface DiscoveryClient {
  raw<T = unknown>(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<T>;
}

/** What a user names of a resource. */
interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** The API server does not serve the resource. */
class UnknownResourceError extends Error {
  override readonly name = 'UnknownResourceError';

  /** @param served the kinds that the server has instead; undefined when it has nothing of that group and version */
  constructor(
    { group, version, plural }: ResourceName,
    served: readonly string[] | undefined,
    options?: ErrorOptions,
  ) {
    const groupVersion = apiVersionOf({ group, version });
    super(
      served === undefined
        ? `the API server does not serve ${groupVersion} (looking for ${plural}); check group and version with 'kubectl api-resources'`
        : `the API server has no resource '${plural}' in ${groupVersion}; use the plural name as 'kubectl api-resources' lists it ` +
            `(there: ${served.join(', ')})`,
      options,
    );
  }
}

/**
 * Gives kind and scope of a resource by asking the API server.
 *
 * @throws UnknownResourceError when it does not serve the resource; ApiError or ConnectionError otherwise
 */
export async function discoverResource(
  client: DiscoveryClient,
  name: ResourceName,
  options: RequestOptions,
): Promise<Resource> {
  const { group, version, plural } = name;
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  let resources: NonNullable<ApiResourceList['resources']>;
  try {
    ({ resources = [] } = await client.raw<ApiResourceList>('GET', path, undefined, options));
  } catch (cause) {
    if (isNotFound(cause)) throw new UnknownResourceError(name, undefined, { cause });
    throw cause;
  }
  const found = resources.find((resource) => resource.name === plural);
  if (found === undefined) {
    throw new UnknownResourceError(
      name,
      resources.map((resource) => resource.name).filter((served) => !served.includes('/')),
    );
  }
  return { group, version, plural, kind: found.kind, namespaced: found.namespaced };
}
