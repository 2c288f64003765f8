import { isNotFound } from '../client/errors.ts';
import type { KubeObject } from '../kinds/core.ts';
import { Controller, type Reconcile, type ReconcileResult, type Source } from '../runtime/controller.ts';
import type { ControllerContext } from './context.ts';
import type { FreshView } from './fresh-view.ts';
import { Pace } from './pace.ts';

/** What a controller consists of: an object of these members, as a rule an instance of a small class. */
interface ControllerParts {
  /** Names the controller in logs. */
  readonly name: string;
  /** What makes keys ready. Informers of the context's factory are started and stopped with it. */
  readonly sources: readonly Source[];
  /** Keys reconciled at the same time. @default 4 */
  readonly workers?: number;
  /** One pass for one key: gather, decide, apply. */
  reconcile(...pass: Parameters<Reconcile>): ReturnType<Reconcile>;
  /** How many objects a pass over this key looks at; passes over many of them are paced, see pace.ts. @default none */
  sizeOf?(key: string): number;
  /** How many times as long as the last pass such a key rests. @default 0 */
  readonly restFactor?: number;
}

/** Base class of controllers: it sets the context before the fields of the subclass, which can be made from it. */
export abstract class ControllerBase<Context extends ControllerContext = ControllerContext>
  implements ControllerParts
{
  abstract readonly name: string;
  abstract readonly sources: readonly Source[];
  readonly context: Context;

  constructor(context: Context) {
    this.context = context;
  }

  abstract reconcile(...pass: Parameters<Reconcile>): ReturnType<Reconcile>;
}

/** When something that was to be written is not there, a watch event explains why; this long later the controller looks in any case. */
const MISSING_RETRY_MS = 200;

/** A controller with the context's clock, random source and logger. */
export function createController(context: ControllerContext, parts: ControllerParts): Controller {
  const { clock, random } = context;
  const { name, sources, workers } = parts;
  const logger = context.logger.child({ controller: name });
  const pace =
    parts.sizeOf === undefined
      ? undefined
      : new Pace(clock, (key) => parts.sizeOf?.(key) ?? 0, parts.restFactor);
  return new Controller({
    ...{ name, sources, workers, clock, random },
    logger: context.logger,
    reconcile: async (request, signal) => {
      const waitMs = pace?.waitMs(request.key) ?? 0;
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      const ended = pace?.begin(request.key);
      try {
        return (await parts.reconcile(request, signal)) ?? undefined;
      } catch (error) {
        // Objects go while one is at work on them. That is no failure.
        if (!isNotFound(error)) throw error;
        logger.debug({ key: request.key, err: error }, 'what was to be written is gone');
        return { requeueAfterMs: MISSING_RETRY_MS };
      } finally {
        ended?.();
      }
    },
  });
}

/** What one step of a pass came to. */
export interface StepOutcome extends ReconcileResult {
  /** Whether something was written, so that the next step has to be decided anew. */
  readonly changed: boolean;
}

/** Decisions per pass. A key that always changes something must not delay other keys. */
const MAX_STEPS = 8;

/**
 * Takes steps until one changes nothing, or has nothing to do (undefined). Views show this process's own writes, so each step
 * decides on what the one before has written. What is left after {@link MAX_STEPS} is done in the next pass.
 */
export async function untilSettled(
  step: () => Promise<StepOutcome | undefined>,
): Promise<ReconcileResult | undefined> {
  for (let steps = 1; ; steps++) {
    const outcome = await step();
    if (outcome === undefined) return undefined;
    if (!outcome.changed) return { requeueAfterMs: outcome.requeueAfterMs };
    if (steps >= MAX_STEPS) return { requeueAfterMs: 0 };
  }
}

/** A controller whose keys are objects of one kind. A pass takes steps until one changes nothing, or the object is gone. */
export abstract class KindController<
  T extends KubeObject,
  Context extends ControllerContext = ControllerContext,
> extends ControllerBase<Context> {
  abstract readonly objects: FreshView<T>;

  /** Gathers what the object needs, decides once, and applies that. */
  abstract step(object: T, signal: AbortSignal): Promise<StepOutcome | undefined>;

  reconcile(...[{ key }, signal]: Parameters<Reconcile>): Promise<ReconcileResult | undefined> {
    return untilSettled(async () => {
      const object = this.objects.get(key);
      return object === undefined ? undefined : this.step(object, signal);
    });
  }
}
