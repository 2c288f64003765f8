import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import type { KubeObject, Pod } from '../../api/core.ts';
import { CHAOS_ENGINES, PODS } from '../../api/resources.ts';
import { makeAuthority, makeServerCertificate } from '../../local/apiserver/tls/certificate.ts';
import { FakeClock } from '../runtime/fake-clock.ts';
import { type Answer, sendFailure, sendJson, startTestServer } from '../testing/http-server.ts';
import { createClient } from './client.ts';
import { ApiError, ConnectionError, isAlreadyExists, isConflict, isForbidden, isNotFound } from './errors.ts';
import type { ClusterConfig, WatchEvent } from './types.ts';

const web = { metadata: { name: 'web', namespace: 'shop' } };

/** A server, a client for it, and the way to end both. */
async function setUp(
  answer: Answer,
  config: Partial<ClusterConfig> = {},
  options: Parameters<typeof createClient>[1] = {},
) {
  const server = await startTestServer(answer);
  const client = createClient(
    { server: server.url, namespace: 'shop', ...config },
    { random: () => 0, ...options },
  );
  return {
    client,
    server,
    [Symbol.asyncDispose]: async () => {
      client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof Error);
    return error;
  }
  throw new assert.AssertionError({ message: 'the request did not fail' });
}

test('sends credentials, agent and impersonation, and asks for the token each time', async () => {
  let tokens = 0;
  let raw: string[] = [];
  await using cluster = await setUp(
    (_, response, request) => {
      raw = request.rawHeaders;
      sendJson(response, 200, web);
    },
    {
      token: async () => `token-${++tokens}`,
      userAgent: 'turnsole/test',
      impersonate: { user: 'jane', groups: ['devs', 'ops'] },
    },
  );
  await cluster.client.get(PODS, 'web', { namespace: 'shop' });
  await cluster.client.get(PODS, 'web', { namespace: 'shop' });
  const [first, second] = cluster.server.seen;
  assert.equal(first?.headers.authorization, 'Bearer token-1');
  assert.equal(second?.headers.authorization, 'Bearer token-2');
  assert.equal(first?.headers['user-agent'], 'turnsole/test');
  assert.equal(first?.headers.accept, 'application/json');
  assert.equal(first?.headers['impersonate-user'], 'jane');
  assert.deepEqual(
    raw.filter((_, index) => raw[index - 1] === 'impersonate-group'),
    ['devs', 'ops'],
  );
});

test('keeps its connection from request to request', async () => {
  const ports = new Set<number | undefined>();
  await using cluster = await setUp((_, response, raw) => {
    ports.add(raw.socket.remotePort);
    sendJson(response, 200, web);
  });
  for (let count = 0; count < 5; count++) await cluster.client.get(PODS, 'web', { namespace: 'shop' });
  assert.equal(ports.size, 1);
});

test('keeps the prefix of the server’s path', async () => {
  await using server = await startTestServer((_, response) => sendJson(response, 200, web));
  const client = createClient({ server: `${server.url}/k8s/clusters/c1/`, namespace: 'shop' });
  await client.get(PODS, 'web', { namespace: 'shop' });
  client.close();
  assert.equal(server.seen[0]?.url, '/k8s/clusters/c1/api/v1/namespaces/shop/pods/web');
});

test('bodies with other letters than ASCII arrive whole, both ways', async () => {
  await using cluster = await setUp((request, response) => sendJson(response, 201, JSON.parse(request.body)));
  const sent = { ...web, metadata: { ...web.metadata, annotations: { note: 'Blümchen 🌻' } } };
  const stored = await cluster.client.create(PODS, sent);
  assert.equal(stored.metadata.annotations?.note, 'Blümchen 🌻');
});

test('failures of the server are ApiErrors that name the request', async () => {
  const answers: Record<string, [number, string]> = {
    missing: [404, 'NotFound'],
    present: [409, 'AlreadyExists'],
    stale: [409, 'Conflict'],
    secret: [403, 'Forbidden'],
  };
  await using cluster = await setUp((request, response) => {
    const [code, reason] = answers[request.url.split('/').at(-1) ?? ''] ?? [500, 'InternalError'];
    sendFailure(response, code, reason, 'as the test wants it');
  });
  const get = (name: string): Promise<Error> =>
    failureOf(cluster.client.get(PODS, name, { namespace: 'shop' }));
  const missing = await get('missing');
  assert.ok(isNotFound(missing));
  assert.equal(
    missing.message,
    'GET /api/v1/namespaces/shop/pods/missing: 404 NotFound: as the test wants it',
  );
  assert.ok(isAlreadyExists(await get('present')));
  assert.ok(isConflict(await get('stale')));
  assert.ok(isForbidden(await get('secret')));
  assert.equal(await cluster.client.find(PODS, 'missing', { namespace: 'shop' }), undefined);
  await assert.rejects(cluster.client.find(PODS, 'secret', { namespace: 'shop' }), isForbidden);
});

test('a page that is no JSON is a failure to connect to an API server', async () => {
  await using cluster = await setUp((_, response) => response.end('<html>router login</html>'));
  const failure = await failureOf(cluster.client.get(PODS, 'web', { namespace: 'shop' }));
  assert.ok(failure instanceof ConnectionError);
  assert.match(
    failure.message,
    /the answer is no JSON \("<html>router login<\/html>"\); check that the server's address/,
  );
});

test('raw gives text where the server sends text', async () => {
  await using cluster = await setUp((_, response) => response.end('ok'));
  assert.equal(await cluster.client.raw('GET', '/healthz'), 'ok');
});

test('a 401 drops cached credentials and is tried once more', async () => {
  let token = 'old';
  await using cluster = await setUp(
    (request, response) =>
      request.headers.authorization === 'Bearer new'
        ? sendJson(response, 200, web)
        : sendFailure(response, 401, 'Unauthorized'),
    {
      token: () => token,
      refreshCredentials: () => {
        token = 'new';
      },
    },
  );
  assert.deepEqual(await cluster.client.get(PODS, 'web', { namespace: 'shop' }), web);
  await using refused = await setUp((_, response) => sendFailure(response, 401, 'Unauthorized'), {
    refreshCredentials: () => {},
  });
  await assert.rejects(refused.client.get(PODS, 'web', { namespace: 'shop' }), { code: 401 });
  assert.equal(refused.server.seen.length, 2);
});

test('an overloaded server is asked again after the time it names, also for writes', async () => {
  const clock = new FakeClock();
  let asked = 0;
  await using cluster = await setUp(
    (_, response) => {
      asked += 1;
      if (asked === 1) sendFailure(response, 429, 'TooManyRequests', 'busy', { 'retry-after': '3' });
      else sendJson(response, 201, web);
    },
    {},
    { clock },
  );
  const created = cluster.client.create(PODS, web);
  // The request's own limit and the wait.
  await clock.untilPending(2);
  assert.equal(clock.nextInMs, 3_000);
  await clock.advance(3_000);
  assert.deepEqual(await created, web);
});

test('a read survives broken connections, a write that may have arrived does not', async () => {
  let asked = 0;
  await using cluster = await setUp((request, response) => {
    asked += 1;
    if (asked <= 2 || request.method === 'POST') response.destroy();
    else sendJson(response, 200, web);
  });
  assert.deepEqual(await cluster.client.get(PODS, 'web', { namespace: 'shop' }), web);
  assert.equal(asked, 3);
  const failure = await failureOf(cluster.client.create(PODS, web));
  assert.ok(failure instanceof ConnectionError);
  assert.equal(asked, 4);
  assert.match(failure.message, /^POST \/api\/v1\/namespaces\/shop\/pods: cannot reach http:/);
});

test('nobody at the address: tried until the limit, then said plainly', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const address = closed.address();
  const port = typeof address === 'object' ? address?.port : 0;
  closed.close();
  const clock = new FakeClock();
  const client = createClient(
    { server: `http://127.0.0.1:${port}`, namespace: 'shop' },
    { clock, random: () => 0.999 },
  );
  const failed = failureOf(client.create(PODS, web, { timeoutMs: 1_000 }));
  // 50 + 100 + 200 + 400 ms of waiting fit into a second, 800 more do not.
  for (let tries = 0; tries < 4; tries++) {
    await clock.untilPending(2);
    clock.runNext();
  }
  const failure = await failed;
  assert.ok(failure instanceof ConnectionError);
  assert.match(
    failure.message,
    /cannot reach http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED.*; check the address/,
  );
  client.close();
});

test('a server that never answers costs no more than the limit', async () => {
  const clock = new FakeClock();
  await using cluster = await setUp(() => {}, {}, { clock });
  const failed = failureOf(cluster.client.get(PODS, 'web', { namespace: 'shop', timeoutMs: 500 }));
  await clock.untilPending(1);
  await clock.advance(500);
  const failure = await failed;
  assert.ok(failure instanceof ConnectionError);
  assert.match(
    failure.message,
    /no answer within 500 ms from http:.*; check that the API server is alive, or raise timeoutMs/,
  );
});

test('a server that stops in the middle of a body costs no more than the limit', async () => {
  const clock = new FakeClock();
  const arrived = Promise.withResolvers<void>();
  await using cluster = await setUp(
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"metadata":', () => arrived.resolve());
    },
    {},
    { clock },
  );
  const failed = failureOf(cluster.client.get(PODS, 'web', { namespace: 'shop' }));
  await arrived.promise;
  await clock.advance(30_000);
  assert.match((await failed).message, /no answer within 30000 ms/);
});

test('the signal ends a request with its own reason, before, during and between tries', async () => {
  const arrived = Promise.withResolvers<void>();
  await using cluster = await setUp(() => arrived.resolve());
  const stop = new AbortController();
  const reason = new Error('enough');
  const failed = failureOf(cluster.client.get(PODS, 'web', { namespace: 'shop', signal: stop.signal }));
  await arrived.promise;
  stop.abort(reason);
  assert.equal(await failed, reason);
  assert.equal(await failureOf(cluster.client.list(PODS, { signal: stop.signal })), reason);

  const clock = new FakeClock();
  await using busy = await setUp(
    (_, response) => sendFailure(response, 503, 'ServiceUnavailable'),
    {},
    { clock, random: () => 0.5 },
  );
  const later = new AbortController();
  const waiting = failureOf(busy.client.get(PODS, 'web', { namespace: 'shop', signal: later.signal }));
  await clock.untilPending(2);
  later.abort(reason);
  assert.equal(await waiting, reason);
  assert.equal(clock.pending, 0);
});

test('close aborts what is under way and refuses what comes after', async () => {
  const arrived = Promise.withResolvers<void>();
  await using cluster = await setUp(() => arrived.resolve());
  const failed = failureOf(cluster.client.get(PODS, 'web', { namespace: 'shop' }));
  await arrived.promise;
  cluster.client.close();
  assert.match((await failed).message, /the client was closed/);
  assert.match((await failureOf(cluster.client.list(PODS))).message, /the client was closed/);
});

test('a list follows its pages and fills in what items of built-in kinds lack', async () => {
  await using cluster = await setUp((request, response) => {
    const isSecond = request.url.includes('continue=more');
    sendJson(response, 200, {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: isSecond
        ? { resourceVersion: '9' }
        : { resourceVersion: '9', continue: 'more', remainingItemCount: 1 },
      items: [{ metadata: { name: isSecond ? 'b' : 'a' } }],
    });
  });
  const list = await cluster.client.list<Pod>(PODS, {
    namespace: 'shop',
    labelSelector: 'app=web',
    limit: 1,
  });
  assert.deepEqual(list.items, [
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' } },
  ]);
  assert.deepEqual(list.metadata, { resourceVersion: '9' });
  assert.deepEqual(
    cluster.server.seen.map(({ url }) => url),
    [
      '/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&limit=1',
      '/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&limit=1&continue=more',
    ],
  );
});

test('a list whose position expires between pages starts again in one piece', async () => {
  await using cluster = await setUp((request, response) => {
    if (request.url.includes('continue')) sendFailure(response, 410, 'Expired');
    else if (request.url.includes('limit=0')) {
      sendJson(response, 200, {
        metadata: { resourceVersion: '12' },
        items: [{ metadata: { name: 'new' } }],
      });
    } else {
      sendJson(response, 200, {
        metadata: { resourceVersion: '9', continue: 'x' },
        items: [{ metadata: { name: 'old' } }],
      });
    }
  });
  const list = await cluster.client.list<Pod>(PODS);
  assert.deepEqual(
    list.items.map(({ metadata }) => metadata.name),
    ['new'],
  );
  assert.equal(list.metadata.resourceVersion, '12');
});

test('delete tells what is still there', async () => {
  const answers: Record<string, KubeObject | object> = {
    gone: { kind: 'Status', status: 'Success', details: { name: 'gone' } },
    forced: {
      kind: 'Pod',
      metadata: { name: 'forced', deletionTimestamp: 't', deletionGracePeriodSeconds: 0 },
    },
    graceful: {
      kind: 'Pod',
      metadata: { name: 'graceful', deletionTimestamp: 't', deletionGracePeriodSeconds: 30 },
    },
    held: {
      kind: 'X',
      metadata: { name: 'held', deletionTimestamp: 't', deletionGracePeriodSeconds: 0, finalizers: ['f'] },
    },
  };
  await using cluster = await setUp((request, response) =>
    sendJson(response, 200, answers[request.url.split('/').at(-1) ?? '']),
  );
  const isThere = async (name: string): Promise<boolean> =>
    (await cluster.client.delete(PODS, name, { namespace: 'shop' })) !== undefined;
  assert.deepEqual(
    [await isThere('gone'), await isThere('forced'), await isThere('graceful'), await isThere('held')],
    [false, false, true, true],
  );
});

/** Streams watch lines in pieces of a size that cuts characters in two. */
function streamLines(lines: readonly object[], thenEnd: boolean): Answer {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
    if (thenEnd) response.end();
  };
}

const added = (name: string): object => ({
  type: 'ADDED',
  object: { metadata: { name, resourceVersion: '1' } },
});

test('a watch gives its items however they are cut, and ends when the server ends it', async () => {
  await using cluster = await setUp(
    streamLines(
      [
        added('sonnenblume-🌻'),
        { type: 'BOOKMARK', object: { metadata: { resourceVersion: '5' } } },
        added('é'),
      ],
      true,
    ),
  );
  const seen: WatchEvent[] = [];
  for await (const event of cluster.client.watch(PODS, { allowWatchBookmarks: true })) seen.push(event);
  assert.deepEqual(seen, [
    added('sonnenblume-🌻'),
    { type: 'BOOKMARK', object: { metadata: { resourceVersion: '5' } } },
    added('é'),
  ]);
});

test('leaving the loop closes the connection of a watch', async () => {
  const closed = Promise.withResolvers<void>();
  await using cluster = await setUp((request, response, raw) => {
    response.on('close', () => closed.resolve());
    streamLines([added('a'), added('b')], false)(request, response, raw);
  });
  for await (const event of cluster.client.watch(PODS)) {
    assert.deepEqual(event, added('a'));
    break;
  }
  await closed.promise;
});

test('a watch’s limit holds until the first byte only; its signal ends it later', async () => {
  const clock = new FakeClock();
  const opened = Promise.withResolvers<void>();
  await using cluster = await setUp(
    (request, response, raw) => {
      streamLines([added('a')], false)(request, response, raw);
      opened.resolve();
    },
    {},
    { clock },
  );
  const stop = new AbortController();
  const reason = new Error('enough');
  const events = cluster.client.watch(PODS, { signal: stop.signal, timeoutMs: 100 })[Symbol.asyncIterator]();
  assert.deepEqual((await events.next()).value, added('a'));
  assert.equal(clock.pending, 0);
  const failed = failureOf(events.next());
  stop.abort(reason);
  assert.equal(await failed, reason);

  await using silent = await setUp(() => {}, {}, { clock });
  const waiting = failureOf(silent.client.watch(PODS, { timeoutMs: 100 })[Symbol.asyncIterator]().next());
  await clock.untilPending(1);
  await clock.advance(100);
  assert.match((await waiting).message, /no answer within 100 ms/);
});

test('an ERROR item and a refusal are thrown, a broken stream is a failed connection', async () => {
  const drain = async (answer: Answer): Promise<Error> => {
    await using cluster = await setUp(answer);
    return await failureOf(
      (async () => {
        for await (const _ of cluster.client.watch(PODS, { resourceVersion: '1' }));
      })(),
    );
  };
  const expired = await drain(
    streamLines(
      [{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } }],
      false,
    ),
  );
  assert.ok(expired instanceof ApiError);
  assert.equal(expired.code, 410);
  assert.match(expired.message, /^GET \/api\/v1\/pods\?watch=true&resourceVersion=1: 410 Expired: too old$/);
  assert.ok(isForbidden(await drain((_, response) => sendFailure(response, 403, 'Forbidden'))));
  const broken = await drain((_, response) => {
    response.writeHead(200);
    response.write('{"type":"ADD', () => response.destroy());
  });
  assert.ok(broken instanceof ConnectionError);
  const cut = await drain((_, response) => response.end('{"type":"ADD'));
  assert.ok(cut instanceof ConnectionError);
  assert.match(cut.message, /broke off inside an item/);
});

test('log gives the text, logLines its lines as they come', async () => {
  const more = Promise.withResolvers<void>();
  await using cluster = await setUp((request, response) => {
    if (!request.url.includes('follow=true')) {
      response.end('one\ntwo');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('one\ntw');
    void more.promise.then(() => response.end('o\nthree'));
  });
  assert.equal(await cluster.client.log('web', { namespace: 'shop' }), 'one\ntwo');
  const lines: string[] = [];
  for await (const line of cluster.client.logLines('web', { namespace: 'shop', follow: true })) {
    lines.push(line);
    more.resolve();
  }
  assert.deepEqual(lines, ['one', 'two', 'three']);
});

test('status sub-resources are discovered once a minute per group version', async () => {
  const clock = new FakeClock();
  let names = ['chaosengines', 'chaosengines/status', 'chaosresults'];
  await using cluster = await setUp(
    (_, response) => sendJson(response, 200, { resources: names.map((name) => ({ name })) }),
    {},
    { clock },
  );
  const results = { ...CHAOS_ENGINES, plural: 'chaosresults' };
  const both = await Promise.all([
    cluster.client.hasStatusSubresource(CHAOS_ENGINES),
    cluster.client.hasStatusSubresource(results),
  ]);
  assert.deepEqual(both, [true, false]);
  assert.deepEqual(
    cluster.server.seen.map(({ url }) => url),
    ['/apis/litmuschaos.io/v1alpha1'],
  );
  names = ['chaosresults', 'chaosresults/status'];
  assert.equal(await cluster.client.hasStatusSubresource(results), false);
  await clock.advance(60_000);
  assert.equal(await cluster.client.hasStatusSubresource(results), true);
  assert.equal(cluster.server.seen.length, 2);
});

test('a kind that is not served yet is asked for again, a failure too', async () => {
  let isServed = false;
  await using cluster = await setUp((_, response) =>
    isServed
      ? sendJson(response, 200, { resources: [{ name: 'chaosengines' }, { name: 'chaosengines/status' }] })
      : sendFailure(response, 404, 'NotFound'),
  );
  await assert.rejects(cluster.client.hasStatusSubresource(CHAOS_ENGINES), isNotFound);
  isServed = true;
  assert.equal(await cluster.client.hasStatusSubresource(CHAOS_ENGINES), true);
});

test('a Unix socket takes the place of host and port', { skip: process.platform === 'win32' }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-client-'));
  try {
    const socketPath = join(folder, 'api.sock');
    await using server = await startTestServer((_, response) => sendJson(response, 200, web), { socketPath });
    const client = createClient({ server: 'http://localhost', socketPath, namespace: 'shop' });
    assert.deepEqual(await client.get(PODS, 'web', { namespace: 'shop' }), web);
    assert.equal(server.seen.length, 1);
    client.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;

test('TLS: the authority is checked, the client certificate shown, the server name can be set', async () => {
  const options = { commonName: 'turnsole-test', now: Date.now(), lifetimeDays: 1 };
  const authority = makeAuthority(options);
  const identity = makeServerCertificate(authority, { ...options, names: ['api.example'] });
  const person = makeAuthority({ ...options, commonName: 'jane' });
  const keyOf = (entry: typeof authority): string =>
    entry.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const shown: (string | string[] | undefined)[] = [];
  await using server = await startTestServer(
    (_, response, raw) => {
      // The test server is a TLS server.
      shown.push((raw.socket as TLSSocket).getPeerCertificate().subject?.CN);
      sendJson(response, 200, web);
    },
    {
      tls: {
        key: keyOf(identity),
        cert: pem('CERTIFICATE', identity.certificate),
        requestCert: true,
        rejectUnauthorized: false,
      },
    },
  );
  const base = { server: server.url, namespace: 'shop' };
  const certificateAuthority = pem('CERTIFICATE', authority.certificate);
  const get = async (config: Partial<ClusterConfig>): Promise<unknown> => {
    const client = createClient({ ...base, ...config });
    try {
      return await client.get(PODS, 'web', { namespace: 'shop' });
    } finally {
      client.close();
    }
  };
  const trusted = { certificateAuthority, tlsServerName: 'api.example' };
  assert.deepEqual(await get(trusted), web);
  const mine = { certificate: pem('CERTIFICATE', person.certificate), key: keyOf(person) };
  await get({ ...trusted, clientCertificate: mine.certificate, clientKey: mine.key });
  await get({ ...trusted, clientIdentity: async () => mine });
  await get({ insecureSkipTlsVerify: true });
  assert.deepEqual(shown, [undefined, 'jane', 'jane', undefined]);

  const wrongName = await failureOf(get({ certificateAuthority }));
  assert.ok(wrongName instanceof ConnectionError);
  assert.match(wrongName.message, /does not match certificate's altnames/);
  assert.match((await failureOf(get({}))).message, /unable to verify|self-signed/i);
});
