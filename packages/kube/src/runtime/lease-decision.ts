import type { Lease } from '../kinds/core.ts';
import { metaMicroTime } from '../text/time.ts';

/** What a candidate knows of the lease: the record, and when it first saw it in this form, by its own clock. */
export interface ObservedLease {
  readonly lease: Lease | undefined;
  readonly seenAt: number;
}

/** The next action of a candidate. */
type LeaseDecision =
  | { readonly action: 'create' }
  /** Ours: renew it. */
  | { readonly action: 'renew'; readonly lease: Lease }
  /** Released, or its holder has been silent for its whole duration: take it. */
  | { readonly action: 'take'; readonly lease: Lease; readonly reason: 'released' | 'expired' }
  | { readonly action: 'wait'; readonly waitMs: number; readonly holder: string };

/**
 * Whether a candidate may hold the lease now. Pure.
 *
 * Expiry is counted from the moment at which the candidate saw the record change, and `renewTime` is never compared with
 * its own clock: clocks that differ by hours do no harm, only clocks that run at different speeds would.
 * (The rule of client-go's leader election.)
 */
export function decideLease(
  observed: ObservedLease,
  identity: string,
  leaseDurationMs: number,
  now: number,
): LeaseDecision {
  const { lease } = observed;
  if (lease === undefined) return { action: 'create' };
  const holder = lease.spec?.holderIdentity ?? '';
  if (holder === identity) return { action: 'renew', lease };
  if (holder === '') return { action: 'take', lease, reason: 'released' };
  // The holder's own promise counts where it is there: it may be configured otherwise than we are.
  const durationMs =
    lease.spec?.leaseDurationSeconds === undefined
      ? leaseDurationMs
      : lease.spec.leaseDurationSeconds * 1_000;
  const waitMs = observed.seenAt + durationMs - now;
  return waitMs <= 0 ? { action: 'take', lease, reason: 'expired' } : { action: 'wait', waitMs, holder };
}

/** The spec a holder writes. `previous` is what stood there; a change of holder counts as a transition. */
export function leaseSpec(
  previous: Lease['spec'] | undefined,
  identity: string,
  leaseDurationMs: number,
  now: number,
): NonNullable<Lease['spec']> {
  const isSameHolder = previous?.holderIdentity === identity;
  const time = metaMicroTime(now);
  return {
    ...previous,
    holderIdentity: identity,
    leaseDurationSeconds: Math.max(1, Math.ceil(leaseDurationMs / 1_000)),
    renewTime: time,
    acquireTime: isSameHolder ? (previous?.acquireTime ?? time) : time,
    leaseTransitions: (previous?.leaseTransitions ?? 0) + (isSameHolder || previous === undefined ? 0 : 1),
  };
}

/** The spec by which a holder gives the lease up: no holder, and a duration that lets older candidates take it at once too. */
export function releasedSpec(previous: NonNullable<Lease['spec']>, now: number): NonNullable<Lease['spec']> {
  const time = metaMicroTime(now);
  return { ...previous, holderIdentity: '', leaseDurationSeconds: 1, renewTime: time, acquireTime: time };
}
