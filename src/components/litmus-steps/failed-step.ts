import type { ComponentFailure } from '../../process/component.ts';
import { POD_EXIT } from '../../process/exit-codes.ts';
import { messageOf } from '../../text/error-message.ts';

/**
 * Tells of a step that failed. Litmus' programs know two ends: 0, which includes having been told to end, and 1. A workflow's step that
 * ended with another code would show it in its message.
 */
export function failedStep(name: string): (error: unknown, where: ComponentFailure) => number {
  return (error, { logger, signal }) => {
    if (signal.aborted) return POD_EXIT.done;
    logger.error({ err: error }, `${name} failed: ${messageOf(error)}`);
    return POD_EXIT.failed;
  };
}
