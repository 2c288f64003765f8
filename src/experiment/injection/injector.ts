import { allInOrder } from '@turnsole/kube/base/all-in-order';
import { Backoff } from '@turnsole/kube/base/backoff';
import { unlessAborted } from '@turnsole/kube/base/unless-aborted';
import type { InjectionEffect, InjectionTarget, LedgerEntry } from '../../api/index.ts';
import { UNKNOWN_WHETHER_DONE } from '../../chaos/recovery/decide-recovery.ts';
import { describeSpent, PacedLimit } from '../../process/pace/paced-limit.ts';
import { ownRunDelayMs, RunDelay } from '../../process/pace/run-delay.ts';
import { ChaosError, describeError, InjectError, RevertError } from './errors.ts';
import type { Fault, FaultContext, Injection, ObservedTarget } from './fault.ts';
import { injectionId } from './injection-id.ts';
import { injectionOf, isLasting } from './ledger/ledger.ts';
import type { LedgerBook } from './ledger/ledger-book.ts';
import { injectedStep, nameOf, objectOf, revertedStep } from './ledger/ledger-steps.ts';
import { isOutage } from './result/result-writer.ts';
import type { TunableSchema, Tunables } from './tunables.ts';

/** What an injector needs. */
interface InjectorOptions {
  readonly fault: Fault;
  readonly tunables: Tunables<TunableSchema>;
  readonly context: FaultContext;
  readonly ledger: LedgerBook;
  /** Part of the ids, so that entries of two runs never meet. */
  readonly runId: string;
  /** Called when the plan is stored, before anything is injected. Throws when an abort is known by then. */
  readonly assertWanted?: () => void;
  /** Called when an injection is in force, each time. */
  readonly onInForce?: () => void;
}

/** Message of an entry that an abort was faster than. */
const NOT_INJECTED = 'nothing was injected: the run was aborted before';
/** Longest time one revert is tried again before its entry is left open for recovery. */
const REVERT_LIMIT_MS = 30_000;
/** First and longest pause before it is tried again. */
const REVERT_RETRY = { baseMs: 200, maxMs: 2_000, jitter: 'none' } as const;
const STORE_RETRY_MS = 200;
/**
 * Longest time that finding out about effects may keep a revert waiting: with a processor for this process and those it has started, and in
 * all, on a machine that gives them none.
 */
const EFFECT_LIMIT = { limitMs: 5_000, capMs: 30_000 };
/** Why a fault gives no answer about an effect. */
const NOTHING_COUNTED = 'nothing counts it, or what counted it is gone';
/** Longest time an outage of the API server may last for the outcome of a revert to be stored after it by who reverted. */
const CLOSE_LIMIT_MS = 600_000;

/** Carries injections out in the order the contract asks for: planned is stored, then the side effect, then its outcome. */
export class Injector {
  readonly #options: InjectorOptions;

  constructor(options: InjectorOptions) {
    this.#options = options;
  }

  /** Observes the targets and gives the injections of a round, with ids that are unique in the run. No side effect. */
  async plan(targets: readonly InjectionTarget[], round: number): Promise<readonly Injection[]> {
    const { fault, tunables, context, runId } = this.#options;
    const observed: readonly ObservedTarget[] =
      fault.observe === undefined
        ? targets
        : await allInOrder(targets.map((target) => this.#observe(target)));
    const injections = fault.plan({ tunables, targets: observed, round, random: context.random });
    const idle = fault.idleReason?.(tunables);
    return injections.map((injection) => ({
      ...(idle === undefined ? {} : { idle }),
      ...injection,
      id: injectionId(runId, round, injection.id),
    }));
  }

  /**
   * Stores the plan and injects all of it at once. After a failure, what was injected stays open for {@link revert}. Does not wait until
   * the outcome is stored: planned and injected are both open, and a server that does not answer then must not keep the run from
   * reverting in time.
   *
   * @param permission resolves when it is known that the fault is wanted, which is asked for while the plan is stored; an abort
   *   that is known by then wins @default it is wanted
   */
  async inject(
    injections: readonly Injection[],
    signal: AbortSignal = this.#options.context.signal,
    permission: Promise<void> = Promise.resolve(),
  ): Promise<void> {
    const { ledger, fault } = this.#options;
    const context = { ...this.#options.context, signal };
    await ledger.plan(injections);
    await this.#permitted(injections, signal, permission);
    const outcomes = await Promise.allSettled(injections.map((one) => this.#injectOne(one, context)));
    const succeeded = injections.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    const after = fault.shape === 'pulse' ? 'done' : 'injected';
    const ids = succeeded.map(({ id }) => id);
    // If this cannot be stored now, the next mark stores it, and that one is waited for.
    ledger.mark(ids, after).catch(() => {});
    signal.throwIfAborted();
    const errors = outcomes.flatMap((outcome, index) =>
      outcome.status === 'rejected' ? [this.#failed(injections[index], outcome.reason)] : [],
    );
    if (errors.length > 0) throw joinErrors(errors);
  }

  /**
   * Asks for the effects of the injections in force, and keeps the answers with the ledger entries, which the revert stores. What is known
   * to change nothing is not asked. An answer that does not come in time counts as unknown, and the timeline says so; never rejects.
   */
  async noteEffects(injections: readonly Injection[], signal: AbortSignal): Promise<void> {
    const { fault } = this.#options;
    if (fault.shape !== 'sustained') return;
    for (const { id, target, idle } of injections) {
      if (idle !== undefined) this.#keepEffect(id, target, { seen: false, message: idle });
    }
    const open = injections.filter(({ idle }) => idle === undefined);
    if (fault.effect === undefined || open.length === 0) return;
    const waited = new RunDelay(process.pid);
    // The limit counts this process itself.
    const pace = { ...EFFECT_LIMIT, waitedMs: () => waited.totalMs() - ownRunDelayMs() };
    using limit = new PacedLimit(pace, (spent) => new Error(`no answer came within ${describeSpent(spent)}`));
    const asking = AbortSignal.any([signal, limit.signal]);
    const noted = await Promise.all(open.map((one) => this.#noteEffect(one, asking)));
    // After an abort no effect is looked for.
    if (signal.aborted) return;
    for (const [index, { target }] of open.entries()) {
      const why = noted[index];
      if (why === undefined) continue;
      this.#options.context.note(
        'EffectUnknown',
        objectOf(target),
        `whether it had an effect is not known: ${why}`,
      );
    }
  }

  /** Reverts these entries, each tried again until it succeeds or the limit is over. Gives the failures. */
  async revert(entries: readonly LedgerEntry[], signal: AbortSignal): Promise<readonly RevertError[]> {
    const outcomes = await Promise.all(entries.map((entry) => this.#revertOne(entry, signal)));
    return outcomes.filter((outcome) => outcome !== undefined);
  }

  /** Reverts these entries and leaves them open, for an injection that has not ended may put them in force again. */
  async undo(entries: readonly LedgerEntry[], signal: AbortSignal): Promise<void> {
    await Promise.all(entries.map((entry) => this.#undoOne(entry, signal)));
  }

  /** Waits until the fault is known to be wanted. Otherwise marks the injections as failed, for nothing was injected, and throws. */
  async #permitted(
    injections: readonly Injection[],
    signal: AbortSignal,
    permission: Promise<void>,
  ): Promise<void> {
    try {
      this.#options.assertWanted?.();
      await unlessAborted(permission, signal);
      signal.throwIfAborted();
    } catch (error) {
      const ids = injections.map(({ id }) => id);
      // If that is not stored, a recovery finds them planned and reverts what never was.
      await this.#options.ledger.mark(ids, 'failed', NOT_INJECTED).catch(() => {});
      throw error;
    }
  }

  async #injectOne(injection: Injection, context: FaultContext): Promise<void> {
    const { fault, ledger, onInForce } = this.#options;
    const { target, bounded } = injection;
    await fault.inject(injection, context);
    ledger.began(injection.id);
    const { step, object, message } = injectedStep(fault.name, target);
    context.note(step, object, message);
    if (bounded !== undefined) context.note('Warning', object, bounded);
    onInForce?.();
  }

  async #observe(target: InjectionTarget): Promise<ObservedTarget> {
    const { fault, context } = this.#options;
    return { ...target, observed: (await fault.observe?.(target, context)) ?? {} };
  }

  /** @returns why the effect is not known; undefined where it is */
  async #noteEffect(injection: Injection, signal: AbortSignal): Promise<string | undefined> {
    const { fault, context } = this.#options;
    if (fault.shape !== 'sustained' || fault.effect === undefined) return undefined;
    try {
      const answer = fault.effect(injection, { ...context, signal });
      // It may go on, and fail, after this has given up.
      answer.catch(() => {});
      const effect = await unlessAborted(answer, signal);
      if (effect === undefined) return NOTHING_COUNTED;
      this.#keepEffect(injection.id, injection.target, effect);
      return undefined;
    } catch (error) {
      return describeError(error);
    }
  }

  #keepEffect(id: string, target: InjectionTarget, effect: InjectionEffect): void {
    const { context, ledger } = this.#options;
    ledger.noteEffect(id, effect);
    context.note(effect.seen ? 'EffectSeen' : 'NoEffect', objectOf(target), effect.message);
  }

  #failed(injection: Injection | undefined, cause: unknown): ChaosError {
    const { fault, context, ledger } = this.#options;
    const target = injection?.target;
    const message = describeError(cause);
    context.note('InjectFailed', target && objectOf(target), message);
    // A pulse that failed left nothing to undo; a sustained fault may have done half of its work and stays open.
    if (fault.shape === 'pulse' && injection !== undefined)
      ledger.mark([injection.id], 'failed', message).catch(() => {});
    if (cause instanceof ChaosError) return target === undefined ? cause : cause.about(targetText(target));
    return new InjectError(
      `cannot inject ${fault.name} into ${target === undefined ? '?' : nameOf(target)}`,
      {
        cause,
        ...(target === undefined ? {} : { target: targetText(target) }),
      },
    );
  }

  async #revertOne(entry: LedgerEntry, signal: AbortSignal): Promise<RevertError | undefined> {
    const { fault, ledger } = this.#options;
    if (fault.shape === 'pulse' && !isLasting(entry)) {
      await ledger.mark([entry.id], 'failed', UNKNOWN_WHETHER_DONE);
      return undefined;
    }
    return (await this.#undoOne(entry, signal)) ?? this.#storeReverted(entry, signal);
  }

  async #undoOne(entry: LedgerEntry, signal: AbortSignal): Promise<RevertError | undefined> {
    const { fault, context, ledger } = this.#options;
    const startedAt = context.clock.monotonic();
    const pauses = new Backoff(REVERT_RETRY);
    // What is measured from here on is not sure to be under the fault.
    ledger.lapsed(entry.id, 'Reverted');
    for (;;) {
      try {
        await fault.revert(injectionOf(entry), { ...context, signal });
        const { step, object, message } = revertedStep(fault.name, entry.target);
        context.note(step, object, message);
        return undefined;
      } catch (cause) {
        if (signal.aborted || context.clock.monotonic() - startedAt >= REVERT_LIMIT_MS) {
          return this.#leftOpen(entry, cause, 'cannot revert');
        }
        await context.clock.sleep(pauses.next(), signal).catch(() => {});
      }
    }
  }

  /**
   * Closes the entry of what is reverted. While the API server is out of reach, this process has nothing to do but wait for it, unless it
   * gets a stop signal: a recovery that found the entry open would start another helper for nothing.
   */
  async #storeReverted(entry: LedgerEntry, signal: AbortSignal): Promise<RevertError | undefined> {
    const { context, ledger } = this.#options;
    const startedAt = context.clock.monotonic();
    for (;;) {
      try {
        await ledger.mark([entry.id], 'reverted');
        return undefined;
      } catch (cause) {
        const isLate = context.clock.monotonic() - startedAt >= CLOSE_LIMIT_MS;
        if (isLate || signal.aborted || context.signal.aborted || !isOutage(cause)) {
          return this.#leftOpen(entry, cause, 'reverted, but cannot store that of');
        }
        await context.clock.sleep(STORE_RETRY_MS, context.signal).catch(() => {});
      }
    }
  }

  #leftOpen(entry: LedgerEntry, cause: unknown, what: string): RevertError {
    const { fault, context } = this.#options;
    const message = `${what} ${fault.name} on ${nameOf(entry.target)}; its ledger entry ${entry.id} stays open`;
    context.note('RevertFailed', objectOf(entry.target), describeError(cause));
    return new RevertError(message, { cause, target: targetText(entry.target) });
  }
}

/** One error as it is, several as one AggregateError with all messages. */
export function joinErrors(errors: readonly Error[]): Error {
  const [first] = errors;
  if (errors.length === 1 && first !== undefined) return first;
  return new AggregateError(errors, errors.map(describeError).join('; '));
}

/** The form of `target` in errorOutput: `{podName: x, namespace: y, container: z}`. */
function targetText({ kind, namespace, name, container }: InjectionTarget): string {
  const parts = [`${kind}Name: ${name}`];
  if (namespace !== undefined) parts.push(`namespace: ${namespace}`);
  if (container !== undefined) parts.push(`container: ${container}`);
  return `{${parts.join(', ')}}`;
}
