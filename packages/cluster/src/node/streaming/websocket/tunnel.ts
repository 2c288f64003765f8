import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** The bytes in the binary messages of a WebSocket, as one stream in each direction. */
export async function openTunnel(socket: WebSocket): Promise<Duplex> {
  // Bytes that arrive while the module is loaded must not get lost.
  socket.pause();
  const { createWebSocketStream } = await import('ws');
  const stream = createWebSocketStream(socket);
  socket.resume();
  return stream;
}
