/** Calls back for each Ctrl-C, SIGTERM or SIGHUP with its number (1 for the first); the returned function stops that. */
export function onStopSignal(callback: (count: number, signal: NodeJS.Signals) => void): () => void {
  let count = 0;
  const listener = (signal: NodeJS.Signals): void => {
    count += 1;
    callback(count, signal);
  };
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

/** Resolves at the first Ctrl-C, SIGTERM or SIGHUP. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = onStopSignal((_count, signal) => {
      stop();
      resolve(signal);
    });
  });
}
