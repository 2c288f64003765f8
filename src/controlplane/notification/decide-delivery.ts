import { backoffDelayMs } from '@turnsole/kube/base/backoff';
import type { Random } from '@turnsole/kube/base/clock';

const BACKOFF = { baseMs: 10_000, maxMs: 60 * 60_000, jitter: 'equal' } as const;
/** Including the delays between them, somewhat more than half a day. */
export const MOST_ATTEMPTS = 20;
/** Older events are not worth delivering. */
const MOST_AGE_MS = 24 * 60 * 60_000;

/** Outcome of an attempt. */
export type Attempt = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** Next state of a delivery after an attempt. */
interface DeliveryOutcome {
  readonly state: 'WAITING' | 'DELIVERED' | 'DEAD';
  readonly attempts: number;
  readonly due_at: number;
  readonly last_error: string;
  readonly done_at: number | null;
}

/** Decides the next state of a delivery. Pure except for `random`. */
export function decideDelivery(
  delivery: { readonly attempts: number; readonly created_at: number; readonly last_error: string },
  attempt: Attempt,
  now: number,
  random: Random,
): DeliveryOutcome {
  const attempts = delivery.attempts + 1;
  if (attempt.ok) {
    return { state: 'DELIVERED', attempts, due_at: now, last_error: delivery.last_error, done_at: now };
  }
  const last_error = attempt.why.slice(0, 500);
  const isOver = attempts >= MOST_ATTEMPTS || delivery.created_at + MOST_AGE_MS <= now;
  if (isOver) return { state: 'DEAD', attempts, due_at: now, last_error, done_at: now };
  const due_at = now + Math.ceil(backoffDelayMs(attempts, BACKOFF, random));
  return { state: 'WAITING', attempts, due_at, last_error, done_at: null };
}
