import { EXIT } from '../../../process/exit-codes.ts';
import { printRemoved, withStore } from '../../image/with-store.ts';

export interface PruneOptions {
  readonly all?: boolean;
  /** Bytes. */
  readonly maxSize?: number;
}

/** `turnsole image prune`. */
export async function run({ all, maxSize }: PruneOptions): Promise<number> {
  const maxBytes = all === true ? 0 : maxSize;
  printRemoved(await withStore((store) => store.prune({ maxBytes })));
  return EXIT.pass;
}
