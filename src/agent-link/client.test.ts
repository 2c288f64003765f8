/** What comes over a real connection, and what becomes of it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { Answer } from './answer.ts';
import { createControlPlaneClient } from './client.ts';
import type { ControlPlaneAddress } from './settings.ts';

let answer: (response: ServerResponse, body: string) => void = () => {};
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(response, Buffer.concat(chunks).toString()));
});
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const KEY = 'k3y-k3y-k3y';
const OPERATION = {
  query: 'mutation Q($request: R!) { q(request: $request) }',
  variables: { request: { infraID: { infraID: 'i', version: 'v', accessKey: KEY }, text: 'said "so"' } },
};

/** How long is waited for one that does not come. */
const SILENCE_MS = 300;

function addressOf(port = (server.address() as AddressInfo).port): ControlPlaneAddress {
  return { url: new URL(`http://127.0.0.1:${port}/query`), skipTlsVerify: false, authorities: undefined };
}

async function send(
  port?: number,
  signal = new AbortController().signal,
  timeoutMs = PATIENCE_MS,
): Promise<Answer> {
  const client = createControlPlaneClient(addressOf(port), { timeoutMs });
  try {
    return await client.send(OPERATION, signal);
  } finally {
    client.close();
  }
}

const says = (status: number, body: string) => (response: ServerResponse) =>
  void response.writeHead(status).end(body);

const TABLE: readonly (readonly [name: string, reply: typeof answer, type: Answer['type'], shown: RegExp])[] =
  [
    ['an answer', says(200, '{"data":{"q":"ok"}}'), 'delivered', /"q":"ok"/],
    ['silence', () => {}, 'again', /no answer within 300 ms/],
    [
      'a head and then silence',
      (response) => void response.writeHead(200, { 'content-length': 9 }).write('{'),
      'again',
      /no answer within 300 ms/,
    ],
    [
      'half an answer',
      (response) => {
        response.writeHead(200, { 'content-length': 900 }).write('{"data":{"q"');
        setImmediate(() => response.destroy());
      },
      'again',
      /cannot reach http:\/\/127/,
    ],
    ['a cut before the answer', (response) => void response.destroy(), 'again', /cannot reach/],
    ['more than any answer', says(200, 'x'.repeat(2 * 1024 * 1024)), 'again', /larger than 1048576 bytes/],
    ['a redirection', says(302, ''), 'again', /HTTP 302/],
    [
      'an error that repeats what was sent',
      (response, body) => void response.end(JSON.stringify({ errors: [{ message: `bad: ${body}` }] })),
      'refused',
      /bad: .*\*\*\*/,
    ],
    [
      'a page that repeats what was sent',
      (response) => void response.writeHead(400).end(`<p>${KEY}`),
      'again',
      /<p>\*\*\*/,
    ],
  ];

for (const [name, reply, type, shown] of TABLE) {
  test(`${name}: ${type}`, async () => {
    answer = reply;
    const isSilent = shown.source.startsWith('no answer');
    const found = await send(undefined, undefined, isSilent ? SILENCE_MS : PATIENCE_MS);
    assert.equal(found.type, type);
    assert.match(JSON.stringify(found), shown);
    assert.ok(!JSON.stringify(found).includes(KEY));
  });
}

test('a server that does not listen is tried again', async () => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, 'close');
  const found = await send(port);
  assert.ok(found.type === 'again' && found.why.includes('ECONNREFUSED'), JSON.stringify(found));
});

test('one request is one POST of a constant document with variables, and has no header of authority', async () => {
  const seen: { body: string; headers: object; method: string | undefined }[] = [];
  answer = (response, body) => {
    const { headers, method } = response.req;
    seen.push({ body, headers, method });
    response.end('{"data":{}}');
  };
  await send();
  assert.equal(seen.length, 1);
  assert.equal(seen[0]?.method, 'POST');
  assert.deepEqual(JSON.parse(seen[0]?.body ?? ''), OPERATION);
  assert.ok(!('authorization' in (seen[0]?.headers ?? {})));
});

test('who does not want the answer any more has it no more', async () => {
  const ending = new AbortController();
  answer = () => ending.abort(new Error('the agent ends'));
  await assert.rejects(send(undefined, ending.signal), /the agent ends/);
});

test('a kept connection that the server closes in the same moment costs nothing: the operation goes over a new one', async () => {
  const client = createControlPlaneClient(addressOf());
  const { signal } = new AbortController();
  const ports: (number | undefined)[] = [];
  answer = (response) => {
    const { socket } = response.req;
    ports.push(socket.remotePort);
    if (ports.length === 2) socket.destroy();
    else response.end('{"data":{"q":"taken"}}');
  };
  const first = await client.send(OPERATION, signal);
  const second = await client.send(OPERATION, signal);
  client.close();
  assert.deepEqual([first.type, second.type, ports.length], ['delivered', 'delivered', 3]);
  assert.ok(ports[0] === ports[1] && ports[1] !== ports[2], String(ports));
});

test('the client does not repeat an operation whose new connection broke: it answers `again`', async () => {
  let requests = 0;
  answer = (response) => {
    requests += 1;
    response.req.socket.destroy();
  };
  const found = await send();
  assert.deepEqual([found.type, requests], ['again', 1]);
});
