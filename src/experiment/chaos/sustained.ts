import type { InjectionTarget } from '../../api/index.ts';
import type { FaultContext } from '../fault.ts';
import type { LedgerBook } from '../ledger/ledger-book.ts';
import { stepsOf } from '../schedule/rounds.ts';
import { both } from './both.ts';
import { type Injector, joinErrors } from './injector.ts';

/** A fault that is held. */
export interface SustainedInput {
  readonly injector: Injector;
  readonly ledger: LedgerBook;
  readonly context: FaultContext;
  readonly durationMs: number;
  readonly sequence: 'serial' | 'parallel';
  readonly targets: readonly InjectionTarget[];
  /** Called when a step begins to act. */
  readonly onStep: () => void;
  /** Waits while the fault is in force; a helper also watches there whether it still may. @default sleeps */
  readonly hold?: (durationMs: number) => Promise<void>;
}

/**
 * Injects, holds for the duration, reverts: all targets at once, or in serial mode one after another, each for the whole
 * duration. Whatever ends the hold, an error and an abort too, reverting follows; it has a signal of its own.
 */
export async function runSustained(input: SustainedInput): Promise<void> {
  const { injector, context } = input;
  // Refuse before anything is hit: each step plans again with fresh facts.
  if (input.sequence === 'serial') await injector.plan(input.targets, 0);
  for (const [index, step] of stepsOf(input.targets, input.sequence).entries()) {
    const injections = await injector.plan(step, index);
    input.onStep();
    await both(
      async () => {
        await injector.inject(injections);
        await (input.hold ?? ((ms) => context.clock.sleep(ms, context.signal)))(input.durationMs);
      },
      () => revertOpen(input),
    );
  }
}

/** Reverts everything that may be in force; throws what could not be reverted. */
export async function revertOpen(
  { injector, ledger }: Pick<SustainedInput, 'injector' | 'ledger'>,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const errors = await injector.revert(ledger.open, signal);
  if (errors.length > 0) throw joinErrors(errors);
}
