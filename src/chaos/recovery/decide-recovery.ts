import { isOpen, type LedgerEntry } from '../../api/ledger.ts';
import type { ChaosResult } from '../../api/schema/result.ts';

/** How long a run's recovery is tried, from the first attempt on; then the rest is reported and left. */
const RECOVERY_LIMIT_MS = 75_000;

/** The same for a result, whose fault may hit what takes longer to come back. Pure. */
export function recoveryLimitMs(result: Pick<ChaosResult, 'status'> | undefined): number {
  const seconds = result?.status?.recovery?.limitSeconds ?? undefined;
  return seconds === undefined ? RECOVERY_LIMIT_MS : seconds * 1000;
}
/** After three failed attempts, a fourth would meet the same cause. */
const MAX_ATTEMPTS = 3;

/** One attempt to recover: a Job. */
export interface RecoveryAttempt {
  readonly attempt: number;
  readonly createdMs: number;
  /** Its pod has ended, well or not. */
  readonly finished: boolean;
}

/** Input of the decision about one result. */
interface RecoveryView {
  readonly nowMs: number;
  readonly result: ChaosResult;
  readonly attempts: readonly RecoveryAttempt[];
  /** Why the API server does not let a recovery start, if it does not. */
  readonly refusal?: string | undefined;
}

/** The action for one result. */
type RecoveryStep =
  | { readonly kind: 'nothing' }
  /** Entries of faults that act in an instant, such as a deleted pod: nothing is to be reverted, they only need to be closed. */
  | { readonly kind: 'close'; readonly ids: readonly string[] }
  | { readonly kind: 'start'; readonly attempt: number }
  | { readonly kind: 'wait'; readonly ms: number }
  /** The remaining faults, each as a sentence's part; the entries stay open. */
  | { readonly kind: 'give up'; readonly left: readonly string[]; readonly reason: string };

/**
 * Decides about the open ledger entries of an experiment that has died. Pure; the same for runner, operator and
 * command line, each of which may find what another began.
 */
export function decideRecovery(view: RecoveryView): RecoveryStep {
  const { nowMs, result, attempts, refusal } = view;
  const open = Object.values(result.status?.ledger ?? {}).filter(isOpen);
  if (open.length === 0) return { kind: 'nothing' };
  const instant = open.filter((entry) => entry.instant === true).map(({ id }) => id);
  if (instant.length > 0) return { kind: 'close', ids: instant };
  const left = open.map(describeLeft);
  if (refusal !== undefined) return { kind: 'give up', left, reason: refusal };
  if (!result.status?.recovery?.container?.image) {
    const reason = 'its ChaosResult does not say how to start the experiment again';
    return { kind: 'give up', left, reason };
  }
  const startedMs = Math.min(nowMs, ...attempts.map(({ createdMs }) => createdMs));
  const limitMs = recoveryLimitMs(result);
  const leftMs = startedMs + limitMs - nowMs;
  if (leftMs <= 0) return { kind: 'give up', left, reason: `not done in ${limitMs / 1000} s` };
  if (attempts.some(({ finished }) => !finished)) return { kind: 'wait', ms: leftMs };
  const last = Math.max(0, ...attempts.map(({ attempt }) => attempt));
  if (last >= MAX_ATTEMPTS) return { kind: 'give up', left, reason: `${last} attempts did not do it` };
  return { kind: 'start', attempt: last + 1 };
}

/** A ledger entry that stays open, in words: `pod-network-loss on pod shop/web-1 (node n1)`. */
export function describeLeft({ fault, target, message }: LedgerEntry): string {
  const { kind, namespace, name, node } = target;
  const object = namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
  const where = node === undefined ? '' : ` (node ${node})`;
  return `${fault} on ${object}${where}${message === undefined ? '' : `: ${message}`}`;
}

/** Message of entries of faults that act in an instant, whose run ended in between. */
export const UNKNOWN_WHETHER_DONE = 'the run ended before it was known whether this was done';

/** Merge patch of the status that closes entries of faults that act in an instant. */
export function closedEntries(ids: readonly string[]): Record<string, unknown> {
  const entry = { state: 'failed', message: UNKNOWN_WHETHER_DONE };
  return { ledger: Object.fromEntries(ids.map((id) => [id, entry])) };
}
