import { CommandError } from '../services/errors.ts';
import { onStopRequest } from './signals.ts';

/**
 * Runs some work, and aborts its signal when the user stops the command (Ctrl-C, SIGTERM).
 *
 * @param afterwards advice for the user who has stopped it, the end of the error's message: `install again to complete it`; a function is
 *   called when the work has ended, and describes what exists by then
 * @throws CommandError with code STOPPED when the command was stopped and the work failed, whatever error the work itself threw
 */
export async function stoppable<T>(
  afterwards: string | (() => string),
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  let cause: string | undefined;
  const unsubscribe = onStopRequest((_count, by) => {
    cause ??= by;
    stop.abort(new Error(`stopped by ${by}`));
  });
  try {
    return await work(stop.signal);
  } catch (error) {
    if (cause === undefined) throw error;
    const advice = typeof afterwards === 'string' ? afterwards : afterwards();
    throw new CommandError(`stopped by ${cause}; ${advice}`, 'STOPPED');
  } finally {
    unsubscribe();
  }
}
