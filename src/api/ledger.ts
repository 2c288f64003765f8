/**
 * The ledger: what a run has injected, kept in `ChaosResult.status.ledger` as a map from injection id to entry.
 *
 * It is a map and not a list so that the experiment and several helpers can each write their own key with a JSON merge
 * patch, without conflicts. Order of states: `planned` is stored before the first side effect, `injected` after it,
 * `reverted` after the revert. Everything that is not `reverted`, `done` or `failed` is what recovery has to look at.
 */
export interface LedgerEntry {
  readonly id: string;
  readonly fault: string;
  readonly target: InjectionTarget;
  /** What inject and revert need; JSON, decided by the fault's `plan`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  state: 'planned' | 'injected' | 'reverted' | 'done' | 'failed';
  /** RFC 3339 times with milliseconds. */
  plannedAt?: string;
  injectedAt?: string;
  revertedAt?: string;
  /** When the injector reverts by itself unless the lease is renewed (dead-man switch). */
  leaseExpiresAt?: string;
  message?: string;
  /** Nothing stays in force (a killed process, a deleted pod): a recovery that finds it open only closes it. */
  readonly instant?: boolean;
  /** Its effect when its time was over; absent when that is unknown. */
  readonly effect?: InjectionEffect;
  /** When a held fault was in force on its target, oldest first. */
  readonly inForce?: readonly ForceWindow[];
}

/** A time in which an injection was in force; RFC 3339 times with milliseconds. */
export interface ForceWindow {
  readonly from: string;
  /** Absent while it lasts, and where its end is not known. */
  readonly to?: string;
  /** Why it ended. */
  readonly ended?: ForceEnd;
}

/**
 * Why an injection was in force no longer: it was reverted; its pod was gone; its container restarted, or the process that did it (a load,
 * an interceptor) ended or could not renew its rules in time, after which another window follows where the fault came into force again; or
 * its helper was lost.
 */
export type ForceEnd =
  | 'Reverted'
  | 'PodGone'
  | 'ContainerRestarted'
  | 'ProcessEnded'
  | 'NotRenewed'
  | 'HelperLost';

/** How long after its planned end an injection's lease runs: time for a slow revert before others step in. */
export const LEASE_MARGIN_MS = 30_000;

/** The effect of an injection. */
export interface InjectionEffect {
  /** False only where an effect would have been counted, and was not. */
  readonly seen: boolean;
  /** What was counted, and for a missing effect, what to look at. */
  readonly message: string;
  /** What a load got of what could be got of it, 0 to 1; absent of faults that ask for no amount. */
  readonly share?: number;
}

/** Whether recovery has to look at it: it may be in force. */
export function isOpen({ state }: Pick<LedgerEntry, 'state'>): boolean {
  return state === 'planned' || state === 'injected';
}

/** What an injection acts on. The uid pins the incarnation: a recreated object of that name is another target. */
export interface InjectionTarget {
  /** Lower-case kind as in history.targets: pod, node, deployment… */
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  /** For faults that act on a node's kernel: where the helper has to run. */
  readonly node?: string;
  readonly container?: string;
  /** The workload the target belongs to, when it has one. */
  readonly owner?: { readonly kind: string; readonly name: string; readonly uid?: string };
}
