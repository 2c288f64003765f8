import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Duplex } from 'node:stream';

/** Copies between its own streams and a port of the loopback interface of the network namespace it is started in. */
const BRIDGE = `
const [host, port] = process.argv.slice(1);
const socket = require('node:net').connect({ host, port: Number(port), allowHalfOpen: true });
socket.once('connect', () => {
  process.stderr.write('connected');
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
});
socket.once('error', (error) => {
  process.stderr.write(error.message);
  process.exitCode = 1;
  process.stdin.destroy();
});
`;

/**
 * Connects to a port that listens on 127.0.0.1 in the network namespace of a process. Rejects when no process listens, and with
 * the signal's reason. The connection is a process of its own; it ends with either side.
 */
export async function dialInside(pid: number, port: number, signal: AbortSignal): Promise<Duplex> {
  signal.throwIfAborted();
  const enter = ['-t', String(pid), '-n', '--', process.execPath, '-e', BRIDGE, '127.0.0.1', String(port)];
  const child = spawn('nsenter', enter, { stdio: 'pipe', cwd: '/', env: {} });
  const stop = (): void => {
    child.kill('SIGKILL');
  };
  signal.addEventListener('abort', stop, { once: true });
  child.once('close', () => signal.removeEventListener('abort', stop));
  child.stdin.on('error', () => {}); // the end of its output says that it is over
  try {
    const [said] = await Promise.race([
      once(child.stderr, 'data', { signal }) as Promise<[Buffer]>, // the stream has no encoding
      once(child, 'close', { signal }).then(() => [Buffer.from('the connection could not be made')]),
    ]);
    const answer = said?.toString() ?? '';
    if (answer !== 'connected') throw new Error(answer);
  } catch (error) {
    stop();
    signal.throwIfAborted();
    throw error;
  }
  child.stderr.resume();
  const connection = Duplex.from({ readable: child.stdout, writable: child.stdin });
  connection.once('close', stop);
  return connection;
}
