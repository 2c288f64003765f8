import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeAuthority, makeServerCertificate, toPem } from '../tls/index.ts';
import { readBody } from './body.ts';
import { type HttpReply, jsonReply, textReply } from './reply.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from './server.ts';

function start(change: Partial<HttpServerOptions>): Promise<HttpServer> {
  const address = { port: 0, host: '127.0.0.1' };
  return startHttpServer({ what: 'words', address, answer: async () => textReply(200, 'hello'), ...change });
}

test('bodies are read up to their limit; what is larger is answered with 413', async (t) => {
  const errors: unknown[] = [];
  const server = await start({
    answer: async (request) => jsonReply(201, { got: await readBody(request, 4) }),
    onError: (error) => errors.push(error),
  });
  t.after(() => server.close());
  const post = async (body: string): Promise<[number, string]> => {
    const response = await fetch(`http://127.0.0.1:${server.port}/`, { method: 'POST', body });
    return [response.status, await response.text()];
  };
  assert.deepEqual(await post('four'), [201, '{"got":"four"}']);
  assert.deepEqual(await post('x'.repeat(100)), [413, 'the request is larger than 4 bytes\n']);
  assert.equal(errors.length, 1);
});

test('a failure is answered with its message, and reported', async (t) => {
  const errors: unknown[] = [];
  const failure = new Error('no answer today');
  const server = await start({
    answer: () => Promise.reject(failure),
    onError: (error) => errors.push(error),
  });
  t.after(() => server.close());
  const response = await fetch(`http://127.0.0.1:${server.port}/`);
  assert.deepEqual([response.status, await response.text()], [500, 'no answer today\n']);
  assert.deepEqual(errors, [failure]);
});

test('errors of a server that listens are reported, each of them, and do not end the process', async (t) => {
  const { mock } = t.mock.method(http, 'createServer');
  const errors: Error[] = [];
  const server = await start({ onServerError: (error) => errors.push(error) });
  t.after(() => server.close());
  const failures = [new Error('accept EMFILE'), new Error('accept EMFILE again')];
  for (const failure of failures) mock.calls[0]?.result?.emit('error', failure);
  assert.deepEqual(errors, failures);
  const response = await fetch(`http://127.0.0.1:${server.port}/`);
  assert.equal(response.status, 200);
});

test('a connection is kept for longer than API servers keep theirs', async (t) => {
  const server = await start({});
  t.after(() => server.close());
  const { headers } = await fetch(`http://127.0.0.1:${server.port}/`);
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? [];
  assert.ok(Number(seconds) > 90, `${seconds} s`);
});

test('closing waits for the answer under way, and not for connections on which nothing was asked', async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<HttpReply>();
  const server = await start({
    answer: () => {
      asked.resolve();
      return answered.promise;
    },
  });
  const quiet = connect(server.port, '127.0.0.1');
  await once(quiet, 'connect');
  const quietEnd = once(quiet, 'close');
  const response = fetch(`http://127.0.0.1:${server.port}/`);
  await asked.promise;
  const closed = server.close();
  answered.resolve(textReply(200, 'late'));
  assert.equal(await (await response).text(), 'late');
  await Promise.all([closed, quietEnd]);
});

test('an answer that does not come keeps a server for the grace time only', async () => {
  const asked = Promise.withResolvers<void>();
  const server = await start({
    graceMs: 1,
    answer: () => {
      asked.resolve();
      return new Promise(() => {});
    },
  });
  const response = fetch(`http://127.0.0.1:${server.port}/`);
  response.catch(() => {});
  await asked.promise;
  await server.close();
  await assert.rejects(response);
});

test('a body in pieces arrives whole; each piece is made when there is room for it', async (t) => {
  let made = 0;
  function* pieces(): Generator<string> {
    for (; made < 2_000; made += 1) yield `${made} ${'x'.repeat(16 * 1024)}\n`;
  }
  const server = await start({
    answer: async () => ({ status: 200, contentType: 'text/plain', body: pieces() }),
  });
  t.after(() => server.close());
  const response = await fetch(`http://127.0.0.1:${server.port}/`);
  const reader = response.body?.getReader();
  await reader?.read();
  assert.ok(made < 2_000, `${made} pieces were made for a reader that has read one`);
  let lines = 0;
  let last = '';
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    const text = Buffer.from(part.value).toString();
    lines += text.split('\n').length - 1;
    last = text.slice(-1);
  }
  assert.equal(made, 2_000);
  assert.ok(lines > 1_900 && last === '\n', `${lines} lines`);
});

for (const scheme of ['http', 'https'] as const) {
  test(`pieces that lie in the same memory one after the other arrive as they were, by ${scheme}, also at a slow reader`, async (t) => {
    const memory = Buffer.alloc(100_000);
    const count = 100;
    function* pieces(): Generator<Uint8Array> {
      for (let piece = 0; piece < count; piece += 1) yield memory.fill(piece);
    }
    const life = { now: Date.now(), lifetimeDays: 1 };
    const authority = makeAuthority({ commonName: 'ca', ...life });
    const own = makeServerCertificate(authority, { commonName: 'pages', names: ['127.0.0.1'], ...life });
    const key = own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const server = await start({
      ...(scheme === 'https' && { certificate: { cert: toPem('CERTIFICATE', own.certificate), key } }),
      answer: async () => ({ status: 200, contentType: 'application/octet-stream', body: pieces() }),
    });
    t.after(() => server.close());
    const where = { host: '127.0.0.1', port: server.port, agent: false, rejectUnauthorized: false } as const;
    const [response] = (await once((scheme === 'https' ? https : http).get(where), 'response')) as [
      http.IncomingMessage,
    ];
    let at = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      for (const byte of chunk)
        if (byte !== Math.floor(at++ / memory.length)) assert.fail(`byte ${at - 1} is ${byte}`);
      // The sockets' buffers are full meanwhile.
      await nextTurn();
    }
    assert.equal(at, count * memory.length);
  });
}

test('a body that breaks off is no whole answer; one whose reader goes is not made to its end', async (t) => {
  function* broken(): Generator<string> {
    yield 'half';
    throw new Error('no more');
  }
  const isOver = Promise.withResolvers<void>();
  function* endless(): Generator<string> {
    try {
      for (;;) yield 'x'.repeat(64 * 1024);
    } finally {
      isOver.resolve();
    }
  }
  const errors: unknown[] = [];
  const server = await start({
    answer: async ({ url }) => ({
      status: 200,
      contentType: 'text/plain',
      body: url === '/broken' ? broken() : endless(),
    }),
    onError: (error) => errors.push(error),
  });
  t.after(() => server.close());
  await assert.rejects(fetch(`http://127.0.0.1:${server.port}/broken`).then((one) => one.text()));
  assert.match(String(errors), /no more/);
  const response = await fetch(`http://127.0.0.1:${server.port}/endless`);
  await response.body?.cancel();
  await isOver.promise;
});
