import { timestamp } from '../../injection/ledger/ledger.ts';
import type { Run } from './run.ts';

/** After a write that failed: helpers wait for no more than one renewal once they reach the API server again. */
const RETRY_MS = 1_000;

/**
 * Shows helpers that their experiment lives: the lease of the run is stored now, with whatever is stored next, and again three
 * times per length until the returned function is called. One small write each, whatever the number of helpers. A write that fails is
 * tried again each second; should none succeed, the helpers revert, as they should.
 */
export function renewLease({
  clock,
  settings,
  writer,
}: Pick<Run, 'clock' | 'settings'> & { readonly writer: Pick<Run['writer'], 'write'> }): () => void {
  const { LEASE_SECONDS: durationSeconds } = settings.tunables;
  let isOver = false;
  let stopTimer = (): void => {};
  const renewIn = (ms: number): void => {
    stopTimer();
    if (!isOver) stopTimer = clock.setTimer(ms, renew);
  };
  const renew = (): void => {
    renewIn((durationSeconds * 1000) / 3);
    const lease = { renewTime: timestamp(clock.now()), durationSeconds };
    void writer.write({ status: { lease } }).catch(() => renewIn(RETRY_MS));
  };
  renew();
  return () => {
    isOver = true;
    stopTimer();
  };
}
