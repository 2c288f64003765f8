import { userInfo } from 'node:os';
import { isForbidden, isNotFound, unless } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { HALT_NAME, HALT_NAMESPACE, type Halt, haltOf } from '../../chaos/halt.ts';
import { pullLever as pullLeverOf } from '../../engines/pull-lever.ts';
import { CommandError } from '../errors.ts';
import { unlessGone } from '../objects.ts';

/** Where a command works: one namespace, or undefined for the whole cluster. */
export type Scope = string | undefined;

/** Pulls the lever in the name of this system's user; one that is pulled already gets the new reason. */
export async function pullLever(
  client: KubeClient,
  scope: Scope,
  reason: string,
  nowMs: number,
): Promise<Halt> {
  const namespace = scope ?? HALT_NAMESPACE;
  try {
    return await pullLeverOf(client, namespace, { by: userName(), reason, nowMs });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const what = `there is no namespace ${namespace} on this cluster, so chaos cannot be halted in it`;
    throw new CommandError(`${what}; check -n, or halt everywhere with --all`, 'NOT_FOUND', { cause: error });
  }
}

/** Releases the lever; false when it was not pulled. */
export function releaseLever(client: KubeClient, scope: Scope): Promise<boolean> {
  return unlessGone(client.delete(CONFIG_MAPS, HALT_NAME, { namespace: scope ?? HALT_NAMESPACE }));
}

/** The levers that are pulled: all that may be seen, or those that count in one namespace. */
export async function pulledLevers(client: KubeClient, scope: Scope): Promise<Halt[]> {
  const fieldSelector = `metadata.name=${HALT_NAME}`;
  const places = scope === undefined ? [undefined] : [...new Set([HALT_NAMESPACE, scope])];
  const lists = await Promise.all(
    places.map((namespace) =>
      unless(isForbidden, client.list<ConfigMap>(CONFIG_MAPS, { fieldSelector, namespace })),
    ),
  );
  return lists.flatMap((list) => list?.items ?? []).map(haltOf);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry has no name to show.
    return '';
  }
}
