import { CommandError } from '../services/errors.ts';
import { onStopRequest } from './signals.ts';

/**
 * Runs some work, and aborts its signal when the user stops the command (Ctrl-C, SIGTERM).
 *
 * @param afterwards advice for the user who has stopped it, the end of the error's message: `install again to complete it`
 * @throws CommandError with code STOPPED when the command was stopped and the work failed, whatever error the work itself threw
 */
export async function stoppable<T>(
  afterwards: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const unsubscribe = onStopRequest((_count, cause) =>
    stop.abort(new CommandError(`stopped by ${cause}; ${afterwards}`, 'STOPPED')),
  );
  try {
    return await work(stop.signal);
  } catch (error) {
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    unsubscribe();
  }
}
