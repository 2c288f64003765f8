import { finished } from 'node:stream/promises';
import type { Clock } from '@turnsole/kube/base/clock';
import { errorText } from '../exec-status.ts';
import type { StreamOptions } from '../options.ts';
import { type RemoteStreams, Resizes } from '../remote-streams.ts';
import type { SpdyProtocol } from './accept.ts';
import type { SpdySession } from './session.ts';
import type { SpdyStream } from './stream.ts';

/** How long a client may take to open the streams it has asked for (as kubelet's streamCreationTimeout). */
const CREATION_LIMIT_MS = 30_000;
const MAX_RESIZE_BYTES = 1024;

/** The streams a client opens for its options; pure. */
export function expectedStreams({ stdin, stdout, stderr, tty }: StreamOptions, hasResize: boolean): string[] {
  const wanted = { error: true, stdin, stdout, stderr, resize: tty && hasResize };
  return Object.entries(wanted).flatMap(([name, isWanted]) => (isWanted ? [name] : []));
}

/** The streams of exec and attach over SPDY, when the client has opened them; undefined when it does not or leaves. */
export function spdyStreams(
  session: SpdySession,
  protocol: SpdyProtocol,
  options: StreamOptions,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Pick<Clock, 'setTimer'> },
): Promise<RemoteStreams | undefined> {
  const expected = expectedStreams(options, protocol.hasResize);
  const streams = new Map<string, SpdyStream>();
  return new Promise((resolve) => {
    const giveUp = (): void => {
      session.close();
      resolve(undefined);
    };
    const cancel = clock.setTimer(CREATION_LIMIT_MS, giveUp, { unref: true });
    const accept = (stream: SpdyStream): boolean => {
      const type = stream.headers.get('streamtype') ?? '';
      if (!expected.includes(type) || streams.has(type)) return false;
      streams.set(type, stream);
      if (streams.size === expected.length) {
        cancel();
        resolve(remoteStreams(session, protocol, streams, signal));
      }
      return true;
    };
    void session.run(accept).then(() => {
      cancel();
      resolve(undefined);
    });
  });
}

function remoteStreams(
  session: SpdySession,
  protocol: SpdyProtocol,
  streams: ReadonlyMap<string, SpdyStream>,
  signal: AbortSignal,
): RemoteStreams {
  const resizes = new Resizes();
  const resize = streams.get('resize');
  if (resize !== undefined) readResizes(resize, resizes);
  const [stdout, stderr, error] = [streams.get('stdout'), streams.get('stderr'), streams.get('error')];
  // The client sends nothing on streams of the other direction.
  for (const stream of [stdout, stderr, error]) stream?.resume();
  return {
    stdin: streams.get('stdin'),
    stdout,
    stderr,
    signal,
    onResize: (listener) => resizes.listen(listener),
    finish: async (status) => {
      for (const output of [stdout, stderr]) await ended(output, '', signal);
      await ended(error, errorText(status, protocol), signal);
      session.close();
    },
  };
}

async function ended(stream: SpdyStream | undefined, last: string, signal: AbortSignal): Promise<void> {
  if (stream === undefined || stream.destroyed) return;
  if (last !== '') stream.write(last);
  stream.end();
  await finished(stream, { signal, readable: false }).catch(() => {});
}

/** Sizes come as JSON values one after the other, each usually in a piece of its own. */
function readResizes(stream: SpdyStream, resizes: Resizes): void {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (let end = text.indexOf('}'); end !== -1; end = text.indexOf('}')) {
      resizes.receive(text.slice(0, end + 1));
      text = text.slice(end + 1);
    }
    if (text.length > MAX_RESIZE_BYTES) text = '';
  });
}
