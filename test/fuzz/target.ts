import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How the server process says it does. */
export interface Health {
  readonly rssBytes: number;
  /** Longest time that the event loop was blocked since it was last asked. */
  readonly worstDelayMs: number;
  readonly watches: number;
  readonly problems: readonly string[];
  readonly polluted: readonly string[];
}

/** A server process under attack. */
export interface Target extends AsyncDisposable {
  readonly token: string;
  readonly socketPath: string;
  health(): Promise<Health>;
}

/** Starts a server in a process and folder of its own; both are gone when it is disposed. */
export async function startTarget(): Promise<Target> {
  const dataDir = await mkdtemp(join(tmpdir(), 'turnsole-fuzz-'));
  const program = fileURLToPath(new URL('./server-process.ts', import.meta.url));
  const child = fork(program, [dataDir], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const { token, socketPath } = await answerOf<{ token: string; socketPath: string }>(child);
  return {
    token,
    socketPath,
    health: () => {
      child.send('health');
      return answerOf<Health>(child);
    },
    [Symbol.asyncDispose]: async () => {
      const isOver = child.exitCode !== null || child.signalCode !== null;
      if (!isOver) {
        const ended = once(child, 'exit');
        child.disconnect();
        await ended;
      }
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The next message; rejects when the process ends instead. */
async function answerOf<T>(child: ChildProcess): Promise<T> {
  const ended = new AbortController();
  try {
    return await Promise.race([
      // Both ends are of this folder.
      once(child, 'message', { signal: ended.signal }).then(([message]) => message as T),
      once(child, 'exit', { signal: ended.signal }).then(([code, signal]): never =>
        assert.fail(`the server process ended: code ${code}, signal ${signal}`),
      ),
    ]);
  } finally {
    ended.abort();
  }
}
