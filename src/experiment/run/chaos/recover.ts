import type { LedgerEntry } from '../../../api/index.ts';
import { joinErrors } from '../../injection/injector.ts';
import { openEntries } from '../../injection/ledger/ledger.ts';
import { objectOf } from '../../injection/ledger/ledger-steps.ts';
import type { Run } from '../lifecycle/run.ts';
import { injectorOf } from './run-injector.ts';

/**
 * Reverts what an earlier incarnation of this experiment left open, before anything new is injected: its process or its node
 * was lost between planning and reverting.
 *
 * @throws RevertError when something cannot be reverted; a new fault on top of an old one would hide both
 */
export async function recoverEarlier(run: Run): Promise<void> {
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
  ledger.adopt(own);
  if (fault.where === 'node' && fault.shape === 'sustained') {
    return (await import('./recover-on-nodes.ts')).recoverOnNodes(run, own);
  }
  const errors = await injectorOf(run).revert(own, new AbortController().signal);
  if (errors.length > 0) throw joinErrors(errors);
}

/** Another fault under the same experiment name (a changed ChaosExperiment) cannot be reverted by this one. */
function ownEntries(entries: readonly LedgerEntry[], fault: string): LedgerEntry[] {
  return entries.filter((entry) => entry.fault === fault);
}
