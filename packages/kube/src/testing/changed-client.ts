import type { KubeClient } from '../client/types.ts';

/** A client of which a test replaces some methods; the others are its own. */
export function changedClient(client: KubeClient, changed: Partial<KubeClient>): KubeClient {
  return new Proxy(client, {
    get: (target, key) => {
      const value: unknown = Reflect.get(key in changed ? changed : target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
