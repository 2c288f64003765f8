import type { LocatedProcess } from '../../experiment/node/container-locator.ts';
import { runInside } from '../../experiment/node/enter.ts';
import { removeRules } from './rules.ts';

/** Removes a table from the network of a process, whether it is there or not; the interceptor ends by that. */
export async function removeRedirection(process: LocatedProcess, table: string): Promise<void> {
  // A kernel without IPv6 has no tables of it.
  for (const family of ['ip', 'ip6'] as const) {
    await runInside(process, { namespaces: ['net'], accept: family === 'ip' ? [0] : [0, 1] }, [
      'nft',
      removeRules(table, [family]).trim().replaceAll('\n', '; '),
    ]);
  }
}
