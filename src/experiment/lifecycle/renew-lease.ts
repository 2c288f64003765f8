import { timestamp } from '../ledger/ledger.ts';
import type { Run } from './run.ts';

/**
 * Tells helpers that their experiment lives: the lease of the run is stored now, with whatever is stored next, and again three
 * times per length until the returned function is called. One small write each, whatever the number of helpers.
 */
export function renewLease(run: Run): () => void {
  const { clock, settings, writer } = run;
  const leaseMs = settings.tunables.LEASE_SECONDS * 1000;
  let stopTimer = (): void => {};
  const renew = (): void => {
    const lease = { renewTime: timestamp(clock.now()), durationSeconds: settings.tunables.LEASE_SECONDS };
    // A write that fails is followed by the next one; should none succeed, the helpers revert, as they should.
    void writer.write({ status: { lease } }).catch(() => {});
    stopTimer = clock.setTimer(leaseMs / 3, renew);
  };
  renew();
  return () => stopTimer();
}
