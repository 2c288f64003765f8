import { EXIT } from '../../../process/exit-codes.ts';
import { printRemoved, withStore } from '../../image/with-store.ts';

/** `turnsole image remove`. */
export async function run(names: readonly string[]): Promise<number> {
  const removed = await withStore((store) => store.remove(names));
  printRemoved(removed);
  return removed.inUse.length === 0 ? EXIT.pass : EXIT.couldNotRun;
}
