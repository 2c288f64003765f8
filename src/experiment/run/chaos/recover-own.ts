import { isOpen, type LedgerEntry } from '../../../api/index.ts';
import { ownEntries } from '../../injection/ledger/ledger.ts';
import { objectOf } from '../../injection/ledger/ledger-steps.ts';
import type { Run } from '../lifecycle/run.ts';

/**
 * Reverts what ended helpers of this run left open: one was killed, or its node is gone. New helpers revert it now, also
 * after an abort, for nothing may be left in force.
 */
export async function recoverOwn(
  run: Run,
  isMeant: (entry: LedgerEntry) => boolean = () => true,
): Promise<void> {
  if (run.fault.shape !== 'sustained') return;
  const own = ownEntries(await run.writer.read(), run.settings.runId).filter(
    (entry) => isOpen(entry) && entry.fault === run.fault.name && isMeant(entry),
  );
  if (own.length === 0) return;
  for (const { target } of own) {
    const message = 'its helper is gone; another one reverts';
    run.timeline.note({ step: 'RecoveryStarted', object: objectOf(target), message });
    // The helper that reverts it does not know until when it was in force. An earlier loss that was seen counts before this one.
    run.force.lost(target, 'HelperLost');
  }
  await (await import('./recover-on-nodes.ts')).recoverOnNodes(run, run.force.complete(own));
}
