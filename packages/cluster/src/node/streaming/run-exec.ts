import type { Readable, Writable } from 'node:stream';
import { messageOf } from '@turnsole/kube/text/error-message';
import { NO_TERMINAL } from '../runtime/terminal.ts';
import { type ExecProcess, type RunningContainer, StartError } from '../runtime/types.ts';
import { exitStatus, failureStatus } from './exec-status.ts';
import type { StreamOptions } from './options.ts';
import type { RemoteStreams } from './remote-streams.ts';

/**
 * Runs a command in a container for a client: input in, output out, exit code last. When the client leaves, the command
 * is killed. Never rejects.
 */
export async function runExec(
  running: Pick<RunningContainer, 'exec'>,
  command: readonly string[],
  options: StreamOptions,
  streams: RemoteStreams,
): Promise<void> {
  let process: ExecProcess;
  try {
    process = await running.exec(command, { tty: options.tty });
  } catch (error) {
    const why = messageOf(error);
    const what =
      error instanceof StartError ? 'error executing command in container' : 'cannot execute command';
    await streams.finish(failureStatus(`${what}: ${why}`));
    return;
  }
  const kill = (): void => process.kill();
  streams.signal.addEventListener('abort', kill, { once: true });
  if (streams.signal.aborted) kill();
  if (options.tty && process.resize === undefined) streams.stdout?.write(`${NO_TERMINAL}\r\n`);
  streams.onResize((size) => process.resize?.(size));
  connectInput(streams.stdin, process.stdin);
  const outputs = [
    connectOutput(process.stdout, streams.stdout),
    // Without a terminal where one was asked for, both outputs still go where that one's would.
    connectOutput(process.stderr, options.tty ? streams.stdout : streams.stderr),
  ];
  const { exitCode } = await process.exited;
  await Promise.all(outputs.map((output) => output.complete(streams.signal)));
  streams.signal.removeEventListener('abort', kill);
  await streams.finish(exitStatus(command, exitCode));
}

/** Gives a process what the client types; without input it reads the end at once. */
function connectInput(from: Readable | undefined, to: Writable): void {
  if (from === undefined) to.end();
  else from.pipe(to);
  // The process may close its input early: what the client still sends is read and dropped, so that it can go on.
  to.once('close', () => from?.resume());
}

/** One output of a process on its way to the client. */
interface Output {
  /** Resolves when everything written before the process' end is with the client, or the client has gone. */
  complete(signal: AbortSignal): Promise<void>;
}

/** Turns of the event loop without data after which a pipe that another process still holds counts as empty. */
const QUIET_TURNS = 3;

function connectOutput(from: Readable, to: Writable | undefined): Output {
  let received = 0;
  from.on('data', (chunk: Uint8Array) => {
    received += chunk.length;
    if (to === undefined || to.destroyed || to.write(chunk)) return;
    from.pause();
  });
  // When the client has left, the output of the process is dropped.
  for (const event of ['drain', 'close']) to?.on(event, () => from.resume());
  from.on('error', () => {}); // followed by close
  let ended = false;
  from.once('close', () => {
    ended = true;
  });
  return {
    // A background process that the command started may hold the pipe for ever. Bytes that are in it when the command has ended
    // can be read at once, so a few turns without data mean that nothing is left.
    complete: async (signal) => {
      for (let quiet = 0; quiet < QUIET_TURNS && !ended && !signal.aborted; quiet++) {
        if (to?.writableNeedDrain === true && !to.destroyed) {
          await drained(to, signal);
          quiet = 0;
        }
        const before = received;
        await new Promise((resolve) => setImmediate(resolve));
        if (received !== before) quiet = 0;
      }
    },
  };
}

function drained(to: Writable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'close']) to.off(event, done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    to.once('drain', done);
    to.once('close', done);
    signal.addEventListener('abort', done, { once: true });
  });
}
