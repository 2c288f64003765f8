import type { Clock } from '@turnsole/kube/base/clock';

/** By then a kubelet has reported that the container of a pod runs. */
const YOUNG_MS = 10_000;
/** Longest wait for a signal: where no operator deletes the pod, none comes. */
const FAREWELL_MS = 3_000;

/** What {@link awaitStopSignal} depends on. */
interface StopSignalOptions {
  /** How long the process has been running. */
  readonly ageMs: number;
  readonly clock: Clock;
  /** Aborted by SIGTERM. */
  readonly signal: AbortSignal;
}

/**
 * Keeps a young process that saw its engine stop until its pod gets the stop signal. Kubelets before 1.27 that are still starting a pod
 * when its container has ended and its deletion comes keep the pod until their next round, which may be a minute later.
 */
export async function awaitStopSignal({ ageMs, clock, signal }: StopSignalOptions): Promise<void> {
  if (ageMs < YOUNG_MS) await clock.sleep(FAREWELL_MS, signal).catch(() => {});
}
