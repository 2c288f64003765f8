/** Stores against real parts: folders, HTTP servers, a repository of git. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startTestServer } from '@turnsole/kube/testing/http-server';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { placesBelow } from '../../places.ts';
import { memoryS3 } from '../../testing/memory-s3.ts';
import { openStore } from '../open-store.ts';
import type { ReadSecret } from '../store.ts';
import { cloneSteps } from './git-store.ts';
import { urlOf } from './s3-requests.ts';

const places = placesBelow();
const PARTS = { places, secrets: (async ({ name, key }) => `${name}-${key}`) satisfies ReadSecret };
const secret = (name: string) => ({ name, key: 'k' });

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-stores-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function limit(): AbortSignal {
  return AbortSignal.timeout(PATIENCE_MS);
}

test('a volume keeps files and folders, and no key leads out of it', async (t) => {
  const folder = folderOf(t);
  mkdirSync(join(folder, 'made/sub'), { recursive: true });
  writeFileSync(join(folder, 'made/sub/f'), 'text');
  const store = await openStore({ kind: 'volume', fields: { folder: join(folder, 'store') } }, PARTS);
  await store.store(join(folder, 'made'), 'a/b', limit());
  await store.store(join(folder, 'made/sub/f'), 'a/c', limit());
  assert.deepEqual(await store.list('a/', limit()), ['a/b/sub/f', 'a/c']);
  assert.deepEqual(await store.list('a/b', limit()), ['a/b/sub/f']);
  assert.ok(await store.fetch('a/b', join(folder, 'back'), limit()));
  assert.equal(readFileSync(join(folder, 'back/sub/f'), 'utf8'), 'text');
  assert.ok(!(await store.fetch('none', join(folder, 'none'), limit())));
  await store.remove('a/b', limit());
  assert.deepEqual(await store.list('', limit()), ['a/c']);
  for (const key of ['../made', 'a/../../made', '', '/'])
    await assert.rejects(store.fetch(key, join(folder, 'out'), limit()), /is no key/, key);
});

test('S3: signed requests; a key of a folder brings all below it, page by page', async (t) => {
  const folder = folderOf(t);
  const objects = new Map([
    ['d/a & b', '1'],
    ['d/sub/c', '2'],
    ['d/z', '3'],
    ['other', '4'],
  ]);
  await using server = await startTestServer(memoryS3('b', objects));
  const fields = {
    endpoint: server.url,
    bucket: 'b',
    insecure: true,
    accessKeySecret: secret('id'),
    secretKeySecret: secret('secret'),
    encryptionOptions: { enableEncryption: true },
  };
  const store = await openStore({ kind: 's3', fields }, PARTS);
  assert.deepEqual(await store.list('d/', limit()), ['d/a & b', 'd/sub/c', 'd/z']);
  assert.ok(await store.fetch('d', join(folder, 'd'), limit()));
  assert.equal(readFileSync(join(folder, 'd/sub/c'), 'utf8'), '2');
  assert.ok(await store.fetch('other', join(folder, 'one'), limit()));
  assert.ok(!(await store.fetch('none', join(folder, 'none'), limit())));
  await store.store(join(folder, 'd'), 'copy', limit());
  assert.equal(objects.get('copy/a & b'), '1');
  await store.remove('d', limit());
  assert.deepEqual([...objects.keys()].toSorted(), ['copy/a & b', 'copy/sub/c', 'copy/z', 'other']);
  const { authorization, 'x-amz-server-side-encryption': encryption } =
    server.seen.find(({ method }) => method === 'PUT')?.headers ?? {};
  assert.match(authorization ?? '', /^AWS4-HMAC-SHA256 Credential=id-k\/\d{8}\/us-east-1\/s3\/aws4_request/);
  assert.equal(encryption, 'AES256');
});

test('S3: a bucket that is not there is no missing artifact', async (t) => {
  await using server = await startTestServer(memoryS3('b', new Map()));
  const fields = { endpoint: server.url, bucket: 'wrong', insecure: true };
  const store = await openStore({ kind: 's3', fields }, PARTS);
  await assert.rejects(
    store.fetch('k', join(folderOf(t), 'x'), limit()),
    /GET k was answered with 404: NoSuchBucket/,
  );
});

test('S3: storing into a bucket that is not there says what to do', async (t) => {
  const file = join(folderOf(t), 'f');
  writeFileSync(file, 'text');
  await using server = await startTestServer(memoryS3('b', new Map()));
  const store = await openStore(
    { kind: 's3', fields: { endpoint: server.url, bucket: 'x', insecure: true } },
    PARTS,
  );
  await assert.rejects(
    store.store(file, 'k', limit()),
    /bucket x at \S+ is not there: make it, or set createBucket/,
  );
});

test('S3: buckets stand in the host where their servers want it', () => {
  const access = { bucket: 'b', region: 'r', insecure: false };
  const rows = [
    ['minio:9000', 'a/b c', 'https://minio:9000/b/a/b%20c'],
    ['https://minio:9000/', undefined, 'https://minio:9000/b'],
    ['s3.amazonaws.com', 'k', 'https://b.s3.amazonaws.com/k'],
    ['oss-cn-x.aliyuncs.com', undefined, 'https://b.oss-cn-x.aliyuncs.com/'],
  ] as const;
  for (const [endpoint, key, url] of rows) assert.equal(urlOf({ ...access, endpoint }, key).href, url);
});

test('HTTP: headers and users, PUT and DELETE; redirects carry no credentials elsewhere', async (t) => {
  const folder = folderOf(t);
  await using elsewhere = await startTestServer((_request, response) => response.end('elsewhere'));
  await using server = await startTestServer(({ url, headers }, response) => {
    if (url === '/moved') response.writeHead(302, { location: elsewhere.url }).end();
    else if (url === '/none') response.writeHead(404).end();
    else if (url === '/secret' && headers.authorization === undefined) response.writeHead(401).end('who?');
    else response.end('text');
  });
  const basicAuth = { usernameSecret: secret('user'), passwordSecret: secret('word') };
  const fields = { headers: [{ name: 'x-a', value: '1' }], auth: { basicAuth } };
  const store = await openStore({ kind: 'http', fields }, PARTS);
  assert.ok(await store.fetch(`${server.url}/secret`, join(folder, 'a'), limit()));
  assert.equal(server.seen[0]?.headers.authorization, `Basic ${btoa('user-k:word-k')}`);
  assert.equal(server.seen[0]?.headers['x-a'], '1');
  assert.ok(await store.fetch(`${server.url}/moved`, join(folder, 'b'), limit()));
  assert.equal(readFileSync(join(folder, 'b'), 'utf8'), 'elsewhere');
  assert.equal(elsewhere.seen[0]?.headers.authorization, undefined);
  assert.ok(!(await store.fetch(`${server.url}/none`, join(folder, 'c'), limit())));
  await store.store(join(folder, 'a'), `${server.url}/up`, limit());
  await store.remove(`${server.url}/none`, limit());
  assert.deepEqual(
    server.seen.slice(-2).map(({ method, body }) => [method, body]),
    [
      ['PUT', 'text'],
      ['DELETE', ''],
    ],
  );
  const plain = await openStore({ kind: 'http', fields: {} }, PARTS);
  const refused = plain.fetch(`${server.url}/secret`, join(folder, 'd'), limit());
  await assert.rejects(refused, /GET http\S+\/secret was answered with 401: who\?/);
  await assert.rejects(store.store(folder, `${server.url}/up`, limit()), /a folder needs an archive/);
});

test('HTTP: a token of OAuth 2 by client credentials', async (t) => {
  await using server = await startTestServer(({ url }, response) => {
    response.end(url === '/token' ? '{"access_token":"t"}' : 'text');
  });
  const oauth2 = {
    tokenURLSecret: { name: 'url', key: 'k' },
    clientIDSecret: secret('id'),
    clientSecretSecret: secret('word'),
    scopes: ['a', 'b'],
  };
  const secrets: ReadSecret = async ({ name, key }) =>
    name === 'url' ? `${server.url}/token` : `${name}-${key}`;
  const store = await openStore({ kind: 'http', fields: { auth: { oauth2 } } }, { places, secrets });
  await store.fetch(`${server.url}/x`, join(folderOf(t), 'x'), limit());
  const [asked, fetched] = server.seen;
  assert.equal(asked?.body, 'grant_type=client_credentials&client_id=id-k&client_secret=word-k&scope=a+b');
  assert.equal(fetched?.headers.authorization, 'Bearer t');
});

test('git: a branch, a tag, a commit, with and without depth; its credentials are not left', async (t) => {
  const folder = folderOf(t);
  const work = join(folder, 'work');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: work,
      encoding: 'utf8',
    });
  mkdirSync(work);
  git('init', '-q', '-b', 'main');
  for (const content of ['one', 'two']) {
    writeFileSync(join(work, 'f'), content);
    git('add', '.');
    git('commit', '-q', '-m', content);
    if (content === 'one') git('tag', 'first');
  }
  const bare = join(folder, 'repo.git');
  git('clone', '-q', '--bare', work, bare);
  execFileSync('git', ['update-server-info'], { cwd: bare });
  await using server = await startTestServer(({ url }, response) => {
    const file = join(folder, normalize(new URL(url, 'http://git').pathname));
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  const repo = `${server.url}/repo.git`;
  const rows = [
    [{}, 'two'],
    [{ revision: 'first' }, 'one'],
    [{ revision: git('rev-parse', 'first').trim() }, 'one'],
    [{ branch: 'main', singleBranch: true, usernameSecret: secret('user') }, 'two'],
  ] as const;
  for (const [index, [fields, content]] of rows.entries()) {
    const path = join(folder, `out-${index}`);
    const store = await openStore({ kind: 'git', fields: { repo, ...fields } }, PARTS);
    assert.ok(await store.fetch(repo, path, limit()));
    assert.equal(readFileSync(join(path, 'f'), 'utf8'), content);
    assert.ok(!readFileSync(join(path, '.git/config'), 'utf8').includes('Authorization'));
  }
  assert.equal(server.seen.at(-1)?.headers.authorization, `Basic ${btoa('user-k:')}`);
  const store = await openStore({ kind: 'git', fields: { repo: work } }, PARTS);
  await assert.rejects(store.fetch(work, join(folder, 'no'), limit()), /transport 'file' not allowed/);
});

test('git: names that git would take for options are refused', () => {
  assert.deepEqual(cloneSteps({ depth: 1, branch: 'b', fetch: ['refs/x'] }, 'r', '/p'), [
    ['clone', '--quiet', '--depth', '1', '--branch', 'b', '--', 'r', '/p'],
    ['-C', '/p', 'fetch', '--quiet', '--depth', '1', 'origin', 'refs/x'],
  ]);
  assert.throws(() => cloneSteps({ branch: '--upload-pack=x' }, 'r', '/p'), /is no name of git/);
  assert.throws(() => cloneSteps({}, '--x', '/p'), /is no URL/);
});

test('volume: pods that are plain processes have it below their root', async (t) => {
  const root = folderOf(t);
  const file = join(root, 'f');
  writeFileSync(file, 'text');
  const parts = { ...PARTS, places: placesBelow(root) };
  const store = await openStore({ kind: 'volume', fields: { folder: '/var/run/store' } }, parts);
  await store.store(file, 'a/k', limit());
  assert.equal(readFileSync(join(root, 'var/run/store/a/k'), 'utf8'), 'text');
});
