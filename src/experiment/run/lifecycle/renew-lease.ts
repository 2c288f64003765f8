import { timestamp } from '../../injection/ledger/ledger.ts';
import { isRefusal } from '../../injection/result/result-writer.ts';
import type { Run } from './run.ts';

/** After a write that failed: helpers wait for no more than one renewal once they reach the API server again. */
const RETRY_MS = 1_000;

/** Time to make an account, a role or its binding anew. */
const REFUSED_MS = 5_000;

/**
 * Shows helpers that their experiment lives: the lease of the run is stored now, with whatever is stored next, and again three
 * times per length until the returned function is called. One small write each, whatever the number of helpers. A write that fails is
 * tried again each second; should none succeed, the helpers revert, as they should.
 *
 * @param onRefused called once, when the API server has refused the account of this run for {@link REFUSED_MS}: it was deleted, or has lost its
 *   permissions, so that nothing can be stored any more
 */
export function renewLease({
  clock,
  settings,
  writer,
  onRefused,
}: Pick<Run, 'clock' | 'settings'> & {
  readonly writer: Pick<Run['writer'], 'write'>;
  readonly onRefused: (error: Error) => void;
}): () => void {
  const { LEASE_SECONDS: durationSeconds } = settings.tunables;
  let isOver = false;
  let refusedSinceMs: number | undefined;
  let isReported = false;
  let stopTimer = (): void => {};
  const renewIn = (ms: number): void => {
    stopTimer();
    if (!isOver) stopTimer = clock.setTimer(ms, renew);
  };
  const renew = (): void => {
    renewIn((durationSeconds * 1000) / 3);
    const lease = { renewTime: timestamp(clock.now()), durationSeconds };
    const failed = (error: unknown): void => {
      renewIn(RETRY_MS);
      if (!isRefusal(error)) {
        refusedSinceMs = undefined;
        return;
      }
      refusedSinceMs ??= clock.monotonic();
      if (clock.monotonic() - refusedSinceMs < REFUSED_MS || isReported || isOver) return;
      isReported = true;
      onRefused(error);
    };
    void writer.write({ status: { lease } }).then(() => {
      refusedSinceMs = undefined;
    }, failed);
  };
  renew();
  return () => {
    isOver = true;
    stopTimer();
  };
}
