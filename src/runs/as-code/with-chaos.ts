import { refusedSettings } from './errors.ts';

/**
 * Options of `startCluster`, `shareCluster` and `useCluster` of `@turnsole/cluster`, with what chaos needs of a cluster beside those that are
 * given: its kinds, images that run Turnsole's programs, what nodes say about their machine. `runChaos` then takes that cluster, from
 * whatever process, and brings the operator. A cluster of this package's own `startCluster` has all of that.
 *
 * @param options of such a cluster; its own images, commands and annotations win, its definitions are kept beside those of chaos
 * @throws ChaosError INPUT_REFUSED for what is no object
 *
 * @example
 * const cluster = await startCluster(await withChaos({ nodes: 2 }));
 * const result = await runChaos(cluster, podDelete({ target: 'deployment/web', duration: '15s' }));
 */
export async function withChaos(): Promise<object>;
export async function withChaos<const Options extends object>(options: Options): Promise<Options>;
export async function withChaos(options: unknown = {}): Promise<object> {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const message = 'expected options of startCluster of @turnsole/cluster, such as { nodes: 2 }';
    throw refusedSettings([{ field: 'withChaos.options', message }]);
  }
  const { withChaosOptions } = await import('../../embedded/chaos-options.ts');
  return withChaosOptions(options);
}
