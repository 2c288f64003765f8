import { CommandError } from '../services/errors.ts';
import { onStopRequest } from './signals.ts';

/**
 * Does some work until it is done or the command is to stop.
 *
 * @param afterwards what a user does who has stopped it: `install again to complete it`
 * @throws CommandError (stopped), whatever the work makes of its signal
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
