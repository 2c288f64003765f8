import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KubeObject, Pod } from '../kinds/core.ts';
import { PODS } from '../kinds/resources.ts';
import { failureOf, setUpClient } from '../testing/client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { sendFailure, sendJson } from '../testing/http-server.ts';
import { WIDGETS } from '../testing/widgets.ts';
import { createClient } from './client.ts';
import { ConnectionError, isAlreadyExists, isConflict, isForbidden, isNotFound } from './errors.ts';

const web = { metadata: { name: 'web', namespace: 'shop' } };

test('sends credentials, agent and impersonation, and asks for the token each time', async () => {
  let tokens = 0;
  let raw: string[] = [];
  await using cluster = await setUpClient(
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

test('bodies with other letters than ASCII arrive whole, both ways', async () => {
  await using cluster = await setUpClient((request, response) =>
    sendJson(response, 201, JSON.parse(request.body)),
  );
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
  await using cluster = await setUpClient((request, response) => {
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
  await using cluster = await setUpClient((_, response) => response.end('<html>router login</html>'));
  const failure = await failureOf(cluster.client.get(PODS, 'web', { namespace: 'shop' }));
  assert.ok(failure instanceof ConnectionError);
  assert.match(
    failure.message,
    /the answer is no JSON \("<html>router login<\/html>"\); check that the server's address/,
  );
});

test('raw gives text where the server sends text', async () => {
  await using cluster = await setUpClient((_, response) => response.end('ok'));
  assert.equal(await cluster.client.raw('GET', '/healthz'), 'ok');
});

test('a 401 drops cached credentials and is tried once more', async () => {
  let token = 'old';
  await using cluster = await setUpClient(
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
  await using refused = await setUpClient((_, response) => sendFailure(response, 401, 'Unauthorized'), {
    refreshCredentials: () => {},
  });
  await assert.rejects(refused.client.get(PODS, 'web', { namespace: 'shop' }), { code: 401 });
  assert.equal(refused.server.seen.length, 2);
});

test('a 401 is the answer also where new credentials are waited for beyond the time limit: that is no outage', async () => {
  const clock = new FakeClock();
  await using refused = await setUpClient(
    (_, response) => sendFailure(response, 401, 'Unauthorized'),
    { refreshCredentials: (signal) => clock.sleep(15_000, signal) },
    { clock },
  );
  const read = refused.client.get(PODS, 'web', { namespace: 'shop', timeoutMs: 10_000 });
  const rejected = assert.rejects(read, { name: 'ApiError', code: 401 });
  await clock.untilPending(2);
  await clock.advance(10_000);
  await rejected;
  const gone = new AbortController();
  const aborted = refused.client.get(PODS, 'web', { namespace: 'shop', signal: gone.signal });
  const stopped = assert.rejects(aborted, { message: 'enough' });
  await clock.untilPending(2);
  gone.abort(new Error('enough'));
  await stopped;
});

test('an overloaded server is asked again after the time it names, also for writes', async () => {
  const clock = new FakeClock();
  let asked = 0;
  await using cluster = await setUpClient(
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
  await using cluster = await setUpClient((request, response) => {
    asked += 1;
    if (asked <= 2 || request.method === 'POST') response.destroy();
    else sendJson(response, 200, web);
  });
  assert.deepEqual(await cluster.client.get(PODS, 'web', { namespace: 'shop' }), web);
  assert.equal(asked, 3);
  const failure = await failureOf(cluster.client.create(PODS, web));
  assert.ok(failure instanceof ConnectionError);
  assert.equal(asked, 4);
  // Unless its caller says that twice is the same as once.
  asked = 0;
  assert.deepEqual(
    await cluster.client.delete(PODS, 'web', { namespace: 'shop', repeatable: true }),
    undefined,
  );
  assert.equal(asked, 3);
  assert.match(failure.message, /^POST \/api\/v1\/namespaces\/shop\/pods: cannot reach http:/);
});

test('after an outage a write is not given up because the server has not read its roles yet', async () => {
  let asked = 0;
  await using cluster = await setUpClient((_, response, raw) => {
    asked += 1;
    if (asked === 1) raw.socket.destroy();
    else if (asked < 5) sendFailure(response, 403, 'Forbidden', 'roles are not known yet');
    else sendJson(response, 200, web);
  });
  const place = { namespace: 'shop' };
  await assert.rejects(cluster.client.patch(PODS, 'web', 'merge', {}, place), { name: 'ConnectionError' });
  assert.deepEqual(await cluster.client.patch(PODS, 'web', 'merge', {}, place), web);
  assert.equal(asked, 5);
});

test('a watch that broke off is an outage too, and nothing is forgiven without one', async () => {
  const forbidden: string[] = [];
  await using cluster = await setUpClient(({ method, url }, response) => {
    if (url.includes('watch=true')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"type":"ADDED","object":{"metadata":{"name":"web"}}}\n', () => response.destroy());
    } else if (forbidden.length < 2) {
      forbidden.push(method);
      sendFailure(response, 403, 'Forbidden', 'no');
    } else sendJson(response, 200, web);
  });
  const { client } = cluster;
  const place = { namespace: 'shop' };
  await assert.rejects(client.get(PODS, 'web', place), { code: 403 });
  await assert.rejects(async () => {
    for await (const _ of client.watch(PODS, place));
  }, /broke/);
  assert.deepEqual(await client.get(PODS, 'web', place), web);
  assert.equal(forbidden.length, 2);
});

test('an idle connection that the server closes is an outage too', async () => {
  let asked = 0;
  const closed = Promise.withResolvers<void>();
  await using cluster = await setUpClient((_, response, raw) => {
    asked += 1;
    if (asked === 1) {
      sendJson(response, 200, web);
      response.once('finish', () => setImmediate(() => raw.socket.destroy()));
      raw.socket.once('close', () => closed.resolve());
    } else if (asked < 4) sendFailure(response, 403, 'Forbidden', 'roles are not known yet');
    else sendJson(response, 200, web);
  });
  const place = { namespace: 'shop' };
  await cluster.client.get(PODS, 'web', place);
  await closed.promise;
  // The client hears of it a turn later.
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  assert.deepEqual(await cluster.client.get(PODS, 'web', place), web);
  assert.equal(asked, 4);
});

test('what a server that was away forbids is no answer when there is no time to ask again', async () => {
  let asked = 0;
  const clock = new FakeClock();
  await using cluster = await setUpClient(
    (_, response, raw) => {
      asked += 1;
      if (asked === 1) raw.socket.destroy();
      else sendFailure(response, 403, 'Forbidden', 'roles are not known yet');
    },
    {},
    { clock, random: () => 0.999 },
  );
  const failed = failureOf(cluster.client.get(PODS, 'web', { namespace: 'shop', timeoutMs: 1_000 }));
  // 50 + 100 + 200 + 400 ms of waiting fit into a second, 800 more do not.
  for (let tries = 0; tries < 4; tries++) {
    await clock.untilPending(2);
    clock.runNext();
  }
  const failure = await failed;
  assert.ok(failure instanceof ConnectionError);
  assert.match(failure.message, /was away and may not have read its roles and kinds yet: .*403 Forbidden/);
});

test('a server that never answers costs no more than the limit', async () => {
  const clock = new FakeClock();
  await using cluster = await setUpClient(() => {}, {}, { clock });
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

test('a process that had no turn for longer than the limit still hears what happened', async () => {
  // No server listens on port 1.
  const client = createClient({ server: 'http://127.0.0.1:1', namespace: 'shop' });
  const failed = failureOf(client.get(PODS, 'web', { namespace: 'shop', timeoutMs: 300 }));
  await nextTurn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  assert.match((await failed).message, /127\.0\.0\.1:1: .*ECONNREFUSED/);
  client.close();
});

test('a server that stops in the middle of a body costs no more than the limit', async () => {
  const clock = new FakeClock();
  const arrived = Promise.withResolvers<void>();
  await using cluster = await setUpClient(
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
  await using cluster = await setUpClient(() => arrived.resolve());
  const stop = new AbortController();
  const reason = new Error('enough');
  const failed = failureOf(cluster.client.get(PODS, 'web', { namespace: 'shop', signal: stop.signal }));
  await arrived.promise;
  stop.abort(reason);
  assert.equal(await failed, reason);
  assert.equal(await failureOf(cluster.client.list(PODS, { signal: stop.signal })), reason);

  const clock = new FakeClock();
  await using busy = await setUpClient(
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
  await using cluster = await setUpClient(() => arrived.resolve());
  const failed = failureOf(cluster.client.get(PODS, 'web', { namespace: 'shop' }));
  await arrived.promise;
  cluster.client.close();
  assert.match((await failed).message, /the client was closed/);
  assert.match((await failureOf(cluster.client.list(PODS))).message, /the client was closed/);
});

test('a list follows its pages and fills in what items of built-in kinds lack', async () => {
  await using cluster = await setUpClient((request, response) => {
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

test('a list holds what is made of its items, page by page', async () => {
  await using cluster = await setUpClient((request, response) => {
    const name = request.url.includes('continue=more') ? 'b' : 'a';
    const metadata = name === 'a' ? { resourceVersion: '9', continue: 'more' } : { resourceVersion: '9' };
    sendJson(response, 200, { metadata, items: [{ metadata: { name, uid: `of-${name}` } }] });
  });
  const asked: number[] = [];
  const { items } = await cluster.client.list<Pod>(PODS, {
    namespace: 'shop',
    eachItem: ({ kind, metadata }) => {
      asked.push(cluster.server.seen.length);
      return { metadata: { name: `${kind} ${metadata.name}` } };
    },
  });
  assert.deepEqual(items, [{ metadata: { name: 'Pod a' } }, { metadata: { name: 'Pod b' } }]);
  assert.deepEqual(asked, [1, 2], 'each page is worked off before the next is asked for');
});

test('a list whose position expires between pages starts again in one piece', async () => {
  await using cluster = await setUpClient((request, response) => {
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

test('delete returns what still exists', async () => {
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
  await using cluster = await setUpClient((request, response) =>
    sendJson(response, 200, answers[request.url.split('/').at(-1) ?? '']),
  );
  const isThere = async (name: string): Promise<boolean> =>
    (await cluster.client.delete(PODS, name, { namespace: 'shop' })) !== undefined;
  assert.deepEqual(
    [await isThere('gone'), await isThere('forced'), await isThere('graceful'), await isThere('held')],
    [false, false, true, true],
  );
});

test('status sub-resources are discovered once a minute per group version', async () => {
  const clock = new FakeClock();
  let names = ['widgets', 'widgets/status', 'gadgets'];
  await using cluster = await setUpClient(
    (_, response) => sendJson(response, 200, { resources: names.map((name) => ({ name })) }),
    {},
    { clock },
  );
  const results = { ...WIDGETS, plural: 'gadgets' };
  const both = await Promise.all([
    cluster.client.hasStatusSubresource(WIDGETS),
    cluster.client.hasStatusSubresource(results),
  ]);
  assert.deepEqual(both, [true, false]);
  assert.deepEqual(
    cluster.server.seen.map(({ url }) => url),
    ['/apis/example.com/v1alpha1'],
  );
  names = ['gadgets', 'gadgets/status'];
  assert.equal(await cluster.client.hasStatusSubresource(results), false);
  await clock.advance(60_000);
  assert.equal(await cluster.client.hasStatusSubresource(results), true);
  assert.equal(cluster.server.seen.length, 2);
});

test('a kind that is not served yet is asked for again, a failure too', async () => {
  let isServed = false;
  await using cluster = await setUpClient((_, response) =>
    isServed
      ? sendJson(response, 200, { resources: [{ name: 'widgets' }, { name: 'widgets/status' }] })
      : sendFailure(response, 404, 'NotFound'),
  );
  await assert.rejects(cluster.client.hasStatusSubresource(WIDGETS), isNotFound);
  isServed = true;
  assert.equal(await cluster.client.hasStatusSubresource(WIDGETS), true);
});
