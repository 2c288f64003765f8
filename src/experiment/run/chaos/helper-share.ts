import type { InjectionTarget } from '../../../api/index.ts';
import { describeError } from '../../injection/errors.ts';
import { ownEntries } from '../../injection/ledger/ledger.ts';
import { runWithCleanup } from '../../injection/run-with-cleanup.ts';
import { LostHelperError, NoRoomError } from '../helper/follow-helper.ts';
import type { HelperShare } from '../helper/helper-pod.ts';
import type { Run } from '../lifecycle/run.ts';
import { recoverOwn } from './recover-own.ts';
import { isSameTarget } from './released-helpers.ts';

/** What is hit at once, by the nodes of the targets. */
export interface HelperStep {
  readonly shares: readonly HelperShare[];
  readonly targets: readonly InjectionTarget[];
  /** Number of the step in the run. */
  readonly step: number;
  /** Targets of later steps. */
  readonly later: readonly InjectionTarget[];
}

/** Does something with a helper; once more without requests where its node has no room for it. */
export async function withRoom(
  run: Run,
  { node }: HelperShare,
  attempt: (unlimited: boolean) => Promise<void>,
): Promise<void> {
  await attempt(false).catch((error: unknown) => {
    if (!(error instanceof NoRoomError)) throw error;
    const message = `${error.message}; trying again without requests`;
    run.timeline.note({ step: 'HelperRefused', object: `node/${node}`, message });
    return attempt(true);
  });
}

/**
 * The windows of a lost helper end when it was last known to be at work; of one that has reverted by itself, when it says so.
 *
 * @param error why it is followed no longer; one that is not lost has reverted when it ended
 */
export function noteLost(run: Run, share: HelperShare, error: unknown): void {
  if (!(error instanceof LostHelperError)) return;
  for (const target of share.targets) run.force.lost(target, 'HelperLost', error.atMs);
}

/**
 * A helper was lost after its fault came into force: has another one revert what it left.
 *
 * @throws the error with which it was lost, and what could not be reverted
 */
export async function recoverLost(run: Run, share: HelperShare, error: unknown): Promise<void> {
  const message = `${describeError(error)}; the others go on`;
  run.timeline.note({ step: 'HelperLost', object: `node/${share.node}`, message });
  await runWithCleanup(
    () => Promise.reject(error),
    () => recoverOwn(run, ({ target }) => isOfShare(share, target)),
  );
}

/** When the last target of a share was reverted, by the ledger; now, when the ledger does not say. */
export async function revertedAt(run: Run, share: HelperShare): Promise<number> {
  const result = run.stop.aborted ? undefined : await run.writer.read().catch(() => undefined);
  const times = ownEntries(result, run.settings.runId)
    .filter(({ target }) => isOfShare(share, target))
    .map((entry) => Date.parse(entry.revertedAt ?? ''));
  const last = Math.max(...times);
  return Number.isFinite(last) ? last : run.clock.now();
}

/** Whether every target of a share was hit in this run, by the ledger; what cannot be read was not. */
export async function wasInForce(run: Run, { targets }: HelperShare): Promise<boolean> {
  const result = await run.writer.read().catch(() => undefined);
  const hit = ownEntries(result, run.settings.runId).filter(
    ({ injectedAt, state }) => injectedAt !== undefined || state === 'done',
  );
  return targets.every((target) => hit.some((entry) => isSameTarget(entry.target, target)));
}

/** Whether a target is one of a share. Pure. */
export function isOfShare({ targets }: HelperShare, target: InjectionTarget): boolean {
  return targets.some((one) => isSameTarget(one, target));
}
