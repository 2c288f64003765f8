import { isOpen, type LedgerEntry } from '../../../api/ledger.ts';
import type { HitGroup } from './model.ts';

/** What was hit, by workload, in the order in which it was hit first. Pure. */
export function hitGroups(entries: readonly LedgerEntry[]): HitGroup[] {
  const hit = entries.filter(({ injectedAt, state }) => injectedAt !== undefined && state !== 'failed');
  const groups = Map.groupBy(hit, ({ target }) => JSON.stringify([kindOf(target), target.owner?.name]));
  return [...groups.values()]
    .map((own): HitGroup => {
      const times = own
        .map(({ injectedAt }) => Date.parse(injectedAt ?? ''))
        .filter((ms) => !Number.isNaN(ms));
      const [first] = own;
      const of = first?.target.owner?.name;
      return {
        kind: first === undefined ? '' : kindOf(first.target),
        ...(of !== undefined && { of }),
        objects: new Set(
          own.map(({ target }) => JSON.stringify([target.namespace, target.name, target.container])),
        ).size,
        times: own.length,
        open: own.filter((entry) => isOpen(entry) && entry.instant !== true).length,
        firstMs: Math.min(...times),
        lastMs: Math.max(...times),
      };
    })
    .toSorted((a, b) => a.firstMs - b.firstMs);
}

function kindOf({ kind, container }: LedgerEntry['target']): string {
  return container === undefined ? kind : 'container';
}
