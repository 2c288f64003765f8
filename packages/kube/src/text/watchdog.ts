/** Code on values of strangers, with a limit of time: V8 stops it wherever it is, also inside a regular expression. */
import type { Context, Script } from 'node:vm';

/** The work took longer than it may. */
export class OverTimeError extends Error {
  override readonly name = 'OverTimeError';
}

/**
 * Runs a function that does not wait for anything, within a limit of processor time. V8 measures time by the clock, so where other work has
 * the processor it may stop a function that has hardly begun: that one begins anew, so it must not change anything.
 *
 * @throws OverTimeError, and what the function throws
 */
export function runWithin<T>(ms: number, run: () => T): T {
  return unlessBusy(() => watched(ms, run), threadMs, ms);
}

/**
 * Runs something with a limit of wall time again while it ended for want of a processor.
 *
 * @param cpuMs processor time of this thread so far
 * @throws OverTimeError when it has had `limitMs` of processor time
 */
export function unlessBusy<T>(attempt: () => T, cpuMs: () => number, limitMs: number): T {
  const startedAt = cpuMs();
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!(error instanceof OverTimeError) || cpuMs() - startedAt >= limitMs) throw error;
    }
  }
}

/** Processor time of this thread so far, in milliseconds. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function watched<T>(ms: number, run: () => T): T {
  guarded ??= makeGuarded();
  const { context, script } = guarded;
  const before: unknown = context.run;
  let result: { readonly value: T } | undefined;
  context.run = () => {
    result = { value: run() };
  };
  try {
    script.runInContext(context, { timeout: ms });
  } catch (error) {
    if (!isTimeout(error)) throw error;
  } finally {
    context.run = before;
  }
  if (result === undefined) throw new OverTimeError(`took longer than ${ms} ms`);
  return result.value;
}

/** The error is of the context's realm, so it is no Error here. */
function isTimeout(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

let guarded: { readonly context: Context; readonly script: Script } | undefined;

function makeGuarded(): { readonly context: Context; readonly script: Script } {
  const { createContext, Script: VmScript } = process.getBuiltinModule('node:vm');
  return { context: createContext({}), script: new VmScript('run()') };
}
