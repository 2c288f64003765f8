import type { ChaosResult, LedgerEntry } from '../../../api/index.ts';
import { abandoned } from '../../../chaos/force-windows.ts';
import { joinErrors } from '../../injection/injector.ts';
import { openEntries } from '../../injection/ledger/ledger.ts';
import { objectOf } from '../../injection/ledger/ledger-steps.ts';
import type { Run } from '../lifecycle/run.ts';
import { injectorOf } from './run-injector.ts';

/**
 * Reverts what an earlier incarnation of this experiment left open, before anything new is injected: its process or its node
 * was lost between planning and reverting.
 *
 * @param earlier the result as that left it
 * @throws RevertError when something cannot be reverted; a new fault on top of an old one would hide both
 */
export async function recoverEarlier(run: Run, earlier: ChaosResult | undefined): Promise<void> {
  const entries = openEntries(run.writer.current?.status?.ledger);
  if (entries.length === 0) return;
  const { fault, ledger } = run;
  for (const { id, target } of entries) {
    run.timeline.note({
      step: 'RecoveryStarted',
      object: objectOf(target),
      message: `ledger entry ${id} of an earlier run is open`,
    });
  }
  const own = ownEntries(entries, fault.name);
  if (fault.where === 'node' && fault.shape === 'sustained') {
    return (await import('./recover-on-nodes.ts')).recoverOnNodes(
      run,
      endedWithLease(own, earlier ?? {}, run.clock.now()),
    );
  }
  ledger.adopt(own);
  const errors = await injectorOf(run).revert(own, new AbortController().signal);
  if (errors.length > 0) throw joinErrors(errors);
}

/** Of helpers that did not outlive their experiment for long, nothing is known since its last sign of life. */
function endedWithLease(
  entries: readonly LedgerEntry[],
  { status }: Pick<ChaosResult, 'status'>,
  nowMs: number,
): LedgerEntry[] {
  const renewedMs = Date.parse(status?.lease?.renewTime ?? '');
  const atMs = Number.isNaN(renewedMs) ? nowMs : renewedMs;
  return entries.map((entry) => {
    const inForce = abandoned(entry.inForce, atMs);
    return inForce === entry.inForce || inForce === undefined ? entry : { ...entry, inForce };
  });
}

/** Another fault under the same experiment name (a changed ChaosExperiment) cannot be reverted by this one. */
function ownEntries(entries: readonly LedgerEntry[], fault: string): LedgerEntry[] {
  return entries.filter((entry) => entry.fault === fault);
}
