/** What signals come from; the process itself, but in tests. */
interface SignalSource {
  on(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown;
  off(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown;
}

/** The signals by which a kubelet or a user ends a program in a pod. */
const TERMINATION: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];

/** Calls back for each of the signals, as often as they come; the returned function gives them back to the system. */
export function onSignals(
  names: readonly NodeJS.Signals[],
  callback: (name: NodeJS.Signals) => void,
  source: SignalSource = process,
): () => void {
  for (const name of names) source.on(name, callback);
  return () => {
    for (const name of names) source.off(name, callback);
  };
}

/** How a program takes SIGTERM and SIGINT. */
export interface TerminationOptions {
  /** Reason of the abort. @default an Error `received SIGTERM` */
  readonly reason?: (name: string) => Error;
  /**
   * Called for further signals, which then change nothing: for programs that revert what they injected, as ending at once would
   * leave it in place. Absent: the second signal ends the process.
   */
  readonly onFurther?: (name: string) => void;
  readonly source?: SignalSource;
}

/** An abort signal of the first SIGTERM or SIGINT; `close` gives the signals back. */
interface Termination {
  readonly signal: AbortSignal;
  close(): void;
}

/** Turns the signals of this process into an abort signal. */
export function termination(options: TerminationOptions = {}): Termination {
  const { reason = (name) => new Error(`received ${name}`), onFurther, source } = options;
  const controller = new AbortController();
  const close = onSignals(
    TERMINATION,
    (name) => {
      if (controller.signal.aborted) return onFurther?.(name);
      if (onFurther === undefined) close();
      controller.abort(reason(name));
    },
    source,
  );
  return { signal: controller.signal, close };
}

/** Resolves when a signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
