import { isAlreadyExists, isNotFound } from '@turnsole/kube/client/errors';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import type { Fault } from '../fault.ts';
import { fault } from './builders.ts';

/** A fault that is held and leaves a visible trace: a config map per target, named after it. */
export function marker(change: Partial<Fault> = {}): Fault {
  return fault({
    name: 'marker',
    shape: 'sustained',
    inject: async ({ target }, { client, signal }) => {
      const object = { metadata: { name: `marked-${target.name}` } };
      try {
        await client.create(CONFIG_MAPS, object, { namespace: target.namespace ?? '', signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    },
    revert: async ({ target }, { client, signal }) => {
      try {
        await client.delete(CONFIG_MAPS, `marked-${target.name}`, {
          namespace: target.namespace ?? '',
          signal,
        });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
    ...change,
  });
}
