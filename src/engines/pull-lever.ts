import { isAlreadyExists } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { HALT_NAME, type Halt, haltOf } from '../chaos/halt.ts';

/** Who pulls the lever, and why; both may be empty. */
interface Pull {
  readonly by: string;
  readonly reason: string;
  /** Milliseconds since the epoch, by a clock that people and other programs can compare with theirs. */
  readonly nowMs: number;
}

/**
 * Pulls the safety lever of a namespace. One that is pulled already keeps the time since when it is; a new reason and who gave it replace the
 * old ones, and without a reason they stay.
 *
 * @throws ApiError when the server does not take it, such as for a namespace that does not exist
 */
export async function pullLever(
  client: KubeClient,
  namespace: string,
  { by, reason, nowMs }: Pull,
  signal?: AbortSignal,
): Promise<Halt> {
  const place = { namespace, signal };
  const lever = {
    metadata: { name: HALT_NAME, labels: { 'app.kubernetes.io/managed-by': 'turnsole' } },
    data: { reason, by, since: new Date(nowMs).toISOString() },
  };
  try {
    return haltOf(await client.create<ConfigMap>(CONFIG_MAPS, lever, place));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const patch = reason === '' ? {} : { data: { reason, by } };
    return haltOf(await client.patch<ConfigMap>(CONFIG_MAPS, HALT_NAME, 'merge', patch, place));
  }
}
