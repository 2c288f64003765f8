import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { WaitTimeoutError, waitForList } from '@turnsole/kube/runtime/wait';
import { parseObject } from '@turnsole/kube/text/json';
import { isOpen } from '../../../api/ledger.ts';
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../../../api/resources.ts';
import type { ChaosEngine } from '../../../api/schema/engine.ts';
import type { ChaosResult } from '../../../api/schema/result.ts';
import { HALT_NAME, HALT_NAMESPACE } from '../../../chaos/halt.ts';
import { describeLeft } from '../../../chaos/recovery/decide-recovery.ts';
import { pullLever } from '../../../engines/pull-lever.ts';
import { done, type Outcome } from './outcome.ts';

/** What halting needs. */
export interface HaltContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Namespace of the infrastructure. */
  readonly namespace: string;
  readonly isClusterScoped: boolean;
  /** How long everything may take to be reverted before the answer lists what is left. @default two minutes */
  readonly limitMs?: number;
}

const LIMIT_MS = 120_000;

/**
 * Pulls the safety lever where the infrastructure reaches, waits until the operator has ended what runs, and answers what was reverted
 * and what was not: the message is JSON text with `reverted` and `left`, lists of what faults act on.
 */
export async function haltChaos(
  externalData: string,
  context: HaltContext,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client } = context;
  const namespace = context.isClusterScoped ? undefined : context.namespace;
  // Asked for before the lever is pulled, so that what goes at once is among what was reverted; but nothing keeps the lever waiting.
  const listing = client.list<ChaosResult>(CHAOS_RESULTS, { namespace, signal });
  listing.catch(() => {});
  const { reason, by } = parseObject(externalData) ?? {};
  // The context's clock is for waits: it may not know that the machine's was set.
  const pull = { reason: String(reason ?? ''), by: String(by ?? ''), nowMs: systemClock.now() };
  await pullLever(client, leverPlace(context), pull, signal);
  const limit = context.clock.now() + (context.limitMs ?? LIMIT_MS);
  const before = openEntries((await listing).items);
  const engines = await waited<ChaosEngine>(CHAOS_ENGINES, (all) => all.every(isEnded));
  const results = await waited<ChaosResult>(CHAOS_RESULTS, (all) => openEntries(all).size === 0);
  const open = openEntries(results);
  const left = [
    ...[...open.values()],
    ...engines
      .filter((engine) => !isEnded(engine))
      .map(({ metadata }) => `run of ChaosEngine ${metadata.namespace}/${metadata.name}`),
  ];
  const reverted = [...before].filter(([id]) => !open.has(id)).map(([, text]) => text);
  return { isDone: left.length === 0, message: JSON.stringify({ reverted, left }) };

  /** All of a kind, as soon as they are so, or as they are when the time is up. */
  async function waited<T extends ChaosEngine | ChaosResult>(
    resource: Parameters<typeof waitForList>[1],
    isSo: (all: readonly T[]) => boolean,
  ): Promise<readonly T[]> {
    const timeoutMs = Math.max(1, limit - context.clock.now());
    try {
      return await waitForList<T>(client, resource, isSo, {
        namespace,
        timeoutMs,
        clock: context.clock,
        signal,
      });
    } catch (error) {
      if (!(error instanceof WaitTimeoutError)) throw error;
      return (await client.list<T>(resource, { namespace, signal })).items;
    }
  }
}

/** Releases the lever; engines that wait for that begin. */
export async function resumeChaos(context: HaltContext, signal: AbortSignal): Promise<Outcome> {
  try {
    await context.client.delete(CONFIG_MAPS, HALT_NAME, { namespace: leverPlace(context), signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return done('chaos is not halted any more');
}

function leverPlace({ isClusterScoped, namespace }: HaltContext): string {
  return isClusterScoped ? HALT_NAMESPACE : namespace;
}

function isEnded({ status }: ChaosEngine): boolean {
  return status?.engineStatus !== 'initialized';
}

/** What may be in force, in words, by the ID of its entry. */
function openEntries(results: readonly ChaosResult[]): ReadonlyMap<string, string> {
  const entries = results.flatMap(({ status }) => Object.values(status?.ledger ?? {}));
  return new Map(entries.filter(isOpen).map((entry) => [entry.id, describeLeft(entry)]));
}
