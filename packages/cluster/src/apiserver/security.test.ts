import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { FlowControl } from './http/flow-control.ts';
import { listen } from './listen.ts';
import { startTestServer, type TestServer } from './testing/test-server.ts';
import { makeServerTls } from './tls/authority.ts';

function portOf(server: TestServer): number {
  return Number(new URL(server.api.server).port);
}

/** The IPv4 addresses at which some process listens at a port, as Linux writes them. */
function listeningAt(port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = readFileSync('/proc/self/net/tcp', 'utf8').matchAll(
    /^ *\d+: ([0-9A-F]{8}):([0-9A-F]{4}) \S+ 0A /gm,
  );
  return [...rows].flatMap(([, address = '', at]) => (at === hex ? [address] : []));
}

/** Sends bytes over TLS and gives all that comes back until the server closes. */
function raw(server: TestServer, text: string): Promise<string> {
  const ca = readFileSync(join(server.dataDir, 'ca.crt'));
  return untilClosed(connectTls({ host: '127.0.0.1', port: portOf(server), ca }), text);
}

function untilClosed(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
    socket.write(text.replaceAll('\n', '\r\n'));
  });
}

const HEAD = 'Host: localhost\nConnection: close\nAuthorization: Bearer TOKEN\n';

describe('raw requests', () => {
  const cases: readonly (readonly [name: string, text: string, expected: RegExp])[] = [
    ['garbage', 'HELLO\n\n', /^HTTP\/1\.1 400 .*"reason":"BadRequest","code":400\}$/s],
    [
      'two lengths',
      `POST /api HTTP/1.1\n${HEAD}Content-Length: 3\nContent-Length: 5\n\nabcde`,
      /^HTTP\/1\.1 400 /,
    ],
    [
      'length and chunks',
      `POST /api HTTP/1.1\n${HEAD}Content-Length: 3\nTransfer-Encoding: chunked\n\n0\n\n`,
      /^HTTP\/1\.1 400 /,
    ],
    [
      'unknown transfer coding',
      `POST /api HTTP/1.1\n${HEAD}Transfer-Encoding: xchunked\n\n0\n\n`,
      /^HTTP\/1\.1 400 /,
    ],
    ['no host', 'GET /version HTTP/1.1\nConnection: close\n\n', /^HTTP\/1\.1 400 /],
    ['a line break in a header', `GET /version HTTP/1.1\n${HEAD}X: a\rB: c\n\n`, /^HTTP\/1\.1 400 /],
    [
      'long headers',
      `GET /version HTTP/1.1\n${HEAD}X: ${'a'.repeat(70_000)}\n\n`,
      /^HTTP\/1\.1 431 .*"code":431\}$/s,
    ],
    ['HTTP/1.0', `GET /version HTTP/1.0\n${HEAD}\n`, /^HTTP\/1\.1 200 /],
    ['an absolute form', `GET https://localhost/version HTTP/1.1\n${HEAD}\n`, /^HTTP\/1\.1 404 /],
    ['TRACE', `TRACE /api/v1/pods HTTP/1.1\n${HEAD}\n`, /^HTTP\/1\.1 4\d\d (?!.*TOKEN)/s],
    ['CONNECT', `CONNECT example.com:80 HTTP/1.1\n${HEAD}\n`, /^(HTTP\/1\.1 4\d\d .*)?$/s],
    [
      'a protocol that is not spoken here',
      `GET /version HTTP/1.1\nHost: a\nConnection: upgrade, close\nUpgrade: h2c\nAuthorization: Bearer TOKEN\n\n`,
      /^HTTP\/1\.1 200 .*"gitVersion"/s,
    ],
    [
      'a protocol that is not spoken where it is asked for',
      `GET /version HTTP/1.1\nHost: a\nConnection: upgrade\nUpgrade: websocket\nAuthorization: Bearer TOKEN\n\n`,
      /^HTTP\/1\.1 4\d\d /,
    ],
    ['an unknown expectation', `GET /version HTTP/1.1\n${HEAD}Expect: magic\n\n`, /^HTTP\/1\.1 417 /],
    [
      'a body without a token',
      'POST /api/v1/namespaces HTTP/1.1\nHost: a\nContent-Length: 1000000\n\n',
      /^HTTP\/1\.1 401 /,
    ],
    [
      'too long a body',
      `POST /api/v1/namespaces HTTP/1.1\n${HEAD}Content-Length: 999999999\n\n`,
      /^HTTP\/1\.1 413 /,
    ],
    [
      'another method by header',
      `GET /version HTTP/1.1\n${HEAD}X-HTTP-Method-Override: DELETE\n\n`,
      /^HTTP\/1\.1 200 /,
    ],
    [
      'two at once',
      `GET /version HTTP/1.1\nHost: a\n\nGET /version HTTP/1.1\n${HEAD}\n`,
      /^HTTP\/1\.1 200 .*HTTP\/1\.1 200 /s,
    ],
  ];
  for (const [name, text, expected] of cases) {
    it(`of ${name} get an answer`, async (t) => {
      const server = await startTestServer(t, { listen: true });
      assert.match(await raw(server, text.replace('TOKEN', server.api.adminToken)), expected);
      assert.equal((await server.overHttps('GET', '/api/v1/namespaces/default')).status, 200);
    });
  }
});

describe('the server', () => {
  // Whether another address refuses would say less: those of pods come and go beside this test.
  it('listens on loopback only', async (t) => {
    const server = await startTestServer(t, { listen: true });
    const addresses = listeningAt(portOf(server));
    assert.ok(addresses.includes('0100007F'), 'loopback');
    assert.deepEqual(
      addresses.filter((address) => /^0+$/.test(address)),
      [],
      'every address',
    );
    assert.equal(statSync(server.dataDir).mode & 0o777, 0o700);
    assert.equal(statSync(server.api.kubeconfigPath).mode & 0o777, 0o600);
  });

  it('gives pages of other origins nothing', async (t) => {
    const server = await startTestServer(t, { listen: true });
    const headers = { origin: 'https://evil.example' };
    const preflight = await server.overHttps('OPTIONS', '/api/v1/pods', { token: '', headers });
    assert.equal(preflight.status, 401);
    for (const token of ['', server.api.adminToken]) {
      const answer = await server.overHttps('GET', '/api/v1/pods', { token, headers });
      assert.equal(answer.status, token === '' ? 401 : 200);
      assert.equal(answer.headers['access-control-allow-origin'], undefined);
    }
  });

  it('knows no user by a token that is nearly right', async (t) => {
    const server = await startTestServer(t);
    const right = server.api.adminToken;
    for (const wrong of [
      right.slice(1),
      right.slice(0, -1),
      `${right}1`,
      right.toUpperCase(),
      'x'.repeat(50_000),
    ]) {
      assert.equal((await server.call('GET', '/api/v1/pods', { token: wrong })).status, 401);
    }
    const basic = { authorization: `Basic ${right}` };
    assert.equal((await server.call('GET', '/api/v1/pods', { token: '', headers: basic })).status, 401);
    assert.equal((await server.call('GET', '/api/v1/pods')).status, 200);
  });
});

describe('slow and many clients', () => {
  async function start(t: TestContext, flow: FlowControl) {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const { dataDir } = await startTestServer(t);
    const listening = await listen({
      handle: async () => {
        await answered;
        return { status: 200, headers: {}, body: [] };
      },
      handleUpgrade: () => undefined,
      host: '127.0.0.1',
      port: 0,
      socketPath: join(dataDir, 'slow.sock'),
      tls: makeServerTls(Date.now(), []),
      identify: ({ authorization }) => authorization,
      flow,
      timeouts: { headersMs: 60, requestMs: 120, checkMs: 20, idleMs: 200 },
    });
    t.after(() => listening.close(0));
    const secure = { host: '127.0.0.1', port: listening.port, rejectUnauthorized: false };
    return {
      send: (text: string) => untilClosed(connect(join(dataDir, 'slow.sock')), text),
      sendSecurely: (text: string) => untilClosed(connectTls(secure), text),
      answer,
    };
  }

  it('do not hold a connection with half a head or half a body', async (t) => {
    const { send } = await start(t, new FlowControl());
    assert.match(await send('GET /version HTT'), /^HTTP\/1\.1 408 /);
    assert.match(
      await send('POST / HTTP/1.1\nHost: a\nAuthorization: b\nContent-Length: 9\n\nhalf'),
      /^HTTP\/1\.1 408 /,
    );
  });

  it('are let go without a word where they have asked nothing', async (t) => {
    const { send, sendSecurely } = await start(t, new FlowControl());
    assert.equal(await send(''), '');
    assert.equal(await sendSecurely(''), '');
    assert.match(await sendSecurely('GET /version HTT'), /^HTTP\/1\.1 408 /);
  });

  it('get the answer to come back later', async (t) => {
    const flow = new FlowControl({ requests: 2, requestsPerUser: 1, bodyBytes: 10, bodyBytesPerUser: 10 });
    const { send, answer } = await start(t, flow);
    const head = (user: string): string => `Host: h\nConnection: close\nAuthorization: ${user}\n`;
    const first = send(`GET / HTTP/1.1\n${head('a')}\n`);
    const second = await send(`GET / HTTP/1.1\n${head('a')}\nGET / HTTP/1.1\n${head('a')}\n`);
    assert.match(second, /^HTTP\/1\.1 429 .*retry-after: 1.*"reason":"TooManyRequests"/is);
    const other = await send(`POST / HTTP/1.1\n${head('b')}Content-Length: 11\n\n01234567890`);
    assert.match(other, /^HTTP\/1\.1 429 /);
    answer();
    assert.match(await first, /^HTTP\/1\.1 200 /);
    assert.match(await send(`GET / HTTP/1.1\n${head('a')}\n`), /^HTTP\/1\.1 200 /);
  });
});
