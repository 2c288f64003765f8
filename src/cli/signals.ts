/** The signals by which a terminal, a user or a service manager says that a command is to end. */
const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Calls back whenever the command is to stop, with how often it was asked so far (1 for the first) and by what: a signal, or an
 * output that nobody takes any more (`turnsole run … | head -1`, a full disk).
 *
 * The returned function ends the calls. The signals stay taken all the same: what follows is the end of the process, and one more
 * Ctrl-C must not cut its tidying short.
 */
export function onStopRequest(callback: (count: number, cause: string) => void): () => void {
  let count = 0;
  let isOver = false;
  const request = (cause: string): void => {
    count += 1;
    if (!isOver) callback(count, cause);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, request);
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
 * Keeps a failing output from ending the process where it stands, with chaos in force. Who has something to revert listens by
 * {@link onStopRequest}; the others end by themselves. What went wrong is said, unless the reader has simply gone.
 */
export function surviveFailingOutput(): void {
  let said = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (said || error.code === 'EPIPE') return;
    said = true;
    console.error(`turnsole: cannot write to standard output: ${error.message}`);
  });
  process.stderr.on('error', () => {});
}

/**
 * Resolves when all that was printed has been taken, or nobody takes it any more. A pipe holds 64 KiB, and the process ends with
 * `process.exit`, which drops the rest.
 */
export function outputWritten(): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write('', () => resolve());
  });
}
