import { joinErrors } from '../../injection/injector.ts';
import { runWithCleanup } from '../../injection/run-with-cleanup.ts';
import { followHelper, type StopHelpersOptions, stopHelpers } from '../helper/follow-helper.ts';
import type { HelperShare } from '../helper/helper-pod.ts';
import type { Run } from '../lifecycle/run.ts';
import { type HelperStep, noteLost, recoverLost, revertedAt, wasInForce, withRoom } from './helper-share.ts';
import { JoinedHelpers } from './joined-helpers.ts';
import { untilLetGo } from './released-helpers.ts';
import { startHelper } from './start-helper.ts';

/**
 * Runs a helper per share, all at once. A failure before a share is in force ends all helpers: nothing half done goes on.
 * When one is lost later (killed, its node gone), its share is recovered at once, and the others go on to their end. Pods that take the
 * places of hit ones meanwhile get helpers that join.
 *
 * @param onOver called with when the fault of the last one ended, in milliseconds since 1970
 * @param hopeless aborted when nothing may be injected into the application as it is, or nothing of the run can be stored any more
 */
export async function runHelpers(
  run: Run,
  step: HelperStep,
  onOver: (atMs: number) => void,
  hopeless: AbortSignal,
): Promise<void> {
  const { clock, settings } = run;
  const { shares } = step;
  const names: string[] = [];
  const listening = new AbortController();
  const overAt = new Map<HelperShare, number>();
  const noteOver = (share: HelperShare, atMs: number): void => {
    if (overAt.has(share)) return;
    overAt.set(share, atMs);
    if (overAt.size === shares.length) onOver(Math.max(...overAt.values()));
  };
  const failed = new AbortController();
  hopeless.throwIfAborted();
  hopeless.addEventListener('abort', () => failed.abort(hopeless.reason), { once: true });
  const signal = AbortSignal.any([run.stop, failed.signal]);
  const joined = new JoinedHelpers(run, step, {
    signal,
    listening: listening.signal,
    onName: (name) => names.push(name),
  });
  const runOne = async (share: HelperShare): Promise<void> => {
    try {
      await withRoom(run, share, async (unlimited) => {
        const name = await startHelper(run, share, { unlimited, round: step.step });
        names.push(name);
        const onInForce = (): void => joined.begin(clock.monotonic() + settings.durationMs);
        await followHelper(run, name, {
          signal,
          listening: listening.signal,
          holdMs: settings.durationMs,
          onInForce,
          onOver: (atMs) => noteOver(share, atMs),
        });
      });
    } catch (error) {
      noteLost(run, share, error);
      if (signal.aborted || !(await wasInForce(run, share))) {
        failed.abort(error);
        throw error;
      }
      await recoverLost(run, share, error);
    } finally {
      if (!overAt.has(share)) noteOver(share, await revertedAt(run, share));
    }
  };
  let completed = false;
  await runWithCleanup(
    async () => {
      const outcomes = await Promise.allSettled(shares.map((share) => runOne(share)));
      const lost = await joined.end();
      run.stop.throwIfAborted();
      if (failed.signal.aborted) throw failed.signal.reason;
      const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      if (errors.length + lost.length > 0) throw joinErrors([...errors, ...lost]);
      completed = !joined.wasCut;
    },
    async () => {
      const all = settings.tunables.JOB_CLEANUP_POLICY === 'delete';
      const targets = [...step.targets, ...joined.targets];
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
