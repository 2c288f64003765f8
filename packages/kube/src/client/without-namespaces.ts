import type { Resource } from '../kinds/resources.ts';
import type { KubeClient } from './types.ts';

/**
 * A client whose lists and watches of all namespaces leave some of them out, so that a component works everywhere but there. Requests for
 * objects of one name are left as they are: these are settings, not work.
 */
export function withoutNamespaces(client: KubeClient, names: readonly string[]): KubeClient {
  if (names.length === 0) return client;
  const besides = names.map((name) => `metadata.namespace!=${name}`).join(',');
  const narrowed = <
    Options extends { readonly namespace?: string | undefined; readonly fieldSelector?: string | undefined },
  >(
    resource: Resource,
    options?: Options,
  ): Options | undefined => {
    const { namespace = '', fieldSelector = '' } = options ?? {};
    if (resource.namespaced === false || namespace !== '' || /(?:^|,)metadata\.name==?/.test(fieldSelector))
      return options;
    // The type parameter is what the caller has; only one of its fields is another.
    return { ...options, fieldSelector: [fieldSelector, besides].filter(Boolean).join(',') } as Options;
  };
  const changed: Pick<KubeClient, 'list' | 'watch'> = {
    list: (resource, options) => client.list(resource, narrowed(resource, options)),
    watch: (resource, options) => client.watch(resource, narrowed(resource, options)),
  };
  return new Proxy(client, {
    get: (target, key) => {
      if (key === 'list' || key === 'watch') return changed[key];
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
