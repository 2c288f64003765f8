import { isNotFound, unless } from '@turnsole/kube/client/errors';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { WaitTimeoutError, waitForObject } from '@turnsole/kube/runtime/wait';
import { CHAOS_RESULTS, type ChaosResult } from '../../../api/index.ts';
import { howFar } from '../../../chaos/pod-start.ts';
import { parseHelperLine, parseOverBell, parsePressureBell } from '../../helper/helper-log.ts';
import { endOf, hasEnded, hasStarted, isLost, lostAt, phaseOf } from '../../helper/helper-state.ts';
import {
  describeError,
  HelperError,
  HelperPodFailedError,
  StatusCheckError,
} from '../../injection/errors.ts';
import { helperNeedsOf } from '../../injection/fault.ts';
import { ownEntries } from '../../injection/ledger/ledger.ts';
import { podEndedAt } from '../../targets/container-status.ts';
import type { Run } from '../lifecycle/run.ts';

/** How a helper is followed. */
interface FollowHelperOptions {
  /** Ends following it. */
  readonly signal: AbortSignal;
  /** Ends listening to its log, which goes on after an abort: the helper then says what it reverts. */
  readonly listening: AbortSignal;
  /** How long its fault is meant to be held. */
  readonly holdMs: number;
  /** Called when its fault is known to be in force, maybe several times. */
  readonly onInForce: () => void;
  /** Called with when the helper says that its fault ends, in milliseconds since 1970 by the clock of its node. */
  readonly onOver: (atMs: number) => void;
}

/**
 * Follows one helper pod from its start to its end: waits until it runs, takes its lines into the timeline, waits until it has
 * ended. The log is only a bell; where it cannot be read, or its node does not answer, the pod's state decides, and the ledger says
 * when the fault came into force.
 *
 * @throws StatusCheckError when it does not start or end in time · HelperPodFailedError when it failed and has said why in the
 *   result · LostHelperError when its node is lost, also where the signal ends following it then, when it was deleted, and when it
 *   failed without a word · the signal's reason
 */
export async function followHelper(
  run: Run,
  name: string,
  { signal, listening, holdMs, onInForce, onOver }: FollowHelperOptions,
): Promise<void> {
  const { settings, client, clock } = run;
  const { experiment: main } = settings;
  const base = { namespace: settings.namespace, signal, clock };
  let seen: Pod | undefined;
  let silentSinceMs: number | undefined;
  let heardMs = clock.now();
  const hasSettled = (pod: Pod | undefined): boolean => pod === undefined || hasEnded(pod, main);
  const isMissed = (pod: Pod | undefined): boolean => isOnSilentNode(run, pod);
  const wait = (isThere: (pod: Pod | undefined) => boolean, timeoutMs: number): Promise<unknown> =>
    waitForObject<Pod>(
      client,
      PODS,
      name,
      (pod) => {
        seen = pod;
        if (isMissed(pod)) silentSinceMs ??= lostAt(pod, heardMs, clock.now());
        // It is heard again. Where it has ended meanwhile, what it did since then stays unknown.
        else if (!hasSettled(pod)) {
          silentSinceMs = undefined;
          heardMs = clock.now();
        }
        return isThere(pod);
      },
      { ...base, timeoutMs },
    );
  const waited = new AbortController();
  try {
    await wait((pod) => pod === undefined || hasStarted(pod, main), settings.statusCheckTimeoutMs);
    const startedAt = clock.monotonic();
    let inForceAt: number | undefined;
    const noteInForce = (): void => {
      inForceAt ??= clock.monotonic();
      onInForce();
    };
    const followed = followLog(run, name, listening, noteInForce, onOver);
    void followed.then(async () => {
      if (inForceAt === undefined)
        await heedLedger(run, AbortSignal.any([signal, listening, waited.signal]), noteInForce);
    });
    const lastAt = startedAt + holdMs + settings.statusCheckTimeoutMs + LAST_WORD_MS;
    const leftMs = (untilMs: number): number => Math.max(untilMs - clock.monotonic(), 0);
    for (;;) {
      await wait((pod) => hasSettled(pod) || isMissed(pod), leftMs(lastAt));
      if (!isMissed(seen)) break;
      // The node may come back, and then the helper has its time again; while the fault is meant to last, one that is still there does no harm.
      await wait((pod) => !isMissed(pod), leftMs((inForceAt ?? startedAt) + holdMs) + LOST_LIMIT_MS);
    }
    // What it said last may still be on its way.
    await Promise.race([followed, clock.sleep(LAST_LINES_MS, waited.signal).catch(() => {})]);
  } catch (error) {
    const late = error instanceof WaitTimeoutError ? error : undefined;
    const sinceMs = hasSettled(seen) ? undefined : silentSinceMs;
    if (late === undefined && (!signal.aborted || sinceMs === undefined)) throw error;
    throw givenUp(name, seen, late, sinceMs);
  } finally {
    waited.abort();
  }
  const failed = await failureOf(run, name, seen);
  if (failed === undefined) return;
  // One that has said why it failed was at work until then.
  if (silentSinceMs === undefined || failed instanceof HelperPodFailedError) throw failed;
  const message = `helper pod ${name} did not outlast that node ${seen?.spec?.nodeName} stopped answering`;
  const atMs = Math.min(silentSinceMs, failed instanceof LostHelperError ? failed.atMs : silentSinceMs);
  throw new LostHelperError(atMs, message, { source: name, cause: failed });
}

/** Whether a helper is on a node that has stopped answering. When the fault silences the node, silence says nothing about the helper. */
function isOnSilentNode({ fault }: Run, pod: Pod | undefined): boolean {
  return helperNeedsOf(fault)?.silencesNode !== true && isLost(pod);
}

/** Why a helper that is over has failed; undefined when it has not. */
async function failureOf(run: Run, name: string, pod: Pod | undefined): Promise<Error | undefined> {
  if (pod === undefined) {
    const message = `helper pod ${name} was deleted while it was working`;
    return new LostHelperError(run.clock.now(), message, { source: name });
  }
  return phaseOf(pod, run.settings.experiment) === 'Failed' ? failure(run, pod) : undefined;
}

/** The node has no room for the helper (the kubelet's admission); it never ran. */
export class NoRoomError extends HelperError {
  override readonly name = 'NoRoomError';
}

/** A helper is gone, or its node has stopped answering; what became of the fault since then is not known. */
export class LostHelperError extends HelperError {
  override readonly name = 'LostHelperError';
  /** When that was seen, or was so as far as the kubelet says, in milliseconds since 1970. */
  readonly atMs: number;

  constructor(atMs: number, ...rest: ConstructorParameters<typeof HelperError>) {
    super(...rest);
    this.atMs = atMs;
  }
}

/** How long the node of a helper may be silent after the helper should have ended. */
const LOST_LIMIT_MS = 10_000;
/** For a helper that has waited in vain to say for what: it began later than it was waited for, and knows more. */
const LAST_WORD_MS = 30_000;
/** How long the last lines of an ended helper are waited for. */
const LAST_LINES_MS = 5_000;

/**
 * Why following a helper was given up before it ended.
 *
 * @param silentSinceMs since when its node has been silent; undefined while it answers
 */
function givenUp(
  name: string,
  seen: Pod | undefined,
  late: WaitTimeoutError | undefined,
  silentSinceMs: number | undefined,
): Error {
  // The messages below say what the wait was for; only the cause says why it could not be observed.
  const options = { source: name, cause: late?.cause };
  if (silentSinceMs !== undefined) {
    const message =
      `node ${seen?.spec?.nodeName} has stopped answering while helper pod ${name} was working there; ` +
      'what runs there reverts by itself when its lease is over; look at the node (kubectl describe node) and bring it back, or ' +
      'delete its Node object if it is gone for good';
    return new LostHelperError(silentSinceMs, message, options);
  }
  // The wait ends without an error when the pod is seen to be gone; so a pod that was not seen was never read.
  const why = seen === undefined ? 'it could not be read' : howFar(seen);
  return new StatusCheckError(`helper pod ${name} did not start or end in time: ${why}`, options);
}

/** How helpers are stopped. */
export interface StopHelpersOptions {
  /** Whether to delete those that have ended, too; their logs are then lost. */
  readonly all: boolean;
  /** Resolves to whether their work is over, though they may still be ending; given when nothing more is expected of them. */
  readonly letGo?: (limits: { readonly signal: AbortSignal; readonly timeoutMs: number }) => Promise<boolean>;
}

/** Deletes helper pods and waits until they have reverted and ended, or their node is lost; those that are gone already are fine. */
export async function stopHelpers(
  run: Run,
  names: readonly string[],
  { all, letGo }: StopHelpersOptions,
): Promise<void> {
  const { client, settings, clock } = run;
  const { namespace, experiment: main } = settings;
  // On a lost node it is not ended; what it holds ends with its lease.
  const isOver = (pod: Pod | undefined): boolean =>
    pod === undefined || hasEnded(pod, main) || isOnSilentNode(run, pod);
  const deletions = await Promise.allSettled(
    names.map(async (name) => {
      const pod = await client.find<Pod>(PODS, name, { namespace });
      if (pod === undefined || (hasEnded(pod, main) && !all)) return [];
      await unless(isNotFound, client.delete(PODS, name, { namespace, repeatable: true }));
      return isLost(pod) ? [] : [name];
    }),
  );
  // One that could not be looked up or deleted may be alive: another beside it would do the same twice.
  const waiting = deletions.flatMap((outcome, index) =>
    outcome.status === 'fulfilled' ? outcome.value : (names[index] ?? []),
  );
  const enough = new AbortController();
  const limits = { signal: enough.signal, timeoutMs: STOP_LIMIT_MS };
  const ended = Promise.allSettled(
    waiting.map((name) => waitForObject<Pod>(client, PODS, name, isOver, { ...limits, namespace, clock })),
  );
  try {
    if (letGo === undefined || !(await Promise.race([ended.then(() => true), letGo(limits)]))) await ended;
  } finally {
    enough.abort();
  }
}

/** Longer than a helper's grace period: after that the kubelet has killed it. */
const STOP_LIMIT_MS = 40_000;

/**
 * Follows the ledger where a log has ended or could not be read before it showed an injection: probes are to measure from
 * the first one on. A ledger that cannot be followed either leaves them waiting, and they say so.
 */
async function heedLedger(run: Run, signal: AbortSignal, onInForce: () => void): Promise<void> {
  const { client, clock, settings, writer, logger } = run;
  if (signal.aborted) return;
  const isInForce = (result: ChaosResult | undefined): boolean =>
    ownEntries(result, settings.runId).some(({ injectedAt }) => injectedAt !== undefined);
  const { namespace, durationMs, statusCheckTimeoutMs } = settings;
  const limits = { namespace, signal, clock, timeoutMs: durationMs + statusCheckTimeoutMs };
  try {
    await waitForObject<ChaosResult>(client, CHAOS_RESULTS, writer.name, isInForce, limits);
    run.force.began();
    run.probes?.chaosBegan();
    onInForce();
  } catch (error) {
    if (!signal.aborted)
      logger.info({ err: error }, 'cannot follow the ledger; probes do not know when chaos begins');
  }
}

async function followLog(
  run: Run,
  name: string,
  signal: AbortSignal,
  onInForce: () => void,
  onOver: (atMs: number) => void,
): Promise<void> {
  const { client, settings, timeline, writer, logger } = run;
  const { namespace, experiment: container } = settings;
  try {
    for await (const line of client.logLines(name, { namespace, container, follow: true, signal })) {
      const overAtMs = parseOverBell(line);
      if (overAtMs !== undefined) onOver(overAtMs);
      const pressure = parsePressureBell(line);
      if (pressure !== undefined) run.pressures.heard({ process: `helper/${name}`, ...pressure });
      const note = parseHelperLine(line);
      if (note === undefined) continue;
      // Chaos begins when the first helper hits, not when its pod is created.
      if (note.step === 'Injected') {
        run.news.chaosStarted(run.settings.durationMs, note.time);
        run.force.began();
        run.probes?.chaosBegan(Date.parse(note.time));
        onInForce();
      }
      timeline.note(note, `helper/${name}`);
      void writer.write({});
    }
  } catch (error) {
    if (signal.aborted) return;
    logger.info({ pod: name, err: error }, 'cannot follow the log of the helper; its phase is asked for');
  }
}

async function failure(run: Run, pod: Pod): Promise<Error> {
  const { writer, clock } = run;
  const nowMs = clock.now();
  const { name } = pod.metadata;
  if (/^OutOf/i.test(pod.status?.reason ?? '')) {
    const { reason, message = 'no further reason given' } = pod.status ?? {};
    const text = `node ${pod.spec?.nodeName} has no room for helper pod ${name} (${reason}: ${message})`;
    return new NoRoomError(text, { source: name });
  }
  const result = await writer.read();
  const output = result?.status?.experimentStatus?.errorOutput;
  // Another helper may have written there as well.
  if (output?.errorCode !== undefined && output.reason?.includes(`"${name}"`) === true) {
    return new HelperPodFailedError(`helper pod ${name} failed: ${output.reason ?? output.errorCode}`, {
      source: name,
    });
  }
  const ended = endOf(pod, run.settings.experiment);
  const how =
    ended === undefined
      ? (pod.status?.reason ?? 'no reason given')
      : `${ended.reason}, exit code ${ended.exitCode}`;
  const message = `helper pod ${name} failed (${how}); its log ends with: ${await lastLines(run, name)}`;
  return new LostHelperError(podEndedAt(pod, nowMs) ?? nowMs, message, { source: name });
}

/** The end of a log as one line, for the message of a helper that had no other way to say it. */
async function lastLines({ client, settings }: Run, name: string): Promise<string> {
  const { namespace, experiment: container } = settings;
  try {
    const text = await client.log(name, { namespace, container, tailLines: 3 });
    return text.trim().replaceAll('\n', ' / ') || 'nothing';
  } catch (error) {
    return `(it cannot be read: ${describeError(error)})`;
  }
}
