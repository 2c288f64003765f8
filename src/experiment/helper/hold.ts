import { CHAOS_RESULTS, type ChaosResult, LABEL_RUN_ID } from '../../api/index.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import type { Clock } from '../../kube/runtime/clock.ts';
import { HelperError } from '../errors.ts';
import { engineOver } from '../lifecycle/engine-over.ts';
import type { Assignment } from './assignment.ts';

/** What a hold looks at. */
export interface HoldOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly assignment: Assignment;
  readonly signal: AbortSignal;
  /** How long the API server may be out of reach, and the experiment without a sign of life. */
  readonly leaseMs: number;
}

/**
 * Holds a fault for its time, and no longer than somebody wants it: ends early when the run is over or replaced, when the engine
 * is stopped or gone, and when the experiment has not renewed its lease (dead-man switch).
 *
 * Ages are measured by this machine's clock alone: a lease that has not changed for its length has run out, whatever time stands
 * in it.
 *
 * @throws HelperError when the API server has been out of reach for the length of the lease: nobody could tell any more
 */
export async function holdWhileWanted(options: HoldOptions, durationMs: number): Promise<void> {
  const { clock, signal, assignment, client, namespace } = options;
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const waits: Promise<unknown>[] = [clock.sleep(durationMs, ended), keepLooking(options, ended)];
  const { engine } = assignment;
  if (engine !== undefined) {
    waits.push(engineOver({ client, clock, namespace, ...engine, signal: ended }));
  }
  // The losers of the race are ended below, and have nothing to say then.
  for (const wait of waits) wait.catch(() => {});
  try {
    await Promise.race(waits);
  } finally {
    over.abort();
  }
}

/** Resolves when the run wants it no more; looks three times per lease. */
async function keepLooking(options: HoldOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, namespace, assignment, leaseMs } = options;
  const beatMs = leaseMs / 3;
  let seenMs = clock.now();
  let lease: { readonly renewTime: string; readonly sinceMs: number } | undefined;
  for (;;) {
    await clock.sleep(Math.max(1, Math.min(beatMs, seenMs + leaseMs - clock.now())), signal);
    let result: ChaosResult | undefined;
    try {
      const request = { namespace, signal, timeoutMs: beatMs };
      result = await client.find<ChaosResult>(CHAOS_RESULTS, assignment.result, request);
    } catch (cause) {
      signal.throwIfAborted();
      if (clock.now() - seenMs < leaseMs) continue;
      const message = `the API server has been out of reach for ${leaseMs / 1000} s; reverting, as nobody can say otherwise`;
      throw new HelperError(message, { cause });
    }
    seenMs = clock.now();
    if (!isWanted(result, assignment)) return;
    const renewTime = result?.status?.lease?.renewTime;
    if (renewTime === undefined) continue;
    if (lease?.renewTime !== renewTime) lease = { renewTime, sinceMs: seenMs };
    else if (seenMs - lease.sinceMs >= leaseMs) return;
  }
}

function isWanted(result: ChaosResult | undefined, { runId }: Assignment): boolean {
  return (
    result?.status?.experimentStatus?.phase === 'Running' && result.metadata.labels?.[LABEL_RUN_ID] === runId
  );
}
