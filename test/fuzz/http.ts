import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import type { HostileRequest } from './requests.ts';
import type { Target } from './target.ts';

/** An answer as it came. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Nobody waits longer for an answer, or for the end of a connection. */
const LIMIT_MS = 15_000;
const agent = new Agent({ keepAlive: true, maxSockets: 50 });

/** Sends a request as the administrator; undefined when the server closes without an answer. */
export async function send(target: Target, hostile: HostileRequest): Promise<Reply | undefined> {
  const { method, path, headers, body } = hostile;
  const signal = AbortSignal.timeout(LIMIT_MS);
  const outgoing = request({
    socketPath: target.socketPath,
    method,
    path,
    agent,
    signal,
    headers: { authorization: `Bearer ${target.token}`, ...headers, 'content-length': body.length },
  });
  outgoing.end(body);
  try {
    const [response]: IncomingMessage[] = await once(outgoing, 'response');
    if (response === undefined) return undefined;
    const pieces: Buffer[] = [];
    for await (const piece of response) pieces.push(piece);
    const type = response.headers['content-type'] ?? '';
    return { status: response.statusCode ?? 0, type, text: Buffer.concat(pieces).toString('utf8') };
  } catch (error) {
    if (signal.aborted)
      throw new Error(`${method} ${path}: no answer within ${LIMIT_MS} ms`, { cause: error });
    // The server may refuse a body before all of it was sent.
    return undefined;
  }
}

/** Sends bytes on a connection of their own, the client's end closed, and waits until the server closes too. */
export async function sendRaw(target: Target, bytes: Buffer): Promise<string> {
  const socket = connect({ path: target.socketPath });
  const signal = AbortSignal.timeout(LIMIT_MS);
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.end(bytes);
  try {
    await once(socket, 'close', { signal });
    return answer;
  } finally {
    socket.destroy();
  }
}

/** Connections that send half a request and then nothing. The function closes them. */
export function holdConnections(target: Target, count: number): () => void {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ path: target.socketPath });
    socket.on('error', () => undefined);
    socket.write('POST /api/v1/namespaces HTTP/1.1\r\nHost: a\r\nContent-Le');
    return socket;
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}
