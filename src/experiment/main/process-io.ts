import { AbortedError } from '../errors.ts';

/** What the entry points use of their process; replaced in tests. */
export interface ProcessIo {
  /** A line for people, on standard error. */
  readonly complain: (line: string) => void;
  /** A line for a reader of the log, on standard output. */
  readonly print: (line: string) => void;
  /** Calls back for SIGTERM and SIGINT, as often as they come; the returned function stops that. */
  readonly onSignal: (callback: (signal: string) => void) => () => void;
}

/** The real process. */
export const processIo: ProcessIo = {
  complain: (line) => void process.stderr.write(`${line}\n`),
  print: (line) => void process.stdout.write(`${line}\n`),
  onSignal: (callback) => {
    const names = ['SIGTERM', 'SIGINT'] as const;
    for (const name of names) process.on(name, callback);
    return () => {
      for (const name of names) process.off(name, callback);
    };
  },
};

/**
 * A signal that the first SIGTERM or SIGINT aborts. Further ones change nothing: the run is already stopping and reverting, and
 * ending the process now would leave what it injected in place.
 */
export function abortOnSignal(io: ProcessIo): { readonly signal: AbortSignal; readonly close: () => void } {
  const controller = new AbortController();
  const close = io.onSignal((name) => {
    if (controller.signal.aborted) {
      io.complain(`${name}: already stopping, reverting first`);
      return;
    }
    controller.abort(new AbortedError(`received ${name}`));
  });
  return { signal: controller.signal, close };
}
