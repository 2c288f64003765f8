import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** Connects to a port of a pod by its address. Rejects when no process listens, and with the signal's reason. */
export function dialPod(host: string, port: number, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect({ host, port, noDelay: true });
    const onAbort = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const over = (): void => signal.removeEventListener('abort', onAbort);
    socket.once('connect', () => {
      over();
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
    socket.once('close', over);
  });
}
