import { type ChaosResult, isOpen, LEASE_MARGIN_MS, type LedgerEntry } from '../../../api/index.ts';
import type { Fault, Injection } from '../fault.ts';

/** The ledger as it stands in `ChaosResult.status.ledger`. */
export type Ledger = Readonly<Record<string, LedgerEntry>>;

/** The entry stored before the first side effect. */
export function plannedEntry(
  fault: string,
  injection: Injection,
  now: number,
  holdMs: number,
  shape: Fault['shape'] = 'sustained',
): LedgerEntry {
  return {
    id: injection.id,
    fault,
    target: injection.target,
    parameters: injection.parameters,
    state: 'planned',
    plannedAt: timestamp(now),
    leaseExpiresAt: timestamp(now + holdMs + LEASE_MARGIN_MS),
    ...(shape === 'pulse' ? { instant: true } : {}),
  };
}

/** Which states may follow which; `reverted`, `done` and `failed` are final. */
const FOLLOWS: Readonly<Record<LedgerEntry['state'], readonly LedgerEntry['state'][]>> = {
  planned: ['injected', 'reverted', 'done', 'failed'],
  injected: ['reverted', 'done', 'failed'],
  reverted: [],
  done: [],
  failed: [],
};

/** Gives the entry in a later state; a state that may not follow leaves it as it is, so that marking twice is harmless. */
export function markEntry(
  entry: LedgerEntry,
  state: LedgerEntry['state'],
  now: number,
  message?: string,
): LedgerEntry {
  if (!FOLLOWS[entry.state].includes(state)) return entry;
  return {
    ...entry,
    state,
    ...(state === 'injected' || state === 'done' ? { injectedAt: entry.injectedAt ?? timestamp(now) } : {}),
    ...(state === 'reverted' ? { revertedAt: timestamp(now) } : {}),
    ...(message === undefined ? {} : { message }),
  };
}

/** The entries that may be in force. */
export function openEntries(ledger: Ledger | undefined): LedgerEntry[] {
  return Object.values(ledger ?? {}).filter(isOpen);
}

/** The entries of a run, of all its processes: ids begin with that of their run. */
export function ownEntries(result: Pick<ChaosResult, 'status'> | undefined, runId: string): LedgerEntry[] {
  return Object.values(result?.status?.ledger ?? {}).filter(({ id }) => id.startsWith(`${runId}.`));
}

/** Whether something stays in force until it is reverted; entries of pulses say that nothing does, and `done` that nothing did. */
export function isLasting({ instant, state }: LedgerEntry): boolean {
  return instant !== true && state !== 'done';
}

/** The injection of an entry: all that revert gets. */
export function injectionOf({ id, target, parameters }: LedgerEntry): Injection {
  return { id, target, parameters };
}

/** Closed entries kept beyond the open ones; a long run would otherwise outgrow its object. */
const CLOSED_ENTRIES_KEPT = 200;

/** Ids of the oldest closed entries that are more than are kept. */
export function entriesToForget(ledger: Ledger, kept: number = CLOSED_ENTRIES_KEPT): string[] {
  const closed = Object.values(ledger).filter((entry) => !isOpen(entry));
  closed.sort((a, b) => compare(a.plannedAt ?? '', b.plannedAt ?? ''));
  return closed.slice(0, Math.max(0, closed.length - kept)).map(({ id }) => id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** RFC 3339 with milliseconds. */
export function timestamp(now: number): string {
  return new Date(now).toISOString();
}
