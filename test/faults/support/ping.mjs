/** Whether a line server answers at a host and port within a time. */
import { once } from 'node:events';
import { connect } from 'node:net';

export async function ping(host, port, timeoutMs = 1000) {
  const socket = connect(port, host);
  const late = AbortSignal.timeout(timeoutMs);
  try {
    await once(socket, 'connect', { signal: late });
    socket.write('PING\n');
    const [answer] = await once(socket, 'data', { signal: late });
    return String(answer).startsWith('PONG');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
