import { complain } from '../process/complain.ts';
import { onSignals } from '../process/signals.ts';

/** The signals by which a terminal, a user or a service manager says that a command is to end. */
const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Calls back whenever the command is to stop, with the number of requests so far (1 for the first) and the cause: a signal, or an
 * output that is no longer read (`turnsole run … | head -1`, a full disk).
 *
 * The returned function ends the calls. The signals stay taken all the same: the process is about to end, and one more
 * Ctrl-C must not cut its tidying short.
 */
export function onStopRequest(callback: (count: number, cause: string) => void): () => void {
  let count = 0;
  let isOver = false;
  const request = (cause: string): void => {
    count += 1;
    if (!isOver) callback(count, cause);
  };
  onSignals(STOP_SIGNALS, request);
  // Every write fails from then on; one request is enough.
  process.stdout.once('error', ({ code }: NodeJS.ErrnoException) =>
    request(code === 'EPIPE' ? 'a closed output' : 'a failing output'),
  );
  return () => {
    isOver = true;
  };
}

/** Resolves at the first request to stop, with its cause. */
export function stopRequest(): Promise<string> {
  return new Promise((resolve) => {
    const unsubscribe = onStopRequest((_count, cause) => {
      unsubscribe();
      resolve(cause);
    });
  });
}

/**
 * Keeps a failing output from ending the process where it stands, with chaos in force. Code that has something to revert listens by
 * {@link onStopRequest}; other code ends by itself. The failure is printed, unless the reader has simply gone.
 *
 * @returns whether something was lost so far that a reader would have wanted
 */
export function surviveFailingOutput(): () => boolean {
  let said = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (said || error.code === 'EPIPE') return;
    said = true;
    complain(`cannot write to standard output: ${error.message}`);
  });
  process.stderr.on('error', () => {});
  return () => said;
}

/**
 * Resolves when all that was printed has been read, or is no longer read. A pipe holds 64 KiB, and the process ends with
 * `process.exit`, which drops the rest.
 */
export function outputWritten(): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write('', () => resolve());
  });
}
