import type { Pod } from '@turnsole/kube/kinds/core';
import type { InjectionTarget } from '../../../api/index.ts';
import { followsLease } from '../../helper/hold.ts';
import { TargetSelectionError } from '../../injection/errors.ts';
import { helperNeedsOf } from '../../injection/fault.ts';
import { ownEntries } from '../../injection/ledger/ledger.ts';
import { missingSteps, objectOf } from '../../injection/ledger/ledger-steps.ts';
import { runWithCleanup } from '../../injection/run-with-cleanup.ts';
import { resolveTargets } from '../../targets/resolve-targets.ts';
import { type HelperShare, helperBatches } from '../helper/helper-pod.ts';
import { renewLease } from '../lifecycle/renew-lease.ts';
import type { Run } from '../lifecycle/run.ts';
import { watchSteady } from '../lifecycle/steady-state.ts';
import type { HelperStep } from './helper-share.ts';
import { recoverOwn } from './recover-own.ts';
import { runHelpers } from './run-helpers.ts';
import { injectorOf } from './run-injector.ts';
import { stepTargets } from './step-targets.ts';

/**
 * Has helper pods on the targets' nodes do the fault: one per node, all at once; in serial mode one per target, one after
 * another, each for the whole duration. Whatever ends this, no helper goes on.
 */
export async function runNodeFault(run: Run, prepareProbes: () => Promise<void>): Promise<void> {
  const { fault, settings, client, clock, random } = run;
  let seen: readonly Pod[] = [];
  const onPods = (looked: readonly Pod[]): void => {
    seen = looked;
  };
  const targets = await resolveTargets({ client, fault, settings, clock, random, signal: run.stop, onPods });
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
  run.workloads.follow(targets, seen);
  run.force.ask(fault, settings, targets);
  await prepareProbes();
  run.force.begins();
  const hopeless = new AbortController();
  const endWatching = watchSteady(run, (error) => hopeless.abort(error));
  const endRevoking = revokeOnAbort(run, hopeless.signal);
  const onRefused = (error: Error): void => hopeless.abort(error);
  const endLease = followsLease(fault)
    ? renewLease({ clock: run.clock, settings, writer: run.writer, onRefused })
    : () => {};
  await runWithCleanup(
    async () => {
      const batches = helperBatches(targets, settings.sequence);
      for (const [index, shares] of batches.entries()) {
        const onOver =
          index === batches.length - 1 ? (atMs: number) => run.probes?.chaosEnded(atMs) : () => {};
        await runWithCleanup(
          async () => runHelpers(run, await stepOf(run, shares, targets, index), onOver, hopeless.signal),
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

/** A step of the run: in serial mode a target may have gone before its time, and another pod have taken its place. */
async function stepOf(
  run: Run,
  shares: readonly HelperShare[],
  all: readonly InjectionTarget[],
  step: number,
): Promise<HelperStep> {
  const chosen = shares.flatMap(({ targets }) => targets);
  const { targets, later } = await stepTargets(run, { chosen, all, step });
  const [own = shares] = targets === chosen ? [] : helperBatches(targets, 'parallel');
  return { shares: own, targets, later, step };
}

/**
 * On abort, or when the application is found to be unsteady before the fault, informs all helpers at once by the result: a helper that is still
 * starting sees it in the answer to the write of its plan, which comes before its first injection, whatever the way of the abort.
 *
 * @returns ends that
 */
function revokeOnAbort({ stop, writer }: Run, hopeless: AbortSignal): () => void {
  // A write that fails is as good as none: helpers are deleted, and look at the engine.
  const revoke = (): void => void writer.write({ status: { lease: { revoked: true } } }).catch(() => {});
  stop.throwIfAborted();
  const signals = [stop, hopeless];
  for (const signal of signals) signal.addEventListener('abort', revoke, { once: true });
  return () => {
    for (const signal of signals) signal.removeEventListener('abort', revoke);
  };
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
