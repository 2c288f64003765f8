import type { FaultContext } from '../injection/fault.ts';
import type { Injector } from '../injection/injector.ts';
import type { LedgerBook } from '../injection/ledger/ledger-book.ts';
import { runWithCleanup } from '../injection/run-with-cleanup.ts';
import { revertOpen } from '../injection/sustained.ts';
import { type Unwanted, whileWanted } from '../injection/while-wanted.ts';

/** The rounds of a helper. */
interface RepeatInput {
  readonly injector: Injector;
  readonly ledger: LedgerBook;
  readonly context: Pick<FaultContext, 'signal' | 'clock'>;
  /** Repeats the fault until its time is over, or the signal ends it. */
  readonly rounds: (signal: AbortSignal, permission: Promise<void>) => Promise<void>;
  /** Resolves when the run wants no more rounds. @default they are wanted for their time */
  readonly unwanted?: Unwanted;
  /** Resolves when the writes under way have ended. */
  readonly flush: () => Promise<void>;
}

/**
 * Repeats an instantaneous fault for as long as it is wanted. Whatever ends it, the ledger says then what came of every injection: the
 * experiment may be gone, and no other component looks at entries of which nothing is in force.
 */
export async function repeatInHelper(input: RepeatInput): Promise<void> {
  const { injector, ledger, rounds, flush } = input;
  let straggler: Promise<unknown> | undefined;
  await runWithCleanup(
    () =>
      whileWanted(input, rounds, (late) => {
        straggler = late;
      }),
    async () => {
      await revertOpen({ injector, ledger });
      // What it had planned meanwhile.
      if (straggler !== undefined) await straggler.then(() => revertOpen({ injector, ledger }));
      await flush();
      await ledger.storeAgain();
    },
  );
}
