import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { asJson, asObjects, asString, type Json, valueAt } from './object.ts';
import {
  startTestServer,
  startWatch,
  type TestServer,
  type TestWatch,
  type WatchLine,
} from './testing/test-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

async function create(server: TestServer, name: string, labels: Json = {}): Promise<Json> {
  const answer = await server.call('POST', CONFIG_MAPS, { body: { metadata: { name, labels } } });
  assert.equal(answer.status, 201);
  return answer.body;
}

function patch(server: TestServer, name: string, body: Json): ReturnType<TestServer['call']> {
  return server.call('PATCH', `${CONFIG_MAPS}/${name}`, { type: 'application/merge-patch+json', body });
}

const STREAMING_LIST =
  'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

/** Checks the marks of the bookmark after the present objects; returns the kind of the empty list in them. */
function endMarks(object: Json): Json {
  const annotations = asJson(valueAt(object, 'metadata', 'annotations'));
  assert.equal(annotations['k8s.io/initial-events-end'], 'true');
  const blueprint = asString(annotations['kubernetes.io/initial-events-list-blueprint']);
  const { items, kind, apiVersion } = JSON.parse(Buffer.from(blueprint, 'base64').toString());
  assert.deepEqual(items, []);
  return { kind, apiVersion };
}

function shown({ type, object }: WatchLine): string {
  return `${type} ${asString(asJson(object.metadata).name)}`;
}

describe('watches', () => {
  it('begin with what is there, and go on with what changes', async (t) => {
    const server = await startTestServer(t);
    await create(server, 'a');
    const watch = await startWatch(server, `${CONFIG_MAPS}?watch=true`);
    assert.equal(shown(await watch.next()), 'ADDED a');
    await patch(server, 'a', { data: { k: 'v' } });
    const modified = await watch.next();
    assert.deepEqual([shown(modified), modified.object.data], ['MODIFIED a', { k: 'v' }]);
    await server.call('DELETE', `${CONFIG_MAPS}/a`);
    const deleted = await watch.next();
    assert.equal(shown(deleted), 'DELETED a');
    // A deletion is a change with a version of its own.
    assert.equal(valueAt(deleted.object, 'metadata', 'resourceVersion'), String(server.api.store.revision));
    watch.stop();
  });

  it('resume after the version they are given', async (t) => {
    const server = await startTestServer(t);
    const first = await create(server, 'a');
    await create(server, 'b');
    const version = asString(valueAt(first, 'metadata', 'resourceVersion'));
    const watch = await startWatch(server, `${CONFIG_MAPS}?watch=1&resourceVersion=${version}`);
    assert.equal(shown(await watch.next()), 'ADDED b');
    watch.stop();
  });

  it('get 410 as an event when their version is compacted', async (t) => {
    const server = await startTestServer(t);
    const first = await create(server, 'a');
    await create(server, 'b');
    server.api.store.compact();
    const version = asString(valueAt(first, 'metadata', 'resourceVersion'));
    const watch = await startWatch(server, `${CONFIG_MAPS}?watch=1&resourceVersion=${version}`);
    const { type, object } = await watch.next();
    assert.deepEqual([type, object.kind, object.code, object.reason], ['ERROR', 'Status', 410, 'Expired']);
    assert.match(String(object.message), /^too old resource version: /);
    await watch.ended;
  });

  it('of a selection show objects that come in as ADDED and objects that go out as DELETED', async (t) => {
    const server = await startTestServer(t);
    await create(server, 'a', { app: 'x' });
    await create(server, 'b', { app: 'y' });
    const watch = await startWatch(server, `${CONFIG_MAPS}?watch=1&labelSelector=app%3Dx`);
    assert.equal(shown(await watch.next()), 'ADDED a');
    await patch(server, 'b', { data: { k: '1' } });
    await patch(server, 'b', { metadata: { labels: { app: 'x' } } });
    assert.equal(shown(await watch.next()), 'ADDED b');
    await patch(server, 'a', { metadata: { labels: { app: 'z' } } });
    const left = await watch.next();
    assert.equal(shown(left), 'DELETED a');
    // It is shown as it was while it was selected, at the version at which it left.
    assert.deepEqual(valueAt(left.object, 'metadata', 'labels'), { app: 'x' });
    assert.equal(valueAt(left.object, 'metadata', 'resourceVersion'), String(server.api.store.revision));
    watch.stop();
  });

  it('of one name see only that object, by selector and by path', async (t) => {
    const server = await startTestServer(t);
    const watches = [
      await startWatch(server, `${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name%3Db`),
      await startWatch(server, '/api/v1/watch/namespaces/default/configmaps/b'),
    ];
    await create(server, 'a');
    await create(server, 'b');
    for (const watch of watches) {
      assert.equal(shown(await watch.next()), 'ADDED b');
      watch.stop();
    }
  });

  it('as streaming lists mark the end of the present with a bookmark', async (t) => {
    const server = await startTestServer(t);
    await create(server, 'a');
    const watch = await startWatch(server, `${CONFIG_MAPS}?${STREAMING_LIST}`);
    assert.equal(shown(await watch.next()), 'ADDED a');
    const { type, object } = await watch.next();
    assert.equal(type, 'BOOKMARK');
    assert.deepEqual(endMarks(object), { kind: 'ConfigMapList', apiVersion: 'v1' });
    assert.equal(valueAt(object, 'metadata', 'resourceVersion'), String(server.api.store.revision));
    await create(server, 'b');
    assert.equal(shown(await watch.next()), 'ADDED b');
    watch.stop();
  });

  it('as streaming lists of a kind with a definition have its list as their blueprint', async (t) => {
    const server = await startTestServer(t);
    const names = { plural: 'widgets', kind: 'Widget', listKind: 'WidgetList' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const spec = { group: 'shop.example.com', scope: 'Cluster', names, versions };
    const definition = { metadata: { name: 'widgets.shop.example.com' }, spec };
    await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: definition,
    });
    const watch = await startWatch(server, `/apis/shop.example.com/v1/widgets?${STREAMING_LIST}`);
    const { object } = await watch.next();
    assert.deepEqual(endMarks(object), { kind: 'WidgetList', apiVersion: 'shop.example.com/v1' });
    watch.stop();
  });

  it('that begin with the present by default end it with a bookmark where they take bookmarks', async (t) => {
    const server = await startTestServer(t);
    await create(server, 'a');
    for (const version of ['', '&resourceVersion=0']) {
      const watch = await startWatch(server, `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=true${version}`);
      assert.equal(shown(await watch.next()), 'ADDED a');
      const { type, object } = await watch.next();
      assert.equal(type, 'BOOKMARK');
      assert.deepEqual(endMarks(object), { kind: 'ConfigMapList', apiVersion: 'v1' });
      watch.stop();
    }
  });

  it('may leave out what is there', async (t) => {
    const server = await startTestServer(t);
    await create(server, 'a');
    const query = STREAMING_LIST.replace('=true', '=false');
    for (const version of ['', '&resourceVersion=0']) {
      const watch = await startWatch(server, `${CONFIG_MAPS}?${query}${version}`);
      const name = `b${version.length}`;
      await create(server, name);
      assert.equal(shown(await watch.next()), `ADDED ${name}`);
      watch.stop();
    }
  });

  it('show what is there no older than they ask', async (t) => {
    const server = await startTestServer(t);
    const version = valueAt(await create(server, 'a'), 'metadata', 'resourceVersion');
    const ask = (revision: unknown): Promise<TestWatch> =>
      startWatch(server, `${CONFIG_MAPS}?${STREAMING_LIST}&resourceVersion=${revision}`);
    const watch = await ask(version);
    assert.equal(shown(await watch.next()), 'ADDED a');
    watch.stop();
    const early = await ask(Number(version) + 1_000_000);
    const { type, object } = await early.next();
    assert.deepEqual([type, object.code, object.reason], ['ERROR', 504, 'Timeout']);
    assert.match(String(object.message), /^Timeout: Too large resource version: /);
    await early.ended;
  });

  for (const [query, ...causes] of [
    [
      'watch=1&sendInitialEvents=true',
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ],
    [
      'watch=1&sendInitialEvents=false&resourceVersionMatch=Exact&resourceVersion=1',
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"',
    ],
    [
      'watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
    [
      'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    ],
    ['sendInitialEvents=true', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
    [
      'resourceVersionMatch=NotOlderThan&sendInitialEvents=false',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
  ] as const) {
    it(`are refused with ${query}`, async (t) => {
      const server = await startTestServer(t);
      const { status, body } = await server.call('GET', `${CONFIG_MAPS}?${query}`);
      const text = causes.length === 1 ? causes[0] : `[${causes.join(', ')}]`;
      assert.deepEqual(
        [status, body.reason, body.message],
        [422, 'Invalid', `ListOptions.meta.k8s.io "" is invalid: ${text}`],
      );
    });
  }

  it('as streaming lists are no Tables', async (t) => {
    const server = await startTestServer(t);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const path = `${CONFIG_MAPS}?${STREAMING_LIST}`;
    const refused = await server.call('GET', path, { headers: { accept } });
    assert.deepEqual([refused.status, refused.body.reason], [406, 'NotAcceptable']);
    const watch = await startWatch(server, path, { headers: { accept: `${accept},application/json` } });
    assert.deepEqual(endMarks((await watch.next()).object), { kind: 'ConfigMapList', apiVersion: 'v1' });
    watch.stop();
  });

  it('as Tables carry the columns once', async (t) => {
    const server = await startTestServer(t);
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const watch = await startWatch(server, `${CONFIG_MAPS}?watch=1`, { headers });
    await create(server, 'a');
    await create(server, 'b');
    const [first, second] = [await watch.next(), await watch.next()];
    assert.ok(Array.isArray(first.object.columnDefinitions));
    assert.equal(second.object.columnDefinitions, null);
    watch.stop();
  });

  for (const [view, headers, bookmark] of [
    [
      'metadata',
      { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
      (metadata: Json) => ({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }),
    ],
    [
      'metadata in its older version',
      { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1' },
      (metadata: Json) => ({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1beta1', metadata }),
    ],
  ] as const) {
    it(`as ${view} have bookmarks of that kind, and errors that are a Status`, async (t) => {
      const clock = new FakeClock();
      const server = await startTestServer(t, { clock });
      const first = await create(server, 'a');
      const query = `watch=1&allowWatchBookmarks=true`;
      const initial = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
      const watch = await startWatch(server, `${CONFIG_MAPS}?${query}${initial}`, { headers });
      assert.equal((await watch.next()).object.kind, 'PartialObjectMetadata');
      const resourceVersion = String(server.api.store.revision);
      const marks = { resourceVersion };
      const end = await watch.next();
      const { apiVersion } = bookmark({});
      assert.deepEqual(endMarks(end.object), { kind: 'PartialObjectMetadataList', apiVersion });
      const annotations = valueAt(end.object, 'metadata', 'annotations');
      assert.deepEqual(end, { type: 'BOOKMARK', object: bookmark({ ...marks, annotations }) });
      await clock.advance(60_000);
      assert.deepEqual(await watch.next(), { type: 'BOOKMARK', object: bookmark(marks) });
      watch.stop();
      await create(server, 'b');
      server.api.store.compact();
      const old = asString(valueAt(first, 'metadata', 'resourceVersion'));
      const failed = await startWatch(server, `${CONFIG_MAPS}?${query}&resourceVersion=${old}`, { headers });
      const { type, object } = await failed.next();
      assert.deepEqual([type, object.kind, object.apiVersion, object.code], ['ERROR', 'Status', 'v1', 410]);
    });
  }

  it('as Tables have bookmarks that are Tables', async (t) => {
    const clock = new FakeClock();
    const server = await startTestServer(t, { clock });
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    for (const path of [CONFIG_MAPS, '/api/v1/pods', '/apis/apps/v1/deployments', '/api/v1/nodes']) {
      const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${server.api.store.revision}`;
      const watch = await startWatch(server, `${path}?${query}`, { headers });
      await clock.advance(60_000);
      const { type, object } = await watch.next();
      assert.deepEqual([type, object.kind, object.apiVersion], ['BOOKMARK', 'Table', 'meta.k8s.io/v1']);
      const resourceVersion = String(server.api.store.revision);
      assert.equal(valueAt(object, 'metadata', 'resourceVersion'), resourceVersion);
      assert.deepEqual(
        asObjects(object.rows).map((row) => row.object),
        [
          {
            kind: 'PartialObjectMetadata',
            apiVersion: 'meta.k8s.io/v1',
            metadata: { resourceVersion },
          },
        ],
      );
      watch.stop();
    }
  });

  it('are bounded in number', async (t) => {
    const server = await startTestServer(t, { maxWatches: 1 });
    const watch = await startWatch(server, `${CONFIG_MAPS}?watch=1`);
    const refused = await server.call('GET', `${CONFIG_MAPS}?watch=1`);
    assert.deepEqual([refused.status, refused.body.reason], [429, 'TooManyRequests']);
    watch.stop();
    (await startWatch(server, `${CONFIG_MAPS}?watch=1`)).stop();
  });

  it('of one user are half of them, and are counted until they end', async (t) => {
    const server = await startTestServer(t, { maxWatches: 4 });
    const path = `${CONFIG_MAPS}?watch=1`;
    const watches = [await startWatch(server, path), await startWatch(server, path)];
    const refused = await server.call('GET', path);
    assert.equal(refused.status, 429);
    assert.match(String(refused.body.message), /user "kubernetes-admin" has 2 watches already/);
    const others = { 'impersonate-user': 'somebody', 'impersonate-group': 'system:masters' };
    (await startWatch(server, path, { headers: others })).stop();
    watches[0]?.stop();
    (await startWatch(server, path)).stop();
    watches[1]?.stop();
  });

  it('end when the server closes', async (t) => {
    const server = await startTestServer(t);
    const watch = await startWatch(server, `${CONFIG_MAPS}?watch=1`);
    await server.api.close();
    await watch.ended;
  });

  it('stream over TLS, and leave nothing behind when the client goes', async (t) => {
    const server = await startTestServer(t, { listen: true });
    const before = server.api.store.watcherCount;
    await new Promise<void>((resolve, reject) => {
      const request = get(
        `${server.api.server}${CONFIG_MAPS}?watch=1`,
        {
          ca: readFileSync(join(server.dataDir, 'ca.crt')),
          headers: { authorization: `Bearer ${server.api.adminToken}` },
          agent: false,
        },
        (response) => {
          response.once('data', (line: Buffer) => {
            assert.equal(JSON.parse(line.toString()).object.metadata.name, 'a');
            request.destroy();
            resolve();
          });
          response.on('error', () => undefined);
          void create(server, 'a');
        },
      );
      request.on('error', reject);
    });
    // The server learns of it when its side of the connection closes.
    await server.api.close();
    assert.equal(server.api.store.watcherCount, before);
  });
});
