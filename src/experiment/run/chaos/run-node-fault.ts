import { type InjectionTarget, isOpen, type LedgerEntry, type Pod } from '../../../api/index.ts';
import { followsLease } from '../../helper/hold.ts';
import { both } from '../../injection/both.ts';
import { describeError, TargetSelectionError } from '../../injection/errors.ts';
import { helperNeedsOf } from '../../injection/fault.ts';
import { joinErrors } from '../../injection/injector.ts';
import { ownEntries } from '../../injection/ledger/ledger.ts';
import { missingSteps, objectOf } from '../../injection/ledger/ledger-steps.ts';
import { resolveTargets } from '../../targets/resolve-targets.ts';
import { followHelper, NoRoomError, type StopHelpersOptions, stopHelpers } from '../helper/follow-helper.ts';
import { type HelperShare, helperBatches } from '../helper/helper-pod.ts';
import { renewLease } from '../lifecycle/renew-lease.ts';
import type { Run } from '../lifecycle/run.ts';
import { watchSteady } from '../lifecycle/steady-state.ts';
import { isSameTarget, untilLetGo } from './let-go.ts';
import { injectorOf } from './run-injector.ts';
import { startHelper } from './start-helper.ts';

/**
 * Has helper pods on the targets' nodes do the fault: one per node, all at once; in serial mode one per target, one after
 * another, each for the whole duration. Whatever ends this, no helper goes on.
 */
export async function runNodeFault(run: Run, prepareProbes: () => Promise<void>): Promise<void> {
  const { fault, settings, client, random } = run;
  let seen: readonly Pod[] = [];
  const onPods = (looked: readonly Pod[]): void => {
    seen = looked;
  };
  const targets = await resolveTargets({ client, fault, settings, random, signal: run.stop, onPods });
  const homeless = targets.find(({ node }) => node === undefined);
  if (homeless !== undefined) {
    throw new TargetSelectionError(`${objectOf(homeless)} runs on no node yet; wait until it is scheduled`);
  }
  const own = run.pod?.spec?.nodeName;
  if (helperNeedsOf(fault)?.elsewhere === true && targets.some(({ node }) => node === own)) {
    throw new TargetSelectionError(
      `cannot hit node ${own}: the pod of this experiment runs there and would go with it; keep it from this node by ` +
        'components.nodeSelector in the ChaosEngine',
    );
  }
  // What a fault refuses, it refuses before any helper exists.
  await injectorOf(run).plan(targets, 0);
  run.pods.follow(targets, seen);
  await prepareProbes();
  const unsteady = new AbortController();
  const endWatching = watchSteady(run, (error) => unsteady.abort(error));
  const endRevoking = revokeOnAbort(run, unsteady.signal);
  const endLease = followsLease(fault) ? renewLease(run) : () => {};
  await both(
    async () => {
      const batches = helperBatches(targets, settings.sequence);
      for (const [index, batch] of batches.entries()) {
        const onOver =
          index === batches.length - 1 ? (atMs: number) => run.probes?.chaosEnded(atMs) : () => {};
        await both(
          () => runHelpers(run, batch, onOver, unsteady.signal),
          () => recoverOwn(run),
        );
      }
    },
    () => {
      endWatching();
      endLease();
      endRevoking();
      return takeOverTargets(run);
    },
  );
}

/**
 * Reverts what ended helpers of this run left open: one was killed, or its node is gone. New helpers revert it now, also
 * after an abort, for nothing may be left in force.
 */
async function recoverOwn(run: Run, isMeant: (entry: LedgerEntry) => boolean = () => true): Promise<void> {
  if (run.fault.shape !== 'sustained') return;
  const own = ownEntries(await run.writer.read(), run.settings.runId).filter(
    (entry) => isOpen(entry) && entry.fault === run.fault.name && isMeant(entry),
  );
  if (own.length === 0) return;
  for (const { target } of own) {
    const message = 'its helper is gone; another one reverts';
    run.timeline.note({ step: 'RecoveryStarted', object: objectOf(target), message });
  }
  await (await import('./recover-on-nodes.ts')).recoverOnNodes(run, own);
}

/**
 * On abort, or when the application is found to be unsteady before the fault, informs all helpers at once by the result: a helper that is still starting sees it in the answer to the write of its
 * plan, which comes before its first injection, whatever the way of the abort.
 *
 * @returns ends that
 */
function revokeOnAbort({ stop, writer }: Run, unsteady: AbortSignal): () => void {
  // A write that fails is as good as none: helpers are deleted, and look at the engine.
  const revoke = (): void => void writer.write({ status: { lease: { revoked: true } } }).catch(() => {});
  stop.throwIfAborted();
  const signals = [stop, unsteady];
  for (const signal of signals) signal.addEventListener('abort', revoke, { once: true });
  return () => {
    for (const signal of signals) signal.removeEventListener('abort', revoke);
  };
}

/**
 * Runs a helper per share, all at once. A failure before a share is in force ends all helpers: nothing half done goes on.
 * When one is lost later (killed, its node gone), its share is recovered at once, and the others go on to their end.
 *
 * @param onOver called with when the fault of the last one ended, in milliseconds since 1970
 * @param unsteady aborted when nothing may be injected into the application as it is
 */
async function runHelpers(
  run: Run,
  shares: readonly HelperShare[],
  onOver: (atMs: number) => void,
  unsteady: AbortSignal,
): Promise<void> {
  const names: string[] = [];
  const listening = new AbortController();
  const overAt = new Map<HelperShare, number>();
  const noteOver = (share: HelperShare, atMs: number): void => {
    if (overAt.has(share)) return;
    overAt.set(share, atMs);
    if (overAt.size === shares.length) onOver(Math.max(...overAt.values()));
  };
  const failed = new AbortController();
  unsteady.throwIfAborted();
  unsteady.addEventListener('abort', () => failed.abort(unsteady.reason), { once: true });
  const signal = AbortSignal.any([run.stop, failed.signal]);
  const runOne = async (share: HelperShare): Promise<void> => {
    const attempt = async (unlimited: boolean): Promise<void> => {
      const name = await startHelper(run, share, { unlimited });
      names.push(name);
      await followHelper(run, name, signal, listening.signal, (atMs) => noteOver(share, atMs));
    };
    try {
      await attempt(false).catch((error: unknown) => {
        if (!(error instanceof NoRoomError)) throw error;
        const message = `${error.message}; trying again without requests`;
        run.timeline.note({ step: 'HelperRefused', object: `node/${share.node}`, message });
        return attempt(true);
      });
    } catch (error) {
      if (signal.aborted || !(await wasInForce(run, share))) {
        failed.abort(error);
        throw error;
      }
      const message = `${describeError(error)}; the others go on`;
      run.timeline.note({ step: 'HelperLost', object: `node/${share.node}`, message });
      await both(
        () => Promise.reject(error),
        () => recoverOwn(run, ({ target }) => isOfShare(share, target)),
      );
    } finally {
      if (!overAt.has(share)) noteOver(share, await revertedAt(run, share));
    }
  };
  let completed = false;
  await both(
    async () => {
      const outcomes = await Promise.allSettled(shares.map((share) => runOne(share)));
      run.stop.throwIfAborted();
      if (failed.signal.aborted) throw failed.signal.reason;
      const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      if (errors.length > 0) throw joinErrors(errors);
      completed = true;
    },
    async () => {
      const all = run.settings.tunables.JOB_CLEANUP_POLICY === 'delete';
      const targets = shares.flatMap((share) => share.targets);
      // After an abort nothing of them is needed but that all is reverted; that their pods end is waited for by those who close the run.
      const isAbort = run.stop.aborted;
      const letGo: StopHelpersOptions = isAbort
        ? { all, letGo: (limits) => untilLetGo(run, targets, limits) }
        : { all };
      if (!completed || all) await stopHelpers(run, names, letGo);
      // What is missing in their logs by now is in the ledger.
      listening.abort();
    },
  );
}

/** When the last target of a share was reverted, by the ledger; now, when the ledger does not say. */
async function revertedAt(run: Run, share: HelperShare): Promise<number> {
  const result = run.stop.aborted ? undefined : await run.writer.read().catch(() => undefined);
  const times = ownEntries(result, run.settings.runId)
    .filter(({ target }) => isOfShare(share, target))
    .map((entry) => Date.parse(entry.revertedAt ?? ''));
  const last = Math.max(...times);
  return Number.isFinite(last) ? last : run.clock.now();
}

/** Whether every target of a share was hit in this run, by the ledger; what cannot be read was not. */
async function wasInForce(run: Run, { targets }: HelperShare): Promise<boolean> {
  const result = await run.writer.read().catch(() => undefined);
  const hit = ownEntries(result, run.settings.runId).filter(
    ({ injectedAt, state }) => injectedAt !== undefined || state === 'done',
  );
  return targets.every((target) => hit.some((entry) => isSameTarget(entry.target, target)));
}

function isOfShare({ targets }: HelperShare, target: InjectionTarget): boolean {
  return targets.some((one) => isSameTarget(one, target));
}

/**
 * Takes over what the helpers wrote: the ledger is the truth of what was hit, and when; their logs may have been unreadable or cut short.
 */
async function takeOverTargets(run: Run): Promise<void> {
  const result = await run.writer.read();
  run.ledger.absorb(Object.values(result?.status?.ledger ?? {}));
  // It also holds what was recovered of an earlier run.
  const own = ownEntries(result, run.settings.runId);
  const written = run.timeline.entries.filter(({ runId }) => runId === run.settings.runId);
  for (const step of missingSteps(own, written)) run.timeline.note(step);
  const [first] = own.flatMap(({ injectedAt }) => injectedAt ?? []).sort();
  if (first !== undefined) run.news.chaosStarted(run.settings.durationMs, first);
}
