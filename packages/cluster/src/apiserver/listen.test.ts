/** What sockets see of the server, over TLS as clients have it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectPlainly, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { FlowControl } from './http/flow-control.ts';
import { type Handle, type Listening, listen } from './listen.ts';
import { makeServerTls } from './tls/authority.ts';

/** A connection to a server that answers by `handle`, and takes upgrades by `handleUpgrade`. */
async function connected(
  t: TestContext,
  handle: Handle,
  handleUpgrade: Parameters<typeof listen>[0]['handleUpgrade'] = () => undefined,
): Promise<{ readonly socket: TLSSocket; readonly listening: Listening }> {
  const listening = await startListening(t, handle, handleUpgrade);
  const socket = connect({ host: '127.0.0.1', port: listening.port, rejectUnauthorized: false });
  t.after(() => socket.destroy());
  await once(socket, 'secureConnect', { signal: t.signal });
  return { socket, listening };
}

async function startListening(
  t: TestContext,
  handle: Handle,
  handleUpgrade: Parameters<typeof listen>[0]['handleUpgrade'] = () => undefined,
  timeouts?: Parameters<typeof listen>[0]['timeouts'],
): Promise<Listening> {
  const directory = mkdtempSync(join(tmpdir(), 'turnsole-listen-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const listening = await listen({
    handle,
    handleUpgrade,
    host: '127.0.0.1',
    port: 0,
    socketPath: join(directory, 'api.sock'),
    tls: makeServerTls(Date.now(), []),
    identify: () => 'someone',
    flow: new FlowControl(),
    ...(timeouts === undefined ? {} : { timeouts }),
  });
  t.after(() => listening.close(0));
  return listening;
}

/** More than the buffers between two ends of a connection hold. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

test('a request whose predecessor’s answer is still on its way is read as a whole, in many TLS records', async (t) => {
  const { socket } = await connected(t, async ({ method, body }) => ({
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

/** A session on an upgraded connection: the server's side of it besides. */
async function session(t: TestContext) {
  const upgraded = Promise.withResolvers<Duplex>();
  const { socket, listening } = await connected(
    t,
    async () => ({ status: 404, headers: {}, body: [] }),
    (_request, _message, stream) => upgraded.resolve(stream),
  );
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  return { socket, listening, running: await upgraded.promise };
}

test('a server that closes lets a session that runs on an upgraded connection end by itself', async (t) => {
  const { socket, listening, running } = await session(t);
  const closing = listening.close(PATIENCE_MS);
  running.end('the last word');
  const received: Buffer[] = [];
  for await (const chunk of socket as AsyncIterable<Buffer>) received.push(chunk);
  assert.equal(Buffer.concat(received).toString(), 'the last word');
  await closing;
});

test('a session that does not end by itself is ended when the time for that is over', async (t) => {
  const { listening, running } = await session(t);
  const gone = once(running, 'close', { signal: t.signal });
  await listening.close(1);
  await gone;
});

/** Passes connections on to a port, and holds back what a client sends after its first piece until it is released. */
async function slowForwarder(t: TestContext, port: number) {
  const release = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const server = createServer((client: Socket) => {
    const upstream = connectPlainly(port, '127.0.0.1');
    let before: Promise<void> | undefined;
    client.on('data', (piece: Buffer) => {
      before = before === undefined ? Promise.resolve() : before.then(() => release.promise);
      void before.then(() => upstream.write(piece));
    });
    upstream.on('data', (piece: Buffer) => client.write(piece));
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    upstream.on('close', () => {
      ended.resolve();
      client.destroy();
    });
    client.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening', { signal: t.signal });
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { port: address.port, release: release.resolve, ended: ended.promise };
}

test('a handshake that takes too long ends its connection without an answer, which would be taken for that to the first request', async (t) => {
  let requests = 0;
  const answer: Handle = () => {
    requests += 1;
    return Promise.resolve({ status: 200, headers: {}, body: [Buffer.from('yes')] });
  };
  const timeouts = { headersMs: 10_000, requestMs: 60_000, checkMs: 5_000, handshakeMs: 1 };
  const { port } = await startListening(t, answer, undefined, timeouts);
  const forwarder = await slowForwarder(t, port);
  const socket = connect({ host: '127.0.0.1', port: forwarder.port, rejectUnauthorized: false });
  t.after(() => socket.destroy());
  socket.on('error', () => undefined);
  // The client writes as soon as its own part of the handshake is done, which the server has not got yet.
  socket.on('secureConnect', () => socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'));
  let received = '';
  socket.on('data', (piece: Buffer) => {
    received += piece.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await Promise.race([forwarder.ended, late(t)]);
  forwarder.release();
  await closed;
  assert.deepEqual([received, requests], ['', 0]);
});

/** Ends the wait for a server that does not close the connection. */
function late(t: TestContext): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS / 10);
    t.after(() => clearTimeout(timer));
  });
}
