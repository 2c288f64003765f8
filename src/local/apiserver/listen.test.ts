/** What sockets see of the server, over TLS as clients have it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { FlowControl } from './http/flow-control.ts';
import { type Handle, listen } from './listen.ts';
import { makeServerTls } from './tls/authority.ts';

/** A connection to a server that answers by `handle`. */
async function connected(t: TestContext, handle: Handle): Promise<TLSSocket> {
  const directory = mkdtempSync(join(tmpdir(), 'turnsole-listen-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const listening = await listen({
    handle,
    handleUpgrade: () => undefined,
    host: '127.0.0.1',
    port: 0,
    socketPath: join(directory, 'api.sock'),
    tls: makeServerTls(Date.now(), []),
    identify: () => 'someone',
    flow: new FlowControl(),
  });
  t.after(() => listening.close(0));
  const socket = connect({ host: '127.0.0.1', port: listening.port, rejectUnauthorized: false });
  t.after(() => socket.destroy());
  await once(socket, 'secureConnect', { signal: t.signal });
  return socket;
}

/** More than the buffers between two ends of a connection hold. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

test('a request whose predecessor’s answer is still on its way is read as a whole, in many TLS records', async (t) => {
  const socket = await connected(t, async ({ method, body }) => ({
    status: 200,
    headers: {},
    body: [method === 'GET' ? LARGE : Buffer.from(`read ${body.length} bytes`)],
  }));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  // The first piece is there, and the server waits for its reader to take the rest.
  await once(socket, 'readable', { signal: t.signal });
  const body = 'y'.repeat(50_000);
  // In one write: the server has all records at once, the first of which makes it pause.
  const head = `PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  await new Promise((resolve) => socket.write(`${head}${body}`, resolve));
  let length = 0;
  let end = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    length += chunk.length;
    end = `${end}${chunk.toString('latin1')}`.slice(-500);
  }
  assert.ok(length > LARGE.length, `the first answer was cut off after ${length} bytes`);
  assert.match(end, /HTTP\/1\.1 200 [\s\S]*\r\n\r\nread 50000 bytes$/);
});
