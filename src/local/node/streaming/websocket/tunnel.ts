import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** The bytes in the binary messages of a WebSocket, as one stream in each direction. */
export async function openTunnel(socket: WebSocket): Promise<Duplex> {
  // What comes while the module is looked up must not get lost.
  socket.pause();
  const { createWebSocketStream } = await import('ws');
  const stream = createWebSocketStream(socket);
  socket.resume();
  return stream;
}
