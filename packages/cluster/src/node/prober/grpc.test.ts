import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { checkGrpc, encodeRequest } from './grpc.ts';

let server: Http2Server;
let port: number;
const asked: Buffer[] = [];

/** How the server answers, by the name of the service. */
const ANSWERS: Readonly<Record<string, readonly [status: string, message: number[]]>> = {
  '': ['0', [0x08, 1]],
  sick: ['0', [0x08, 2]],
  unsaid: ['0', []],
  unknown: ['5', []],
  other: ['12', []],
};

before(async () => {
  server = createServer();
  server.on('stream', (stream) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const body = Buffer.concat(chunks);
      asked.push(body);
      const service = body.subarray(7).toString();
      const [status, message] = ANSWERS[service] ?? [];
      if (status === undefined || message === undefined) return;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status, 'grpc-message': 'why' }));
      stream.end(Buffer.from([0, 0, 0, 0, message.length, ...message]));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port; // it listens on TCP
});
after(() => server.close());

const never = new AbortController().signal;

const table: readonly (readonly [service: string, ok: boolean, message: RegExp])[] = [
  ['', true, /^service healthy$/],
  ['sick', false, /^service unhealthy \(responded with "NOT_SERVING"\)$/],
  ['unsaid', false, /^service unhealthy \(responded with "UNKNOWN"\)$/],
  ['unknown', false, /^error: health rpc probe failed: rpc error: code = 5 desc = why$/],
  ['other', false, /^error: this server does not implement the grpc health protocol/],
];
for (const [service, ok, message] of table) {
  test(`a gRPC probe of ${JSON.stringify(service)}`, async () => {
    const outcome = await checkGrpc({ port, service }, '127.0.0.1', 1000, never);
    assert.equal(outcome.ok, ok, outcome.message);
    assert.match(outcome.message, message);
    assert.deepEqual(asked.at(-1), encodeRequest(service));
  });
}

test('a request is one message with the name of the service, whatever its length', () => {
  assert.deepEqual([...encodeRequest('')], [0, 0, 0, 0, 0]);
  assert.deepEqual([...encodeRequest('ab')], [0, 0, 0, 0, 4, 0x0a, 2, 97, 98]);
  assert.deepEqual([...encodeRequest('x'.repeat(200)).subarray(0, 8)], [0, 0, 0, 0, 203, 0x0a, 200, 1]);
});

test('a gRPC probe fails without a listener, without gRPC, and without an answer in time', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const closed = (other.address() as AddressInfo).port; // it listens on TCP
  other.close();
  const refused = await checkGrpc({ port: closed }, '127.0.0.1', 1000, never);
  assert.match(
    refused.message,
    /^timeout: failed to connect service "127\.0\.0\.1:\d+" within 1s: .*ECONNREFUSED/,
  );
  const limit = new AbortController();
  const reached = once(server, 'stream');
  const late = checkGrpc({ port, service: 'silent' }, '127.0.0.1', 1000, limit.signal);
  await reached;
  limit.abort();
  assert.deepEqual(await late, { ok: false, message: 'timeout: health rpc did not complete within 1s' });
});
