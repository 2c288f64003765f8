/** How the page is served. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type FastifyInstance, fastify } from 'fastify';
import { ofCluster } from './page-addresses.ts';
import { addPageRoutes } from './page-routes.ts';

const ADDRESSES = [{ path: '/cluster', loads: ['/ui/assets/cluster-1.js'] }];

const DOCUMENT = '<!doctype html><head></head>';
const SCRIPT = 'run()';

/** How what a browser accepts is read. */
const COMPRESSED = [
  ['gzip, deflate', gunzipSync],
  ['gzip, deflate, br, zstd', brotliDecompressSync],
] as const;

/** A server of a page that is one document with one script. */
async function served(context: TestContext, isBuilt = true): Promise<FastifyInstance> {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-page-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  if (isBuilt) {
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), DOCUMENT);
    await writeFile(join(folder, 'assets/index-1.js'), SCRIPT);
    await writeFile(join(folder, 'assets/index-1.js.br'), brotliCompressSync(SCRIPT));
    await writeFile(join(folder, 'addresses.json'), JSON.stringify(ADDRESSES));
    await writeFile(join(folder, 'secret.txt'), 'not of the page');
  }
  const app = fastify();
  addPageRoutes(app, folder);
  context.after(() => app.close());
  return app;
}

test('every address of the page is the document, under a policy without exceptions', async (context) => {
  const app = await served(context);
  for (const url of ['/ui/', '/ui/project/p1/runs/42?v=1&t=1-2', '/ui/a/../b']) {
    const { statusCode, headers, body } = await app.inject({ url });
    assert.equal(statusCode, 200, url);
    assert.equal(body, DOCUMENT);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['cache-control'], 'no-cache');
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe/);
  }
});

test('the document of a view names what the view is loaded from', async (context) => {
  const app = await served(context);
  for (const url of ['/ui/cluster', '/ui/cluster?v=1&find=/']) {
    const { body } = await app.inject({ url });
    assert.match(body, /<link rel="modulepreload" crossorigin href="\/ui\/assets\/cluster-1\.js"><\/head>/);
    for (const [accepted, read] of COMPRESSED) {
      const small = await app.inject({ url, headers: { 'accept-encoding': accepted } });
      assert.equal(read(small.rawPayload).toString(), body, accepted);
    }
  }
});

test('the document of a server that watches a cluster says so', async () => {
  const document = '<!doctype html><html lang="en"><head></head></html>';
  assert.equal(
    ofCluster(document),
    '<!doctype html><html data-cluster="watched" lang="en"><head></head></html>',
  );
});

test('the root leads to the page', async (context) => {
  const { statusCode, headers } = await (await served(context)).inject({ url: '/' });
  assert.deepEqual([statusCode, headers.location], [302, '/ui/']);
});

test('what the document loads is kept for ever, and compressed for those who can read that', async (context) => {
  const app = await served(context);
  const plain = await app.inject({ url: '/ui/assets/index-1.js' });
  assert.equal(plain.body, SCRIPT);
  assert.match(String(plain.headers['cache-control']), /immutable/);
  assert.match(String(plain.headers['content-type']), /^text\/javascript/);
  assert.equal(plain.headers['x-content-type-options'], 'nosniff');
  for (const [accepted, read] of COMPRESSED) {
    const headers = { 'accept-encoding': accepted };
    const small = await app.inject({ url: '/ui/assets/index-1.js', headers });
    assert.equal(small.headers['content-encoding'], read === gunzipSync ? 'gzip' : 'br');
    assert.equal(small.headers.vary, 'accept-encoding');
    assert.equal(read(small.rawPayload).toString(), SCRIPT);
  }
});

test('nothing else of the disk can be named', async (context) => {
  const app = await served(context);
  for (const name of [
    '..%2fsecret.txt',
    '%2e%2e/secret.txt',
    'none.js',
    '..%2findex.html',
    'index-1.js.br',
  ]) {
    const { statusCode, body } = await app.inject({ url: `/ui/assets/${name}` });
    assert.ok(statusCode === 404 || body.startsWith('<!doctype html>'), name);
    assert.doesNotMatch(body, /not of the page/);
  }
});

test('a checkout that was not built says so', async (context) => {
  const { statusCode, body } = await (await served(context, false)).inject({ url: '/ui/' });
  assert.equal(statusCode, 404);
  assert.match(body, /npm run build/);
});
