/** Processes that use the processors beside the suite, as other jobs of a machine do. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('programs/burner.mjs', import.meta.url));

/** Starts some; they end with the scope, and by themselves when this process is gone. */
export function burn(count: number): AsyncDisposable {
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'ignore', 'inherit'] }),
  );
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(children.map(end));
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
