import { isNotFound } from '../../../kube/client/errors.ts';
import {
  Controller,
  type ReconcileRequest,
  type ReconcileResult,
  type ControllerOptions as RuntimeOptions,
} from '../../../kube/runtime/index.ts';
import type { ControllerContext } from './context.ts';
import { Pace } from './pace.ts';

/** What a controller of the embedded cluster consists of. */
export interface ControllerParts extends Pick<RuntimeOptions, 'name' | 'sources' | 'workers'> {
  readonly reconcile: (
    request: ReconcileRequest,
    signal: AbortSignal,
  ) => Promise<ReconcileResult | undefined> | Promise<void>;
  /** How many objects a pass over this key looks at; passes over many of them are paced, see pace.ts. @default none */
  readonly sizeOf?: (key: string) => number;
  /** How many times as long as the last pass such a key rests. @default 0 */
  readonly restFactor?: number;
}

/** When something that was to be written is not there, the watch tells why; this long later one looks in any case. */
const MISSING_RETRY_MS = 200;

/** A controller with the context's clock, random source and logger. */
export function createController(context: ControllerContext, parts: ControllerParts): Controller {
  const logger = context.logger.child({ controller: parts.name });
  const pace =
    parts.sizeOf === undefined ? undefined : new Pace(context.clock, parts.sizeOf, parts.restFactor);
  return new Controller({
    clock: context.clock,
    random: context.random,
    logger: context.logger,
    ...parts,
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
