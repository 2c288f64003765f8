import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** Connects to a port of a pod by its address. Rejects when no process listens, and with the signal's reason. */
export async function dialPod(host: string, port: number, signal: AbortSignal): Promise<Duplex> {
  signal.throwIfAborted();
  const socket = connect({ host, port, noDelay: true });
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    throw error;
  }
}
