import type { Clock } from '@turnsole/kube/base/clock';
import { unlessAborted } from '@turnsole/kube/base/unless-aborted';
import { ApiError, isGone, unless } from '@turnsole/kube/client/errors';
import type { KubeClient, RequestOptions } from '@turnsole/kube/client/types';
import { CHAOS_RESULTS, type ChaosResult, LABEL_RUN_ID } from '../../api/index.ts';
import { engineOver } from '../injection/engine-over.ts';
import { HelperError } from '../injection/errors.ts';
import type { Fault } from '../injection/fault.ts';
import type { Assignment } from './assignment.ts';
import {
  lookEveryMs,
  looked,
  missed,
  nextQuestion,
  noSilence,
  pinged,
  reachableUntilMs,
  renewedUntilMs,
} from './lost-contact.ts';

/** What a hold looks at. */
export interface HoldOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly namespace: string;
  readonly assignment: Assignment;
  readonly signal: AbortSignal;
  /** How long the API server may be out of reach, and the experiment without a sign of life. */
  readonly leaseMs: number;
  /** Called as soon as it is known that the engine wants chaos: nothing may be injected before. */
  readonly onWanted?: () => void;
}

/**
 * Whether helpers of a fault end with the lease of their experiment. Helpers that do one thing once do not: after it they only wait,
 * which has to last longer than the outage of an API server that goes down with its node. Pure.
 */
export function followsLease({ shape, once }: Pick<Fault, 'shape'> & { readonly once?: boolean }): boolean {
  return shape === 'sustained' || once !== true;
}

/** The last look before a revert must have a chance, also where this machine slept through the lease, or another look hangs. */
const LAST_LOOK_MS = 500;

/** The API server did not answer for the length of the lease, so it is not known whether the fault is still wanted. */
class OutOfReachError extends HelperError {
  override readonly name = 'OutOfReachError';
}

/**
 * Resolves when the run no longer needs the fault: the run is over or replaced, the engine is stopped or gone. Has to watch from before
 * the fault is in force.
 *
 * Ages are measured by this machine's clock alone: a lease that has not changed for its length has run out, whatever time stands
 * in it. The experiment's silence is counted from the last moment that is known to be before it, the API server's from the first question
 * that it did not answer, so that a fault is in force no longer than its lease and two seconds after the last sign of life. An outage
 * that is shorter than the lease ends nothing: after it the experiment has the time for one renewal (lost-contact.ts).
 *
 * @throws HelperError when the experiment has not renewed its lease, when the API server has been out of reach for its length
 *   (dead-man switch), or when the result is gone: an experiment that lives all the same must not take that for the whole of its
 *   chaos · the signal's reason
 */
export async function wantedNoMore(options: HoldOptions): Promise<void> {
  const { signal, assignment, client, namespace, clock, onWanted } = options;
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const waits: Promise<unknown>[] = [keepLooking(options, ended)];
  const { engine } = assignment;
  if (engine === undefined) onWanted?.();
  else waits.push(engineOver({ client, clock, namespace, ...engine, signal: ended, onWanted }));
  // The losers of the race are ended below, and have nothing to say then.
  for (const wait of waits) wait.catch(() => {});
  try {
    await Promise.race(waits);
  } finally {
    over.abort();
  }
}

/**
 * Resolves when the run needs no more of a fault of which nothing stays in force. An API server out of reach does not end such a fault:
 * the fault injects nothing while the server is away, and there is nothing to revert.
 *
 * @throws HelperError when the experiment has not renewed its lease, or the result is gone · the signal's reason
 */
export async function wantedNoMoreOnceReached(options: HoldOptions): Promise<void> {
  for (;;) {
    try {
      return await wantedNoMore(options);
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof OutOfReachError)) throw error;
    }
  }
}

/**
 * Resolves when the engine wants no chaos to begin with. What has begun is done to its end: this follows nothing.
 *
 * @throws the signal's reason
 */
export async function wantedAtFirst(options: Omit<HoldOptions, 'leaseMs'>): Promise<void> {
  const { signal, assignment, client, namespace, clock, onWanted } = options;
  const { engine } = assignment;
  if (engine !== undefined) {
    const known = new AbortController();
    const looking = AbortSignal.any([signal, known.signal]);
    const onEngineWanted = (): void => known.abort();
    try {
      await engineOver({ client, clock, namespace, ...engine, signal: looking, onWanted: onEngineWanted });
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!known.signal.aborted) throw error;
    }
  }
  onWanted?.();
  await unlessAborted(new Promise<never>(() => {}), signal);
}

/** Resolves when the run wants it no more. */
async function keepLooking(options: HoldOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, namespace, assignment, leaseMs } = options;
  let silence = noSilence(clock.monotonic());
  let patienceMs = lookEveryMs(leaseMs);
  for (;;) {
    const { kind, atMs } = nextQuestion(silence, leaseMs);
    await clock.sleep(Math.max(1, atMs - clock.monotonic()), signal);
    const askedMs = clock.monotonic();
    // When no answer comes, this is the time that counts.
    const untilMs = reachableUntilMs(missed(silence, askedMs), leaseMs);
    const timeoutMs = Math.max(LAST_LOOK_MS, Math.min(patienceMs, untilMs - askedMs));
    try {
      if (kind === 'ping') {
        await ping(client, { signal, timeoutMs });
        silence = pinged(silence, askedMs);
        continue;
      }
      const request = { namespace, signal, timeoutMs };
      const result = await client.get<ChaosResult>(CHAOS_RESULTS, assignment.result, request);
      if (!isWanted(result, assignment)) return;
      silence = looked(silence, askedMs, clock.monotonic(), result.status?.lease?.renewTime);
      if (clock.monotonic() >= renewedUntilMs(silence, leaseMs)) throw silentExperiment(leaseMs);
      patienceMs = lookEveryMs(leaseMs);
    } catch (cause) {
      if (cause instanceof HelperError) throw cause;
      signal.throwIfAborted();
      if (isGone(cause) && kind === 'look') throw deletedResult(assignment, namespace);
      silence = missed(silence, askedMs);
      // A slow server never answers a client that breaks off and asks anew all the time.
      if (kind === 'look') patienceMs *= 2;
      if (askedMs < untilMs) continue;
      const message = `the API server has been out of reach for ${leaseMs / 1000} s; reverting, as a stop could not be noticed`;
      throw new OutOfReachError(message, { cause });
    }
  }
}

/** Resolves when the API server answers, whatever it says. */
async function ping(client: KubeClient, request: RequestOptions): Promise<void> {
  const asked = client.raw('GET', '/version', undefined, request);
  await unless((error) => error instanceof ApiError, asked);
}

function silentExperiment(leaseMs: number): HelperError {
  return new HelperError(
    `the experiment has given no sign of life for ${leaseMs / 1000} s, so that the fault was ended before its time was over; ` +
      'look at the pod of the experiment and its node, or raise LEASE_SECONDS',
  );
}

function deletedResult({ result }: Assignment, namespace: string): HelperError {
  return new HelperError(
    `ChaosResult ${namespace}/${result} was deleted, so that the fault was ended before its time was over: no component could have found it ` +
      'any more; leave results alone while their engines run',
  );
}

/** Whether the run is under way that a helper was started for, and not aborted. Pure. */
export function isWanted({ status, metadata }: ChaosResult, { runId }: Pick<Assignment, 'runId'>): boolean {
  const isOfRun = metadata.labels?.[LABEL_RUN_ID] === runId;
  return isOfRun && status?.experimentStatus?.phase === 'Running' && status.lease?.revoked !== true;
}
