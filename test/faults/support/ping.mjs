/** Whether a line server answers at a host and port within a time. */
import { once } from 'node:events';
import { connect } from 'node:net';

export async function ping(host, port, timeoutMs = 1000) {
  const socket = connect(port, host);
  const late = AbortSignal.timeout(timeoutMs);
  try {
    await once(socket, 'connect', { signal: late });
    socket.write('PING\n');
    // One that is closed without an answer would be waited for by a timer that keeps no process alive.
    const [answer] = await Promise.race([
      once(socket, 'data', { signal: late }),
      once(socket, 'close', { signal: late }),
    ]);
    return String(answer).startsWith('PONG');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
