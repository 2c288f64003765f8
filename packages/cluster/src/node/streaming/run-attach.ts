import type { Writable } from 'node:stream';
import type { RunningContainer } from '../runtime/types.ts';
import type { AttachableOutput } from './attachable-output.ts';
import { failureStatus, SUCCESS } from './exec-status.ts';
import type { StreamOptions } from './options.ts';
import type { RemoteStreams } from './remote-streams.ts';

/** A running container that can be attached to. */
interface AttachableContainer {
  readonly running: Pick<RunningContainer, 'stdin' | 'resize'>;
  readonly output: AttachableOutput;
  /** Whether its input ends with the first client that was attached to it (`stdinOnce`). */
  readonly stdinOnce: boolean;
}

/**
 * What may wait for a slow client. A container must not stand still because a client looks on, so beyond this the
 * client is sent away.
 */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Shows a client what a container writes, until that ends or the client leaves. Never rejects. */
export async function runAttach(
  { running, output, stdinOnce }: AttachableContainer,
  options: StreamOptions,
  streams: RemoteStreams,
): Promise<void> {
  if (options.stdin && running.stdin === undefined) {
    await streams.finish(failureStatus('cannot attach to the input: the container has no stdin: true'));
    return;
  }
  streams.onResize((size) => running.resize?.(size));
  const { stdin } = streams;
  const input = running.stdin;
  if (stdin !== undefined && input !== undefined) {
    stdin.pipe(input, { end: stdinOnce });
    input.once('close', () => stdin.resume());
  }
  const tooSlow = await shown(output, streams);
  if (stdin !== undefined && input !== undefined) stdin.unpipe(input);
  if (streams.signal.aborted && stdinOnce && stdin !== undefined) input?.end();
  await streams.finish(
    tooSlow ? failureStatus(`the client is too slow: ${MAX_WAITING_BYTES} bytes wait for it`) : SUCCESS,
  );
}

/** Resolves when everything was shown; to true when the client was too slow. */
function shown(output: AttachableOutput, { stdout, stderr, signal }: RemoteStreams): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (tooSlow: boolean): void => {
      detach();
      signal.removeEventListener('abort', onAbort);
      resolve(tooSlow);
    };
    const onAbort = (): void => end(false);
    let detach = (): void => {};
    signal.addEventListener('abort', onAbort, { once: true });
    detach = output.attach({
      write: (name, chunk) => {
        const to: Writable | undefined = name === 'stdout' ? stdout : stderr;
        if (to === undefined || to.destroyed) return;
        to.write(chunk);
        if (to.writableLength > MAX_WAITING_BYTES) end(true);
      },
      end: () => end(false),
    });
    if (signal.aborted) end(false);
  });
}
