import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, test } from 'node:test';
import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateSync,
} from 'node:zlib';
import { systemClock } from '@turnsole/kube/base/clock';
import fc from 'fast-check';
import { type HttpFault, httpRelay, TcpProxy } from './index.ts';

/** What the server is asked to answer; it travels in the request's path. */
interface Answer {
  readonly status: number;
  readonly encoding: '' | 'gzip' | 'deflate' | 'br';
  /** The body, in the pieces it is written in; without length they become chunks. */
  readonly pieces: readonly string[];
  readonly hasLength: boolean;
  readonly hasTrailer: boolean;
}

interface Ask {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly body: string;
  readonly isChunked: boolean;
  readonly answer: Answer;
}

const ENCODERS = { '': (b: Buffer) => b, gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
const DECODERS = { '': (b: Buffer) => b, gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync };

let origin: Server;
before(async () => {
  origin = http.createServer((request, response) => void serve(request, response));
  origin.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n');
    socket.pipe(socket);
  });
  origin.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    response.writeContinue();
    void serve(request, response);
  });
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
});
after(() => {
  origin.closeAllConnections();
  origin.close();
});

/** Answers as asked, with what it was sent in a header. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const received: Buffer[] = [];
  for await (const piece of request) received.push(piece as Buffer);
  const answer = JSON.parse(decodeURIComponent((request.url ?? '').slice(1))) as Answer;
  response.sendDate = false;
  response.statusCode = answer.status;
  response.setHeader('X-Received', Buffer.concat(received).toString('hex'));
  response.setHeader('X-Asked', String(request.headers['x-fault'] ?? ''));
  const mayHaveBody = answer.status !== 204 && answer.status !== 304;
  const whole = ENCODERS[answer.encoding](Buffer.from(answer.pieces.join('')));
  if (answer.encoding !== '') response.setHeader('Content-Encoding', answer.encoding);
  if (answer.hasLength && mayHaveBody) response.setHeader('Content-Length', whole.length);
  else if (answer.hasTrailer && mayHaveBody && whole.length > 0 && request.method !== 'HEAD') {
    response.setHeader('Trailer', 'X-Sum');
    response.addTrailers({ 'X-Sum': String(whole.length) });
  }
  const step = Math.max(1, Math.ceil(whole.length / Math.max(1, answer.pieces.length)));
  for (let at = 0; mayHaveBody && at < whole.length; at += step)
    response.write(whole.subarray(at, at + step));
  response.end();
}

const answers: fc.Arbitrary<Answer> = fc.record({
  status: fc.constantFrom(200, 201, 204, 304, 404, 500),
  encoding: fc.constantFrom('', 'gzip', 'deflate', 'br'),
  pieces: fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { maxLength: 5 }),
  hasLength: fc.boolean(),
  hasTrailer: fc.boolean(),
});
const asks: fc.Arbitrary<Ask> = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT'),
  body: fc.string({ maxLength: 300 }),
  isChunked: fc.boolean(),
  answer: answers,
});

/** The request as bytes. */
function requestBytes({ method, body, isChunked, answer }: Ask, isLast: boolean): Buffer {
  const bytes = method === 'POST' || method === 'PUT' ? Buffer.from(body) : Buffer.alloc(0);
  const half = Math.floor(bytes.length / 2);
  const chunks = [bytes.subarray(0, half), bytes.subarray(half)].filter(({ length }) => length > 0);
  const chunked = chunks.map((chunk) =>
    Buffer.concat([Buffer.from(`${chunk.length.toString(16)};a=b\r\n`), chunk, Buffer.from('\r\n')]),
  );
  const framing =
    isChunked && bytes.length > 0 ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes.length}`;
  const payload = isChunked && bytes.length > 0 ? [...chunked, Buffer.from('0\r\nX-T: 1\r\n\r\n')] : [bytes];
  const close = isLast ? 'Connection: close\r\n' : '';
  const path = encodeURIComponent(JSON.stringify(answer));
  return Buffer.concat([
    Buffer.from(`${method} /${path} HTTP/1.1\r\nHost: a\r\n${close}${framing}\r\n\r\n`),
    ...payload,
  ]);
}

/** Sends bytes in pieces of these sizes, one per turn of the event loop, and gives everything that comes back. */
async function talk(port: number, bytes: Buffer, sizes: readonly number[]): Promise<Buffer> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  const closed = once(socket, 'close');
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const size = sizes.length === 0 ? bytes.length : (sizes[index % sizes.length] ?? 1);
    socket.write(bytes.subarray(at, at + size));
    at += size;
    await new Promise(setImmediate);
  }
  await closed;
  return Buffer.concat(received);
}

async function withProxy<T>(
  fault: HttpFault,
  action: (port: number, warnings: string[]) => Promise<T>,
  { toxicity = 100, port = (origin.address() as AddressInfo).port } = {},
): Promise<T> {
  const warnings: string[] = [];
  const proxy = await TcpProxy.listen({
    port: 0,
    host: '127.0.0.1',
    upstream: { port },
    relay: httpRelay({ fault, toxicity }),
    clock: systemClock,
    random: Math.random,
    warn: (message) => warnings.push(message),
  });
  try {
    return await action(proxy.port, warnings);
  } finally {
    await proxy.close(0, systemClock);
    assert.equal(proxy.connections, 0);
  }
}

interface Reply {
  readonly response: IncomingMessage;
  readonly body: Buffer;
}

/** Asks one after the other on one connection that is kept alive. */
async function askAll(
  port: number,
  list: readonly Ask[],
  headers: Record<string, string> = {},
): Promise<Reply[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const replies: Reply[] = [];
  const sockets = new Set<unknown>();
  for (const { method, body, isChunked, answer } of list) {
    const request = http.request({
      port,
      host: '127.0.0.1',
      agent,
      method,
      headers,
      path: `/${encodeURIComponent(JSON.stringify(answer))}`,
    });
    if (method === 'POST' || method === 'PUT') {
      if (!isChunked) request.setHeader('Content-Length', Buffer.byteLength(body));
      request.write(body);
    }
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    sockets.add(request.socket);
    const pieces: Buffer[] = [];
    for await (const piece of response) pieces.push(piece as Buffer);
    replies.push({ response, body: Buffer.concat(pieces) });
  }
  agent.destroy();
  // Node's own client gives a connection up after a response to HEAD that says no length.
  if (list.every(({ method }) => method !== 'HEAD')) assert.equal(sockets.size, 1, 'the connection is kept');
  return replies;
}

const RUNS = { numRuns: Number(process.env.FUZZ_RUNS ?? 40) };
const pipelines = fc.array(asks, { minLength: 1, maxLength: 6 });
const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 4 });

test('what is not hit passes byte by byte, pipelined and in any pieces', async () => {
  const { port } = origin.address() as AddressInfo;
  const faults: HttpFault[] = [
    { kind: 'header', direction: 'response', headers: { 'X-New': '1' } },
    { kind: 'status', status: 500, body: null },
  ];
  for (const fault of faults) {
    await withProxy(
      fault,
      (through) =>
        fc.assert(
          fc.asyncProperty(pipelines, cuts, async (list, sizes) => {
            const bytes = Buffer.concat(
              list.map((ask, index) => requestBytes(ask, index === list.length - 1)),
            );
            const [direct, proxied] = await Promise.all([talk(port, bytes, []), talk(through, bytes, sizes)]);
            assert.deepEqual(proxied.toString('latin1'), direct.toString('latin1'));
          }),
          { numRuns: RUNS.numRuns / 2 },
        ),
      { toxicity: 0 },
    );
  }
});

test('every response of a connection has the new body, and only that', async () => {
  for (const contentEncoding of ['', 'gzip', 'deflate', 'br'] as const) {
    const body = { text: 'new body ü', contentType: 'text/x-new', contentEncoding };
    await withProxy({ kind: 'body', body }, (port) =>
      fc.assert(
        fc.asyncProperty(pipelines, async (list) => {
          for (const [index, { response, body }] of (await askAll(port, list)).entries()) {
            const { method, answer, body: sent } = list[index] ?? assert.fail();
            assert.equal(response.statusCode, answer.status);
            const hasSent = method === 'POST' || method === 'PUT';
            assert.equal(response.headers['x-received'], hasSent ? Buffer.from(sent).toString('hex') : '');
            if (answer.status === 204 || answer.status === 304) {
              assert.equal(body.length, 0);
              continue;
            }
            assert.equal(response.headers['content-type'], 'text/x-new');
            assert.equal(response.headers['content-encoding'] ?? '', contentEncoding);
            assert.equal(response.headers['transfer-encoding'], undefined);
            if (method === 'HEAD') assert.equal(body.length, 0);
            else {
              assert.equal(Number(response.headers['content-length']), body.length);
              assert.equal(DECODERS[contentEncoding](body).toString(), 'new body ü');
            }
          }
        }),
        { numRuns: RUNS.numRuns / 4 },
      ),
    );
  }
});

test('every response has the new status, with its own body or the page of the status', async () => {
  const page = { contentType: 'text/plain', contentEncoding: '' } as const;
  for (const [status, body] of [
    [503, null],
    [503, page],
    [204, page],
    [304, null],
    [418, page],
  ] as const) {
    await withProxy({ kind: 'status', status, body }, (port) =>
      fc.assert(
        fc.asyncProperty(pipelines, async (list) => {
          for (const [index, reply] of (await askAll(port, list)).entries()) {
            const { method, answer } = list[index] ?? assert.fail();
            assert.equal(reply.response.statusCode, status);
            const isBare = method === 'HEAD' || status === 204 || status === 304;
            if (isBare || (body === null && (answer.status === 204 || answer.status === 304))) {
              assert.equal(reply.body.length, 0);
            } else if (body === null) {
              const plain = reply.body.length === 0 ? reply.body : DECODERS[answer.encoding](reply.body);
              assert.equal(plain.toString(), answer.pieces.join(''));
            } else {
              assert.match(reply.body.toString(), new RegExp(`<h1>${status}`));
              assert.equal(reply.response.headers['content-type'], 'text/html');
            }
          }
        }),
        { numRuns: RUNS.numRuns / 5 },
      ),
    );
  }
});

const PLAIN: Answer = { status: 200, encoding: '', pieces: ['ok'], hasLength: true, hasTrailer: false };
const GET: Ask = { method: 'GET', body: '', isChunked: false, answer: PLAIN };

test('headers of responses and of requests are set, once each, whatever their case', async () => {
  await withProxy(
    { kind: 'header', direction: 'response', headers: { 'x-RECEIVED': 'no', 'X-New': '1' } },
    async (port) => {
      for (const { response, body } of await askAll(port, [GET, GET])) {
        assert.equal(response.headers['x-received'], 'no');
        assert.equal(response.rawHeaders.filter((name) => name.toLowerCase() === 'x-received').length, 1);
        assert.equal(response.headers['x-new'], '1');
        assert.equal(body.toString(), 'ok');
      }
    },
  );
  await withProxy({ kind: 'header', direction: 'request', headers: { 'X-Fault': 'seen' } }, async (port) => {
    const [first, second] = await askAll(port, [{ ...GET, method: 'POST', body: 'sent' }, GET], {
      'x-fault': 'mine',
    });
    assert.equal(first?.response.headers['x-asked'], 'seen');
    assert.equal(first?.response.headers['x-received'], Buffer.from('sent').toString('hex'));
    assert.equal(second?.response.headers['x-asked'], 'seen');
  });
});

test('a client that waits for 100 Continue gets it, then the altered response', async () => {
  await withProxy({ kind: 'status', status: 502, body: null }, async (port) => {
    const path = `/${encodeURIComponent(JSON.stringify(PLAIN))}`;
    const request = http.request({ port, method: 'POST', path, headers: { Expect: '100-continue' } });
    request.flushHeaders();
    await once(request, 'continue');
    request.end('late');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 502);
    assert.equal(response.headers['x-received'], Buffer.from('late').toString('hex'));
    response.resume();
    await once(response, 'end');
  });
});

test('an upgraded connection is a tunnel', async () => {
  await withProxy({ kind: 'status', status: 500, body: null }, async (port) => {
    const request = http.request({ port, headers: { Connection: 'Upgrade', Upgrade: 'echo' } });
    request.end();
    const [, socket] = (await once(request, 'upgrade')) as [IncomingMessage, import('node:net').Socket];
    socket.write('HTTP/1.1 200 OK\r\n\r\nnot parsed');
    const [data] = (await once(socket, 'data')) as [Buffer];
    assert.equal(data.toString(), 'HTTP/1.1 200 OK\r\n\r\nnot parsed');
    socket.destroy();
  });
});

test('TLS passes untouched, with one warning', async () => {
  const echo = (await import('node:net')).createServer((socket) => void socket.pipe(socket));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  try {
    await withProxy(
      { kind: 'status', status: 500, body: null },
      async (port, warnings) => {
        const hello = Buffer.from('160301000548656c6c6f0d0a0d0a', 'hex');
        for (let time = 0; time < 2; time += 1) {
          const socket = connect({ port, host: '127.0.0.1' });
          socket.write(hello);
          const [data] = (await once(socket, 'data')) as [Buffer];
          assert.deepEqual(data, hello);
          socket.destroy();
        }
        assert.deepEqual(warnings, ['the port carries TLS, which passes as it is']);
      },
      { port: (echo.address() as AddressInfo).port },
    );
  } finally {
    echo.close();
  }
});

test('a reset is one, and a server that is not there too', async () => {
  const reset = async (port: number): Promise<void> => {
    await assert.rejects(askAll(port, [GET]), { code: 'ECONNRESET' });
  };
  await withProxy({ kind: 'reset', timeoutMs: 0 }, reset);
  await withProxy({ kind: 'reset', timeoutMs: 20 }, reset);
  await withProxy({ kind: 'none' }, reset, { port: 1 });
  await withProxy({ kind: 'reset', timeoutMs: 0 }, (port) => askAll(port, [GET]), { toxicity: 0 });
});
