import type { Agent, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type RequestHeaders, SendError } from '../transport.ts';

/** Where and how to connect. */
interface WebSocketTarget {
  /** `ws://` or `wss://`, with path and query. */
  readonly url: string;
  readonly headers: RequestHeaders;
  readonly agent?: Agent;
  /** Makes the connection where the URL does not say how (Unix sockets). */
  readonly createConnection?: () => Duplex;
  /** Offered to the server, which chooses one. */
  readonly protocols: readonly string[];
}

/** The server answered the handshake with something else than a new protocol. */
interface RefusedUpgrade {
  readonly refused: IncomingMessage;
}

/**
 * Connects, or gives the answer by which the server refused. The socket is paused: nothing gets lost until a reader
 * listens. Rejects with {@link SendError}, or the signal's reason. `ws` is loaded with the first call.
 */
export async function connectWebSocket(
  { url, headers, agent, createConnection, protocols }: WebSocketTarget,
  signal: AbortSignal,
): Promise<{ readonly socket: WebSocket } | RefusedUpgrade> {
  const ws = await import('ws');
  signal.throwIfAborted();
  const socket = new ws.WebSocket(url, [...protocols], {
    headers,
    agent,
    perMessageDeflate: false,
    // ws passes all options on to the request; its types know this one as that of net.
    ...(createConnection === undefined ? {} : { createConnection: createConnection as never }),
  });
  return await new Promise((resolve, reject) => {
    const onAbort = (): void => {
      socket.terminate();
      reject(signal.reason);
    };
    const settled = (): void => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', (error) => {
      settled();
      reject(new SendError(error, !NEVER_SENT.has(codeOf(error))));
    });
    socket.once('unexpected-response', (_request, refused) => {
      settled();
      resolve({ refused });
    });
    socket.once('open', () => {
      settled();
      socket.pause();
      resolve({ socket });
    });
  });
}

/** Failures to connect: the server cannot have started the command. */
const NEVER_SENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT', 'EHOSTUNREACH', 'ENETUNREACH']);

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
