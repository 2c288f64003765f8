import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';

/** A handshake that asks for WebSocket. */
export interface Handshake {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Clients send input in one message as long as their text. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
/** How long a client may take to answer a close before its connection is cut. */
const CLOSE_TIMEOUT_MS = 2_000;

let server: Promise<WebSocketServer> | undefined;

/** Whether a request asks for WebSocket. */
export function isWebSocket({ headers }: IncomingMessage): boolean {
  return (headers.upgrade ?? '').toLowerCase() === 'websocket';
}

/** Answers the handshake with the chosen protocol (`''` for none). A handshake that is wrong is refused, and it never resolves. */
export async function acceptWebSocket(
  { message, socket, head }: Handshake,
  protocol: string,
): Promise<WebSocket> {
  server ??= openServer();
  const { handleUpgrade } = await server.then((ready) => ({
    handleUpgrade: ready.handleUpgrade.bind(ready),
  }));
  return await new Promise((resolve) => {
    // The offer is replaced by the choice: the server of all handshakes takes the first.
    if (protocol === '') delete message.headers['sec-websocket-protocol'];
    else message.headers['sec-websocket-protocol'] = protocol;
    handleUpgrade(message, socket, head, resolve);
  });
}

/** Loaded with the first connection: a cluster starts without it. */
async function openServer(): Promise<WebSocketServer> {
  const ws = await import('ws');
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  // In a variable, because the types of ws do not know closeTimeout yet.
  return new ws.WebSocketServer(options);
}
