import { messageOf } from '@turnsole/kube/text/error-message';
import type { ComponentFailure } from '../../process/component.ts';
import { POD_EXIT } from '../../process/exit-codes.ts';

/**
 * Logs a step that failed. Litmus' programs know two exit codes: 0, also for a step that was stopped, and 1. A workflow would show any
 * other code in the step's message.
 */
export function failedStep(name: string): (error: unknown, where: ComponentFailure) => number {
  return (error, { logger, signal }) => {
    if (signal.aborted) return POD_EXIT.done;
    logger.error({ err: error }, `${name} failed: ${messageOf(error)}`);
    return POD_EXIT.failed;
  };
}
