import { isOpen, type LedgerEntry } from '../../../api/index.ts';
import { runIdOfInjection } from '../../../chaos/run-id.ts';
import { membersOf } from '../lenient.ts';

/**
 * Ids of what runs have left in force: entries of a result's ledger that are open although the run is over, or that another run than
 * the present one has made. A run that goes on is itself answerable for its own. Pure.
 */
export function residueOf(ledger: unknown, runId: string, isOver: boolean): string[] {
  return Object.entries(membersOf(ledger))
    .filter(
      ([id, entry]) => isEntryOpen(entry) && (isOver || (runId !== '' && runIdOfInjection(id) !== runId)),
    )
    .map(([id]) => id);
}

/** What became of residue between two looks at a result. */
interface ResidueChange {
  readonly found: number;
  /** It is gone from the open ones. */
  readonly closed: number;
}

/** Compares the injections that were left in force before with those of now. Pure. */
export function residueChange(before: readonly string[], now: readonly string[]): ResidueChange {
  if (before.length === 0 && now.length === 0) return { found: 0, closed: 0 };
  const [known, present] = [new Set(before), new Set(now)];
  return { found: present.difference(known).size, closed: known.difference(present).size };
}

function isEntryOpen(entry: unknown): boolean {
  const { state } = membersOf(entry);
  return isOpen({ state: state as LedgerEntry['state'] });
}
