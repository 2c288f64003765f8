import type { Clock } from '@turnsole/kube/base/clock';
import { ApiError, isAlreadyExists, isForbidden, isNotFound, unless } from '@turnsole/kube/client/errors';
import { statusOptions } from '@turnsole/kube/client/status-subresources';
import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import type { CoreEvent, Job, Pod } from '@turnsole/kube/kinds/core';
import { EVENTS, JOBS, PODS } from '@turnsole/kube/kinds/resources';
import { isTooLate, waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { CHAOS_RESULTS, type ChaosResult, LABEL_RUN_ID } from '../api/index.ts';
import { podHasEnded } from '../chaos/pod-end.ts';
import { classifyRefusal } from '../chaos/pod-start.ts';
import { closedEntries, decideRecovery, type RecoveryAttempt } from '../chaos/recovery/decide-recovery.ts';
import { recoveryJob, recoveryJobName } from '../chaos/recovery/recovery-job.ts';

/** Options of a result's recovery. */
interface RecoverOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called when an attempt begins. */
  readonly onStart?: (job: string) => void;
  /** Attempts that ended before this call do not count: whatever they met may have been mended. @default false */
  readonly afresh?: boolean;
}

/** What came of it. */
interface Recovered {
  /** The result as it is now; undefined when it is gone. */
  readonly result: ChaosResult | undefined;
  /** What could not be reverted; empty when all is done. */
  readonly left: readonly string[];
  readonly reason?: string;
}

/** More turns than all attempts with their waits can take. */
const MAX_TURNS = 20;

/**
 * Has the open ledger entries of a result be reverted by its experiment, started once more, and resolves when that is done or
 * given up: after {@link recoveryLimitMs} at most. May be called again at any time, also by another process: attempts are found
 * by their names.
 *
 * @throws the signal's reason · ApiError when result or Jobs may not be read
 */
export async function recoverResult(result: ChaosResult, options: RecoverOptions): Promise<Recovered> {
  const { client, clock, signal, afresh = false } = options;
  const { name, namespace = '' } = result.metadata;
  const place = { namespace, signal };
  if (afresh) {
    const earlier = await readAttempts(client, result, place);
    if (earlier.every(({ finished }) => finished)) await removeAttempts(client, result, earlier, place);
  }
  let current: ChaosResult | undefined = result;
  let refusal: string | undefined;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    signal.throwIfAborted();
    const attempts = await readAttempts(client, result, place);
    // Read after the attempts, so that what one that has ended did is seen, and not done once more.
    if (turn > 0 || attempts.length > 0) current = await client.find<ChaosResult>(CHAOS_RESULTS, name, place);
    // Another run recovers what it finds by itself, and recognises its own entries.
    if (current === undefined || !isSameRun(current, result)) return { result: current, left: [] };
    const step = decideRecovery({ nowMs: clock.now(), result: current, attempts, refusal });
    switch (step.kind) {
      case 'nothing':
        await removeAttempts(client, current, attempts, place);
        return { result: current, left: [] };
      case 'give up':
        return { result: current, left: step.left, reason: step.reason };
      case 'close':
        await closeEntries(client, current, step.ids, signal);
        break;
      case 'start':
        refusal = await startAttempt(current, step.attempt, options);
        break;
      case 'wait':
        refusal = await awaitJob(current, attempts, step.ms, options);
        break;
    }
  }
  return {
    result: await client.find<ChaosResult>(CHAOS_RESULTS, name, place),
    left: [`ChaosResult ${namespace}/${name}`],
    reason: 'its recovery came to no end',
  };
}

function isSameRun(a: ChaosResult, b: ChaosResult): boolean {
  return a.metadata.uid === b.metadata.uid && runOf(a) === runOf(b);
}

function runOf({ metadata }: ChaosResult): string | undefined {
  return metadata.labels?.[LABEL_RUN_ID];
}

interface Place {
  readonly namespace: string;
  readonly signal?: AbortSignal;
}

async function readAttempts(
  client: KubeClient,
  result: ChaosResult,
  place: Place,
): Promise<RecoveryAttempt[]> {
  const attempts: RecoveryAttempt[] = [];
  for (let attempt = 1; ; attempt++) {
    const job = await client.find<Job>(JOBS, recoveryJobName(result, attempt), place);
    if (job === undefined) return attempts;
    const seen = attemptOf(job, attempt);
    attempts.push({ ...seen, finished: seen.finished || (await hasPodEnded(client, job, place)) });
  }
}

/**
 * A pod that has ended says so sooner than its Job, which may have to be counted by a controller that has just been started. A caller
 * that may not list pods learns it from the Job.
 */
async function hasPodEnded(client: KubeClient, { metadata }: Job, place: Place): Promise<boolean> {
  const labelSelector = ofJob(metadata.name);
  const pods = await unless(isForbidden, client.list<Pod>(PODS, { ...place, labelSelector }));
  return pods?.items.some(podHasEnded) === true;
}

function ofJob(name: string): string {
  return `job-name=${name}`;
}

/** An attempt as its Job shows it. */
export function attemptOf({ metadata, status }: Job, attempt: number): RecoveryAttempt {
  const isOver = (status?.conditions ?? []).some(
    ({ type, status: word }) => (type === 'Complete' || type === 'Failed') && word === 'True',
  );
  return {
    attempt,
    createdMs: Date.parse(metadata.creationTimestamp ?? ''),
    finished: isOver || metadata.deletionTimestamp !== undefined,
  };
}

/** Stores that entries of which nothing stays in force are closed. */
export async function closeEntries(
  client: KubeClient,
  { metadata }: ChaosResult,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const { name, namespace = '' } = metadata;
  const place = { namespace, signal };
  const options = await statusOptions(client, CHAOS_RESULTS, place);
  await unless(
    isNotFound,
    client.patch(CHAOS_RESULTS, name, 'merge', { status: closedEntries(ids) }, options),
  );
}

/**
 * Creates the Job of an attempt; one that is there already is as good. Gives why the API server refuses it, if it does: the
 * namespace is being deleted, a quota, missing rights.
 */
export async function startAttempt(
  result: ChaosResult,
  attempt: number,
  { client, signal, onStart }: Pick<RecoverOptions, 'client' | 'onStart'> & { readonly signal?: AbortSignal },
): Promise<string | undefined> {
  const job = recoveryJob(result, attempt);
  if (job === undefined) return undefined;
  const { namespace = '' } = result.metadata;
  try {
    // The fields of a new object are those of one that is stored, but for what the server adds.
    await client.create<Job>(JOBS, job as NewObject<Job>, { namespace, signal });
    onStart?.(job.metadata.name);
    return undefined;
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    if (!(error instanceof ApiError) || ![400, 403, 404, 422].includes(error.code)) throw error;
    return `cannot make Job ${job.metadata.name}: ${error.status.message ?? error.message}`;
  }
}

/**
 * Why the Job of an attempt will never have a pod: the service account of the run is gone. Undefined where it has one, or may have one yet,
 * and for a caller that may not read Events.
 */
export async function podRefusal(
  client: KubeClient,
  result: ChaosResult,
  attempt: number,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { namespace = '' } = result.metadata;
  const name = recoveryJobName(result, attempt);
  const job = await client.find<Job>(JOBS, name, { namespace, signal });
  if (job === undefined || (job.status?.active ?? 0) > 0 || attemptOf(job, attempt).finished)
    return undefined;
  const place = { namespace, fieldSelector: aboutJob(name), signal };
  const events = await unless(isForbidden, client.list<CoreEvent>(EVENTS, place));
  const refused = events?.items.find((event) => isWithoutAccount(event, job));
  if (refused === undefined) return undefined;
  return (
    `no program could look whether that is still in force, as the service account of the run is gone: Job ${name} cannot create its pod: ` +
    `${refused.message}`
  );
}

function aboutJob(name: string): string {
  return `involvedObject.kind=Job,involvedObject.name=${name}`;
}

function isWithoutAccount({ reason, message = '', involvedObject }: CoreEvent, { metadata }: Job): boolean {
  // An earlier attempt had the same name.
  if (reason !== 'FailedCreate' || involvedObject.uid !== metadata.uid) return false;
  return classifyRefusal({ code: 403, reason: '', message }) === 'ServiceAccountNotFound';
}

/** Waits until an attempt has ended, or will never begin: then gives the reason. */
async function awaitJob(
  result: ChaosResult,
  attempts: readonly RecoveryAttempt[],
  timeoutMs: number,
  { client, clock, signal }: RecoverOptions,
): Promise<string | undefined> {
  const running = attempts.find(({ finished }) => !finished);
  if (running === undefined) return undefined;
  const { namespace = '' } = result.metadata;
  const name = recoveryJobName(result, running.attempt);
  const seen = new AbortController();
  const limits = { namespace, signal: AbortSignal.any([signal, seen.signal]), clock, timeoutMs };
  const job: Promise<unknown> = waitForObject<Job>(
    client,
    JOBS,
    name,
    (found) => found === undefined || attemptOf(found, running.attempt).finished,
    limits,
  );
  const pod: Promise<unknown> = waitForList<Pod>(client, PODS, (pods) => pods.some(podHasEnded), {
    ...limits,
    labelSelector: ofJob(name),
  });
  let refusal: string | undefined;
  const awaitRefusal = async (): Promise<unknown> => {
    const made = await client.find<Job>(JOBS, name, { namespace, signal: limits.signal });
    if (made === undefined) return job;
    const isAbout = (events: readonly CoreEvent[]): boolean =>
      events.some((event) => isWithoutAccount(event, made));
    // What else keeps a pod from being made may pass.
    await waitForList<CoreEvent>(client, EVENTS, isAbout, { ...limits, fieldSelector: aboutJob(name) });
    refusal = await podRefusal(client, result, running.attempt, limits.signal);
    return refusal ?? job;
  };
  const unlessForbidden = (wait: Promise<unknown>): Promise<unknown> =>
    wait.catch((error: unknown) => (isForbidden(error) ? job : Promise.reject(error)));
  const waits = [job, unlessForbidden(pod), unlessForbidden(awaitRefusal())];
  // The loser of the race has nothing to say.
  for (const wait of waits) wait.catch(() => {});
  await unless(isTooLate, Promise.race(waits)).finally(() => seen.abort());
  return refusal;
}

async function removeAttempts(
  client: KubeClient,
  result: ChaosResult,
  attempts: readonly RecoveryAttempt[],
  place: Place,
): Promise<void> {
  const options = { ...place, propagationPolicy: 'Background' } as const;
  for (const { attempt } of attempts) {
    await unless(isNotFound, client.delete(JOBS, recoveryJobName(result, attempt), options));
  }
}
