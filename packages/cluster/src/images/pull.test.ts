/** Images pulled from Debian's registry, with TLS, passwords and a token service, and by way of a server that fails as registries do. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Clock } from '@turnsole/kube/base/clock';
import { systemClock } from '@turnsole/kube/base/clock';
import { type SeenRequest, startTestServer, type TestServer } from '@turnsole/kube/testing/http-server';
import { until } from '@turnsole/kube/testing/until';
import { makeAuthority, makeServerCertificate, toPem } from '@turnsole/kube/tls/index';
import { SignJWT } from 'jose';
import { secretCredentials } from './credentials/docker-config.ts';
import { openImageStore, type Surroundings } from './open-image-store.ts';
import {
  digestOf,
  type MadeImage,
  type MadeManifest,
  madeLayer,
  madeManifest,
} from './testing/made-images.ts';
import { noRegistry, push, pushManifest, TestRegistry } from './testing/registry.ts';
import { tempFolder } from './testing/temp-folder.ts';
import type { ImageProgress, ImageStore, ImageStoreOptions } from './types.ts';

const skip = noRegistry;
const temp = tempFolder();
const AMD64 = { os: 'linux', architecture: 'amd64' };
/** No waits: what would be waited is only noted. */
const waits: number[] = [];
const clock: Clock = { ...systemClock, sleep: async (ms) => void waits.push(ms) };
let count = 0;

function freshFolder(): string {
  count += 1;
  const folder = join(temp, String(count));
  mkdirSync(folder);
  return folder;
}

interface Opened extends AsyncDisposable {
  readonly store: ImageStore;
  readonly notes: string[];
}

/** A store of a user with nothing configured but `env`. */
async function open(
  env: NodeJS.ProcessEnv = {},
  options: ImageStoreOptions = {},
  surroundings: Partial<Surroundings> = {},
): Promise<Opened> {
  const home = freshFolder();
  const notes: string[] = [];
  const all = { HOME: home, PATH: process.env['PATH'], ...env };
  const store = await openImageStore(
    {
      directory: join(home, 'store'),
      platform: AMD64,
      env: all,
      onNote: (note) => notes.push(note),
      ...options,
    },
    { clock, random: () => 0.5, ...surroundings },
  );
  return { store, notes, [Symbol.asyncDispose]: () => store.close() };
}

/** Contents of layers that take several pieces to send, also compressed. */
const [ONE, TWO] = [randomBytes(400_000), randomBytes(400_000)];

let shop: MadeManifest;
let registry: TestRegistry;

before(async () => {
  if (skip !== false) return;
  const layers = [
    await madeLayer([{ name: 'a', content: ONE }]),
    await madeLayer([{ name: 'b', content: TWO }]),
  ];
  const image: MadeImage = { layers, config: { Cmd: ['/b'] } };
  shop = madeManifest(image);
  registry = await TestRegistry.start({ folder: freshFolder() });
  await push(registry.url, 'shop/api', '1', shop);
  const others = [madeManifest({ ...image, architecture: 'arm64' }), shop];
  for (const one of others) await push(registry.url, 'shop/many', one.digest, one);
  const manifests = others.map(({ digest, blobs }, index) => ({
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    ...{ digest, size: blobs.get(digest)?.length ?? 0 },
    platform: { os: 'linux', architecture: ['arm64', 'amd64'][index] },
  }));
  const attestation = { ...manifests[0], platform: { os: 'unknown', architecture: 'unknown' } };
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [...manifests, attestation],
  };
  await pushManifest(registry.url, 'shop/many', '1', Buffer.from(JSON.stringify(index)), index.mediaType);
});

after(() => registry?.[Symbol.asyncDispose]());

/** A server in front of the registry that answers some requests itself. */
async function startFront(
  answer: (request: SeenRequest, response: ServerResponse) => boolean,
): Promise<TestServer & { host: string }> {
  const server = await startTestServer((request, response) => {
    if (answer(request, response)) return;
    const url = new URL(request.url, registry.url);
    const { host: _, ...headers } = request.headers;
    const sent = http.request(url, { method: request.method, headers }, (found) => {
      response.writeHead(found.statusCode ?? 500, found.headers);
      found.pipe(response);
    });
    sent.end();
  });
  return { ...server, host: new URL(server.url).host };
}

const isBlob = ({ url }: SeenRequest): boolean => url.includes('/blobs/');
const layerDigests = (): string[] =>
  [...shop.blobs].filter(([, bytes]) => bytes.length > 10_000).map(([digest]) => digest);

test('an image is pulled with its layers, and what has not changed is not fetched again', {
  skip,
}, async () => {
  await using front = await startFront(() => false);
  await using opened = await open();
  const { store } = opened;
  const seen: ImageProgress[] = [];
  const image = await store.pull(`${front.host}/shop/api:1`, { onProgress: (one) => seen.push(one) });
  assert.deepEqual([image.digest, image.config.cmd], [shop.digest, ['/b']]);
  // For an ordinary user, whose pods run no images, layers are unpacked when they are asked for.
  const unpacked = process.geteuid?.() === 0 ? ['unpack'] : [];
  assert.deepEqual(new Set(seen.map(({ step }) => step)), new Set(['resolve', 'download', ...unpacked]));
  const last = seen.findLast(({ step }) => step === 'download');
  assert.deepEqual([last?.doneBytes, last?.doneLayers], [image.size, 2]);
  await using lease = await store.lease(image);
  assert.ok(readFileSync(join(lease.layers[1] ?? '', 'b')).equals(TWO));
  const before = front.seen.length;
  await store.pull(`${front.host}/shop/api:1`);
  assert.deepEqual(
    front.seen.slice(before).map(({ method, url }) => `${method} ${url}`),
    ['HEAD /v2/shop/api/manifests/1'],
  );
  await store.pull(`${front.host}/shop/api@${shop.digest}`);
  assert.equal(front.seen.filter(isBlob).length, 3, 'a configuration and two layers, once');
});

test('of an index the image of this platform is pulled, and others are named', { skip }, async () => {
  await using opened = await open();
  const { store } = opened;
  const name = `${registry.host}/shop/many:1`;
  assert.equal((await store.pull(name)).digest, shop.digest);
  const arm = await store.pull(name, { platform: { os: 'linux', architecture: 'arm64' } });
  assert.notEqual(arm.digest, shop.digest);
  assert.equal((await store.list()).length, 2);
  await assert.rejects(store.pull(name, { platform: { os: 'linux', architecture: 's390x' } }), {
    code: 'no-platform',
    message: `${name} is not there for linux/s390x: there is linux/arm64, linux/amd64`,
  });
  const single = `${registry.host}/shop/api:1`;
  await assert.rejects(store.pull(single, { platform: { os: 'linux', architecture: 'arm64' } }), {
    code: 'no-platform',
    message: `${single} is not there for linux/arm64: there is linux/amd64`,
  });
});

test('a registry with TLS is asked when its authority is known', { skip }, async () => {
  const now = Date.now();
  const authority = makeAuthority({ commonName: 'test', now, lifetimeDays: 1 });
  const server = makeServerCertificate(authority, {
    commonName: 'registry',
    now,
    lifetimeDays: 1,
    names: ['127.0.0.1'],
  });
  const folder = freshFolder();
  const tls = { certificate: join(folder, 'server.crt'), key: join(folder, 'server.key') };
  writeFileSync(tls.certificate, toPem('CERTIFICATE', server.certificate));
  writeFileSync(tls.key, server.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await using secure = await TestRegistry.start({ folder, tls });
  await using opened = await open();
  await assert.rejects(opened.store.pull(`${secure.host}/shop/api:1`), {
    code: 'unavailable',
    message: /the certificate of 127\.0\.0\.1:\d+ is not trusted .*certs\.d\/127\.0\.0\.1:\d+\/ca\.crt$/,
  });
  const config = freshFolder();
  mkdirSync(join(config, 'docker/certs.d', secure.host), { recursive: true });
  writeFileSync(
    join(config, 'docker/certs.d', secure.host, 'ca.crt'),
    toPem('CERTIFICATE', authority.certificate),
  );
  await using trusting = await open({ XDG_CONFIG_HOME: config });
  await assert.rejects(trusting.store.pull(`${secure.host}/shop/api:1`), {
    code: 'not-found',
    message: /has no such image/,
  });
  await using careless = await open({ TURNSOLE_INSECURE_REGISTRIES: secure.host });
  await assert.rejects(careless.store.pull(`${secure.host}/shop/api:1`), { code: 'not-found' });
});

test('a registry with passwords', { skip }, async (t) => {
  const folder = freshFolder();
  await using guarded = await TestRegistry.start({ folder, wantsPassword: true });
  const basic = (pair: string): string => Buffer.from(pair).toString('base64');
  await push(guarded.url, 'shop/api', '1', shop, { authorization: `Basic ${basic('user:password')}` });
  const name = `${guarded.host}/shop/api:1`;
  const config = (auth: object): string => JSON.stringify({ auths: { [guarded.host]: auth } });
  const withConfig = (text: string): NodeJS.ProcessEnv => {
    const home = freshFolder();
    writeFileSync(join(home, 'config.json'), text);
    return { DOCKER_CONFIG: home };
  };

  await t.test('asks who wants it', async () => {
    await using opened = await open();
    await assert.rejects(opened.store.pull(name), {
      code: 'unauthorized',
      message: new RegExp(
        `asks who wants it.*; docker login ${guarded.host}, or an imagePullSecret, says so$`,
      ),
    });
  });
  await t.test('takes what docker login has kept', async () => {
    await using opened = await open(withConfig(config({ auth: basic('user:password') })));
    assert.equal((await opened.store.pull(name)).digest, shop.digest);
  });
  await t.test('refuses wrong ones', async () => {
    await using opened = await open(withConfig(config({ auth: basic('user:wrong') })));
    await assert.rejects(opened.store.pull(name), {
      code: 'unauthorized',
      message: /does not give it to these credentials/,
    });
  });
  await t.test('takes the second secret of a pod when the first is wrong', async () => {
    const secrets = ['wrong', 'password'].map((password) =>
      secretCredentials(config({ username: 'user', password }), 'the secret'),
    );
    await using opened = await open();
    assert.equal((await opened.store.pull(name, { credentials: secrets })).digest, shop.digest);
  });
  await t.test('takes what a program gives, and its failure is told', async () => {
    const programs = freshFolder();
    const program = join(programs, 'docker-credential-safe');
    writeFileSync(
      program,
      `#!/bin/sh\nread registry\nprintf '{"Username":"user","Secret":"password"}'\n[ "$1 $registry" = "get ${guarded.host}" ]\n`,
    );
    chmodSync(program, 0o755);
    const env = {
      ...withConfig(JSON.stringify({ credHelpers: { [guarded.host]: 'safe' } })),
      PATH: `${programs}:${process.env['PATH']}`,
    };
    await using opened = await open(env);
    assert.equal((await opened.store.pull(name)).digest, shop.digest);
    writeFileSync(program, '#!/bin/sh\necho "the safe is locked" >&2\nexit 1\n');
    await using locked = await open(env);
    await assert.rejects(locked.store.pull(name), {
      code: 'unauthorized',
      message: /docker-credential-safe gives no credentials for .*: the safe is locked/,
    });
  });
});

test('a registry with a token service', { skip }, async () => {
  const now = Date.now();
  const authority = makeAuthority({ commonName: 'test', now, lifetimeDays: 1 });
  const folder = freshFolder();
  const certificate = join(folder, 'tokens.crt');
  writeFileSync(certificate, toPem('CERTIFICATE', authority.certificate));
  const given: string[] = [];
  await using service = await startTestServer((request, response) => {
    const { searchParams } = new URL(request.url, 'http://x');
    const form = new URLSearchParams(request.body);
    given.push(
      `${request.method} ${request.headers.authorization ?? ''} ${form.get('refresh_token') ?? ''}`.trim(),
    );
    const [, repository = '', actions = ''] = (searchParams.get('scope') ?? form.get('scope') ?? '').split(
      ':',
    );
    const seconds = Math.floor(now / 1_000);
    const access = [{ type: 'repository', name: repository, actions: actions.split(',') }];
    const x5c = [Buffer.from(authority.certificate).toString('base64')];
    const token = new SignJWT({ access }).setProtectedHeader({ alg: 'ES256', typ: 'JWT', x5c });
    const whole = token
      .setIssuer('test')
      .setAudience('test')
      .setSubject('x')
      .setExpirationTime(seconds + 600)
      .setNotBefore(seconds - 10);
    void whole.sign(authority.privateKey).then((text) => response.end(JSON.stringify({ token: text })));
  });
  await using guarded = await TestRegistry.start({
    folder,
    tokens: { realm: `${service.url}/token`, certificate },
  });
  const name = `${guarded.host}/shop/api:1`;
  await using nobody = await open();
  // It gives a token to nobody in particular, and the registry takes that.
  await assert.rejects(nobody.store.pull(name), { code: 'not-found' });
  await using opened = await open();
  const login = (entry: object) =>
    secretCredentials(JSON.stringify({ auths: { [guarded.host]: entry } }), 'x');
  await assert.rejects(
    opened.store.pull(name, { credentials: [login({ username: 'user', password: 'word' })] }),
    { code: 'not-found' },
  );
  await using other = await open();
  await assert.rejects(other.store.pull(name, { credentials: [login({ identitytoken: 'me' })] }), {
    code: 'not-found',
  });
  assert.deepEqual(given, ['GET', `GET Basic ${Buffer.from('user:word').toString('base64')}`, 'POST  me']);
});

test('a connection that breaks within a layer is gone on with from there', { skip }, async () => {
  let cuts = 0;
  await using front = await startFront((request, response) => {
    const digest = layerDigests().find((one) => request.url.endsWith(one));
    if (digest === undefined || cuts > 2) return false;
    cuts += 1;
    const bytes = shop.blobs.get(digest) ?? Buffer.alloc(0);
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from === 0 ? 200 : 206, { 'content-length': bytes.length - from });
    response.write(bytes.subarray(from, from + 100_000), () => setImmediate(() => response.destroy()));
    return true;
  });
  await using opened = await open();
  assert.equal((await opened.store.pull(`${front.host}/shop/api:1`)).digest, shop.digest);
  const ranges = front.seen.map(({ headers }) => headers.range).filter((range) => range !== undefined);
  assert.ok(ranges.length >= 3 && ranges.every((range) => /^bytes=[1-9]\d*-$/.test(range)), ranges.join());
  assert.match(opened.notes.join('\n'), /cannot be reached .*; it is tried again in/);
});

test('a pull that was broken off is gone on with by the next process', { skip }, async () => {
  let isCut = true;
  await using front = await startFront((request, response) => {
    const digest = layerDigests().find((one) => request.url.endsWith(one));
    if (digest === undefined || !isCut) return false;
    const bytes = shop.blobs.get(digest) ?? Buffer.alloc(0);
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, 150_000));
    return true;
  });
  const name = `${front.host}/shop/api:1`;
  const stop = new AbortController();
  await using first = await open();
  const directory = first.store.directory;
  const pulling = first.store.pull(name, { signal: stop.signal });
  const ingest = join(directory, 'ingest');
  const parts = (): number[] =>
    readdirSync(ingest)
      .filter((file) => file.endsWith('.part'))
      .map((file) => statSync(join(ingest, file)).size);
  await Promise.all([
    assert.rejects(pulling, { code: 'aborted' }),
    until(() => parts().filter((size) => size === 150_000).length === 2, 'both parts are there').then(() =>
      stop.abort(),
    ),
  ]);
  assert.deepEqual(parts(), [150_000, 150_000]);
  isCut = false;
  const before = front.seen.length;
  await using second = await open({}, { directory });
  await second.store.pull(name);
  const blobs = front.seen.slice(before).filter(isBlob);
  assert.deepEqual(
    blobs.map(({ headers }) => headers.range),
    ['bytes=150000-', 'bytes=150000-'],
  );
});

test('a server that does not know ranges sends all, of which the rest is taken', { skip }, async () => {
  let cuts = 0;
  await using front = await startFront((request, response) => {
    const digest = layerDigests().find((one) => request.url.endsWith(one));
    if (digest === undefined) return false;
    const bytes = shop.blobs.get(digest) ?? Buffer.alloc(0);
    response.writeHead(200, { 'content-length': bytes.length });
    cuts += 1;
    if (cuts > 2) response.end(bytes);
    else response.write(bytes.subarray(0, 70_000), () => setImmediate(() => response.destroy()));
    return true;
  });
  await using opened = await open();
  assert.equal((await opened.store.pull(`${front.host}/shop/api:1`)).digest, shop.digest);
});

/** Answers that pass: the status, its header, and how long is waited in all. */
const PASSING: readonly (readonly [status: number, retryAfter: string | undefined, waitMs: number])[] = [
  [500, undefined, 375],
  [503, '2', 2_000],
  [429, '1', 1_000],
];

for (const [status, retryAfter, waitMs] of PASSING) {
  test(`an answer ${status}${retryAfter === undefined ? '' : ` with Retry-After: ${retryAfter}`} is waited for`, {
    skip,
  }, async () => {
    let isFirst = true;
    await using front = await startFront((request, response) => {
      if (!isFirst || !request.url.includes('/manifests/')) return false;
      isFirst = false;
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end();
      return true;
    });
    waits.length = 0;
    await using opened = await open();
    await opened.store.pull(`${front.host}/shop/api:1`);
    assert.deepEqual(waits, [waitMs]);
  });
}

interface Failure {
  readonly name: string;
  readonly answer: (request: SeenRequest, response: ServerResponse) => boolean;
  readonly code: string;
  readonly message: RegExp;
}

const refuse =
  (status: number, body = '', headers: Record<string, string> = {}): Failure['answer'] =>
  (request, response) => {
    if (!request.url.includes('/manifests/')) return false;
    response.writeHead(status, headers).end(body);
    return true;
  };

const FAILURES: readonly Failure[] = [
  {
    name: 'that always fails',
    answer: refuse(502),
    code: 'unavailable',
    message: /127\.0\.0\.1:\d+ answers 502$/,
  },
  {
    name: 'that wants an hour',
    answer: refuse(429, '', { 'retry-after': '3600' }),
    code: 'too-many-requests',
    message: /was asked too often/,
  },
  {
    name: 'without the image',
    answer: refuse(404, '{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest\\u001b[31m unknown"}]}'),
    code: 'not-found',
    message: /has no such image \(manifest \[31m unknown\)$/,
  },
  { name: 'that forbids it', answer: refuse(403), code: 'unauthorized', message: /asks who wants it/ },
  {
    name: 'with a page',
    answer: refuse(200, '<html>'),
    code: 'wrong-content',
    message: /manifest of .* cannot be used: it is no JSON object/,
  },
  {
    name: 'with an old manifest',
    answer: refuse(200, '{"schemaVersion":1}'),
    code: 'unsupported',
    message: /before 2016/,
  },
  {
    name: 'with something else than an image',
    answer: refuse(
      200,
      `{"schemaVersion":2,"config":{"mediaType":"application/vnd.cncf.helm.config.v1+json","digest":"sha256:${'0'.repeat(64)}","size":1},"layers":[]}`,
    ),
    code: 'unsupported',
    message: /is of "application\/vnd\.cncf\.helm\.config\.v1\+json", which is no image/,
  },
  {
    name: 'that sends other content',
    answer: (request, response) => {
      const digest = layerDigests().find((one) => request.url.endsWith(one));
      if (digest === undefined) return false;
      response.end(Buffer.alloc(shop.blobs.get(digest)?.length ?? 0, 'x'));
      return true;
    },
    code: 'wrong-content',
    message:
      /^layer sha256:[\da-f]+ of \S+ \(sha256:[\da-f]+\) is not what its digest says: what came is sha256:/,
  },
  {
    name: 'that sends too much',
    answer: (request, response) => {
      if (!isBlob(request)) return false;
      response.end(Buffer.alloc(1_000_000, 'x'));
      return true;
    },
    code: 'wrong-content',
    message: /longer than the \d+ bytes that it should have/,
  },
  {
    name: 'that sends half a layer, always',
    answer: (request, response) => {
      if (!isBlob(request)) return false;
      response.writeHead(200, { 'content-length': 1_000 });
      response.flushHeaders();
      setImmediate(() => response.destroy());
      return true;
    },
    code: 'unavailable',
    message: /cannot be reached/,
  },
];

for (const { name, answer, code, message } of FAILURES) {
  test(`a registry ${name}`, { skip }, async () => {
    await using front = await startFront(answer);
    await using opened = await open();
    await assert.rejects(opened.store.pull(`${front.host}/shop/api:1`), {
      name: 'ImageError',
      code,
      message,
    });
    assert.deepEqual(await opened.store.list(), []);
  });
}

test('a registry that goes silent', { skip }, async () => {
  for (const isSilent of [({ url }: SeenRequest): boolean => url.includes('/manifests/'), isBlob]) {
    await using front = await startFront((request, response) => {
      if (!isSilent(request)) return false;
      if (isBlob(request)) response.writeHead(200, { 'content-length': 1_000 }).flushHeaders();
      return true;
    });
    await using opened = await open({}, {}, { idleMs: 200 });
    await assert.rejects(opened.store.pull(`${front.host}/shop/api:1`), {
      code: 'unavailable',
      message: /cannot be reached \(nothing came for 0\.2 s\)$/,
    });
    assert.equal(opened.notes.length, 4, 'it was tried again');
  }
});

test('a registry that is away, and one without a name', { skip }, async () => {
  const closed = await startTestServer(() => {});
  await closed[Symbol.asyncDispose]();
  await using opened = await open();
  const { host } = new URL(closed.url);
  await assert.rejects(opened.store.pull(`${host}/a:1`), {
    code: 'unavailable',
    message: `cannot pull ${host}/a:1: nothing listens at ${host}`,
  });
  await assert.rejects(opened.store.pull('registry.invalid/a:1'), {
    code: 'unavailable',
    message: /the name registry\.invalid is not found/,
  });
});

test('what proves who asks goes to no other host', { skip }, async () => {
  await using elsewhere = await startFront(() => false);
  await using front = await startFront((request, response) => {
    if (request.headers.authorization === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      return true;
    }
    if (!isBlob(request)) return false;
    response.writeHead(307, { location: `${elsewhere.url}${request.url}` }).end();
    return true;
  });
  await using opened = await open();
  const credentials = [() => ({ username: 'user', password: 'word' })];
  await opened.store.pull(`${front.host}/shop/api:1`, { credentials });
  assert.equal(elsewhere.seen.length, 3);
  assert.ok(elsewhere.seen.every(({ headers }) => headers.authorization === undefined));
});

test('mirrors are asked first, and the registry itself when they fail', { skip }, async () => {
  await using mirror = await startFront(() => false);
  await using broken = await startFront(refuse(500));
  await using opened = await open({
    TURNSOLE_REGISTRY_MIRRORS: `registry.invalid=${broken.url}, registry.invalid=${mirror.url}`,
  });
  const image = await opened.store.pull('registry.invalid/shop/api:1');
  assert.deepEqual([image.reference, image.digest], ['registry.invalid/shop/api:1', shop.digest]);
  assert.match(opened.notes.join('\n'), /answers 500; the next address of registry\.invalid is asked/);
  await assert.rejects(opened.store.pull('registry.invalid/shop/none:1'), {
    code: 'unavailable',
    message: /the name registry\.invalid is not found/,
  });
  await using wrong = await open({ TURNSOLE_REGISTRY_MIRRORS: 'nonsense' });
  await assert.rejects(wrong.store.pull('a'), {
    message: /TURNSOLE_REGISTRY_MIRRORS has "nonsense"; expected HOST=URL/,
  });
});

test('what is beyond this machine is asked by way of the proxy that the environment names', {
  skip,
}, async () => {
  const asked: string[] = [];
  const proxy = http.createServer((request, response) => {
    asked.push(request.url ?? '');
    const url = new URL(new URL(request.url ?? '').pathname, registry.url);
    const { host: _, ...headers } = request.headers;
    const sent = http.request(url, { method: request.method, headers }, (found) => {
      response.writeHead(found.statusCode ?? 500, found.headers);
      found.pipe(response);
    });
    sent.end();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const HTTP_PROXY = `http://127.0.0.1:${port}`;
  const TURNSOLE_REGISTRY_MIRRORS = 'shop.invalid=http://mirror.invalid';
  await using opened = await open({ HTTP_PROXY, TURNSOLE_REGISTRY_MIRRORS });
  assert.equal((await opened.store.pull('shop.invalid/shop/api:1')).digest, shop.digest);
  assert.ok(
    asked.length > 3 && asked.every((url) => url.startsWith('http://mirror.invalid/v2/')),
    asked.join(),
  );
  await using direct = await open({ HTTP_PROXY, TURNSOLE_REGISTRY_MIRRORS, NO_PROXY: 'mirror.invalid' });
  await assert.rejects(direct.store.pull('shop.invalid/shop/api:1'), {
    message: /the name shop\.invalid is not found/,
  });
  proxy.close();
  proxy.closeAllConnections();
});

test('two that pull the same image at once bring each layer once', { skip }, async () => {
  await using front = await startFront(() => false);
  await using first = await open();
  await using second = await open({}, { directory: first.store.directory });
  const name = `${front.host}/shop/api:1`;
  const images = await Promise.all([
    first.store.pull(name),
    second.store.pull(name),
    second.store.pull(name),
  ]);
  assert.deepEqual(new Set(images.map(({ digest }) => digest)), new Set([shop.digest]));
  assert.equal(front.seen.filter(isBlob).length, 3);
});

test('content that is pulled is what it should be, byte by byte', { skip }, async () => {
  await using opened = await open();
  await opened.store.pull(`${registry.host}/shop/api:1`);
  const blobs = join(opened.store.directory, 'blobs/sha256');
  for (const name of readdirSync(blobs))
    assert.equal(digestOf(readFileSync(join(blobs, name))), `sha256:${name}`);
  assert.equal(readdirSync(blobs).length, shop.blobs.size);
});
