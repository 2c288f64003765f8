import type { InjectionTarget, LedgerEntry } from '../../api/index.ts';
import type { FaultContext, Injection } from './fault.ts';
import { type Injector, joinErrors } from './injector.ts';
import type { LedgerBook } from './ledger/ledger-book.ts';
import { runWithCleanup } from './run-with-cleanup.ts';
import { stepsOf } from './schedule/rounds.ts';
import { type Unwanted, whileWanted } from './while-wanted.ts';

/** A fault that is held. */
interface SustainedInput {
  readonly injector: Injector;
  readonly ledger: LedgerBook;
  readonly context: FaultContext;
  readonly durationMs: number;
  readonly sequence: 'serial' | 'parallel';
  readonly targets: readonly InjectionTarget[];
  /** The targets of a step, as it begins. @default those that were chosen for it */
  readonly targetsOf?: (
    chosen: readonly InjectionTarget[],
    step: number,
  ) => Promise<readonly InjectionTarget[]>;
  /** Round of the first step, for the ids. @default 0 */
  readonly firstRound?: number;
  /** How long the fault is still to be held, asked when it has come into force. @default the duration */
  readonly leftMs?: () => number;
  /**
   * Goes on while a step is held, and resolves soon after its signal ends it, with what it has injected on its way; all of it is held and
   * reverted with the step.
   */
  readonly beside?: (
    step: number,
    targets: readonly InjectionTarget[],
    signal: AbortSignal,
  ) => Promise<readonly Injection[]>;
  /** Called when a step begins to act. */
  readonly onStep: () => void;
  /** Waits while the fault is in force. @default sleeps */
  readonly hold?: (durationMs: number, injections: readonly Injection[]) => Promise<void>;
  /** Resolves when what was hit has recovered; called when it is reverted after its whole time. */
  readonly settle?: (injections: readonly Injection[]) => Promise<void>;
  /**
   * Resolves when the run ends; rejects when the lease ended without a word from it: it is reverted then. Asked from before
   * anything is in force; its signal ends it. @default the fault is wanted for its time
   */
  readonly unwanted?: Unwanted;
  /** Called when the last revert is about to begin. */
  readonly onOver?: () => void;
}

/**
 * Injects, holds for the duration, reverts: all targets at once, or in serial mode one after another, each for the whole
 * duration. Whatever ends the hold, an error and an abort too, reverting follows; it has a signal of its own.
 */
export async function runSustained(input: SustainedInput): Promise<void> {
  const { injector, context } = input;
  // Refuse before anything is hit: each step plans again with fresh facts.
  if (input.sequence === 'serial') await injector.plan(input.targets, 0);
  const steps = stepsOf(input.targets, input.sequence);
  for (const [index, chosen] of steps.entries()) {
    const step = (await input.targetsOf?.(chosen, index)) ?? chosen;
    const injections = await injector.plan(step, (input.firstRound ?? 0) + index);
    let held: readonly Injection[] = injections;
    input.onStep();
    let isComplete = false;
    let straggler: Promise<unknown> | undefined;
    const work = async (signal: AbortSignal, permission: Promise<void>): Promise<void> => {
      await injector.inject(injections, signal, permission);
      const over = new AbortController();
      const beside =
        input.beside?.(index, step, AbortSignal.any([signal, over.signal])) ?? Promise.resolve([]);
      try {
        const hold = input.hold ?? ((ms: number) => context.clock.sleep(ms, signal));
        await hold(input.leftMs?.() ?? input.durationMs, injections);
      } finally {
        over.abort();
        held = [...injections, ...(await beside.catch(() => []))];
      }
      await injector.noteEffects(held, signal);
      isComplete = !signal.aborted;
    };
    await runWithCleanup(
      () =>
        whileWanted(input, work, (late) => {
          straggler = late;
        }),
      async () => {
        if (index === steps.length - 1) input.onOver?.();
        // Reverted at once, and closed when it can no longer come into force: a closed entry counts as over.
        if (straggler !== undefined) {
          await injector.undo(input.ledger.open, new AbortController().signal);
          await straggler;
        }
        await revertOpen(input);
      },
    );
    if (isComplete) await input.settle?.(held);
  }
}

/** Reverts everything that may be in force, or the given part of it; throws what could not be reverted. */
export async function revertOpen(
  { injector, ledger }: Pick<SustainedInput, 'injector' | 'ledger'>,
  isMeant: (entry: LedgerEntry) => boolean = () => true,
): Promise<void> {
  const errors = await injector.revert(ledger.open.filter(isMeant), new AbortController().signal);
  if (errors.length > 0) throw joinErrors(errors);
}
