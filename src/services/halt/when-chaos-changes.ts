import { isForbidden, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, type Resource } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../../api/index.ts';
import { HALT_NAME } from '../../chaos/halt.ts';
import type { Scope } from './lever.ts';

/** What the state of chaos follows from: engines, what they have in force, workflows, and the safety lever. */
const KINDS: readonly { readonly resource: Resource; readonly fieldSelector?: string }[] = [
  { resource: CHAOS_ENGINES },
  { resource: CHAOS_RESULTS },
  { resource: WORKFLOWS },
  { resource: CONFIG_MAPS, fieldSelector: `metadata.name=${HALT_NAME}` },
];
const LONGEST_MS = 7 * 24 * 3_600_000;

/**
 * Calls `look` at once and whenever engines, results, workflows or the safety lever of a scope have changed, one call at a time, until the
 * signal. Changes during a call lead to one more. Kinds that the cluster does not have, or the user may not see, do not change.
 *
 * @throws the signal's reason · what `look` throws · ApiError, ConnectionError when the cluster cannot be watched any more
 */
export async function whenChaosChanges(
  client: KubeClient,
  scope: Scope,
  signal: AbortSignal,
  look: () => Promise<void>,
): Promise<never> {
  const over = new AbortController();
  const ended = Promise.withResolvers<never>();
  // It is awaited between two looks; until then a rejection must not count as unhandled.
  ended.promise.catch(() => {});
  const onAbort = (): void => ended.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let change = Promise.withResolvers<void>();
  const limits = { namespace: scope, timeoutMs: LONGEST_MS, signal: AbortSignal.any([signal, over.signal]) };
  const note = (): boolean => {
    change.resolve();
    return false;
  };
  const watches = KINDS.map(({ resource, ...selected }) =>
    waitForList<KubeObject>(client, resource, note, { ...limits, ...selected }).catch((error: unknown) => {
      if (!isNotFound(error) && !isForbidden(error)) ended.reject(error);
    }),
  );
  try {
    for (;;) {
      signal.throwIfAborted();
      change = Promise.withResolvers();
      await look();
      await Promise.race([change.promise, ended.promise]);
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    over.abort();
    await Promise.all(watches);
  }
}
