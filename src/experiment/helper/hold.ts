import { CHAOS_RESULTS, type ChaosResult, LABEL_RUN_ID } from '../../api/index.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import type { Clock } from '../../kube/runtime/clock.ts';
import { HelperError } from '../errors.ts';
import type { Fault } from '../fault.ts';
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
 * Whether helpers of a fault end with the lease of their experiment: not those that do one thing once. What follows it is waiting,
 * which has to last for longer than an API server that goes down with its node. Pure.
 */
export function followsLease({ shape, once }: Pick<Fault, 'shape' | 'once'>): boolean {
  return shape === 'sustained' || once !== true;
}

/** Looks per lease: a renewal is known to be no older than the look before the one that saw it. */
const LOOKS_PER_LEASE = 6;
/**
 * How much longer than its lease a fault may stay: renewals under load come late. The contract is the lease and 2 s, in which the
 * revert has to find its place as well.
 */
const MARGIN_MS = 1_000;
/** The last look before a revert must have a chance, also where this machine slept through the lease. */
const LAST_LOOK_MS = 500;

/** The API server did not answer for the length of the lease: nobody could say whether the fault is still wanted. */
class OutOfReachError extends HelperError {
  override readonly name = 'OutOfReachError';
}

/**
 * Resolves when nobody wants the fault any more: the run is over or replaced, the engine is stopped or gone. Has to watch from before
 * the fault is in force.
 *
 * Ages are measured by this machine's clock alone: a lease that has not changed for its length has run out, whatever time stands
 * in it. Silence is counted from the last moment that is known to be before it, so that a fault is in force no longer than its
 * lease and a second after the last sign of life.
 *
 * @throws HelperError when the experiment has not renewed its lease, when the API server has been out of reach for its length
 *   (dead-man switch), or when the result is gone: an experiment that lives all the same must not take that for the whole of its
 *   chaos · the signal's reason
 */
export async function wantedNoMore(options: HoldOptions): Promise<void> {
  const { signal, assignment, client, namespace, clock } = options;
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const waits: Promise<unknown>[] = [keepLooking(options, ended)];
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

/**
 * Resolves when nobody wants any more of a fault of which nothing stays in force: for it, an API server out of reach is no reason to
 * end. It injects nothing without it, and nothing has to be reverted.
 *
 * @throws HelperError when the experiment has not renewed its lease, or the result is gone · the signal's reason
 */
export async function wantedNoMoreOnceHeard(options: HoldOptions): Promise<void> {
  for (;;) {
    try {
      return await wantedNoMore(options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof OutOfReachError)) throw error;
    }
  }
}

/** Resolves when the run wants it no more. */
async function keepLooking(options: HoldOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, namespace, assignment, leaseMs } = options;
  const beatMs = leaseMs / LOOKS_PER_LEASE;
  // The server has just stored what is planned.
  let seenMs = clock.now();
  let askedMs = seenMs;
  let patienceMs = beatMs;
  let lease: { readonly renewTime: string | undefined; readonly sinceMs: number } = {
    renewTime: undefined,
    sinceMs: seenMs,
  };
  for (;;) {
    const reachableUntilMs = seenMs + leaseMs;
    const renewedUntilMs = lease.renewTime === undefined ? Infinity : lease.sinceMs + leaseMs + MARGIN_MS;
    const deadlineMs = Math.min(reachableUntilMs, renewedUntilMs);
    const nextMs = Math.min(askedMs + beatMs, deadlineMs);
    await clock.sleep(Math.max(1, nextMs - clock.now()), signal);
    askedMs = clock.now();
    let result: ChaosResult | undefined;
    try {
      // Without an answer nobody knows whether the lease was renewed after all.
      const limitMs = askedMs < renewedUntilMs ? deadlineMs : reachableUntilMs;
      const timeoutMs = Math.max(LAST_LOOK_MS, Math.min(patienceMs, limitMs - askedMs));
      result = await client.find<ChaosResult>(CHAOS_RESULTS, assignment.result, {
        namespace,
        signal,
        timeoutMs,
      });
    } catch (cause) {
      signal.throwIfAborted();
      // A server that is slow answers nobody who breaks off and asks anew all the time.
      patienceMs *= 2;
      if (clock.now() < reachableUntilMs) continue;
      const message = `the API server has been out of reach for ${leaseMs / 1000} s; reverting, as nobody can say otherwise`;
      throw new OutOfReachError(message, { cause });
    }
    if (result === undefined) throw deletedResult(assignment, namespace);
    if (!isWanted(result, assignment)) return;
    const renewTime = result.status?.lease?.renewTime;
    if (renewTime !== lease.renewTime) lease = { renewTime, sinceMs: seenMs };
    else if (clock.now() >= renewedUntilMs) throw silentExperiment(leaseMs);
    seenMs = askedMs;
    patienceMs = beatMs;
  }
}

function silentExperiment(leaseMs: number): HelperError {
  return new HelperError(
    `the experiment has given no sign of life for ${leaseMs / 1000} s, so that the fault was ended before its time was over; ` +
      'look at the pod of the experiment and its node, or raise LEASE_SECONDS',
  );
}

function deletedResult({ result }: Assignment, namespace: string): HelperError {
  return new HelperError(
    `ChaosResult ${namespace}/${result} was deleted, so that the fault was ended before its time was over: nobody could have found it ` +
      'any more; leave results alone while their engines run',
  );
}

/** Whether the run is under way that a helper was started for. Pure. */
export function isWanted({ status, metadata }: ChaosResult, { runId }: Pick<Assignment, 'runId'>): boolean {
  return status?.experimentStatus?.phase === 'Running' && metadata.labels?.[LABEL_RUN_ID] === runId;
}
