/** The store as its users see it: archives are loaded, images leased, removed and pruned, by several at once. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { openImageStore } from './open-image-store.ts';
import { type MadeImage, madeLayer, madeManifest, writeLayout } from './testing/made-images.ts';
import { tempFolder } from './testing/temp-folder.ts';
import type { ImageProgress, ImageStore, ImageStoreOptions, LoadOptions, StoredImage } from './types.ts';

const temp = tempFolder();
const AMD64 = { os: 'linux', architecture: 'amd64' };
let count = 0;

function freshFolder(): string {
  count += 1;
  const folder = join(temp, String(count));
  mkdirSync(folder);
  return folder;
}

const open = (options: ImageStoreOptions = {}): Promise<ImageStore> =>
  openImageStore({ directory: join(freshFolder(), 'store'), platform: AMD64, ...options });

/** Also for a user who is not root, whose images are unpacked by who runs them, unless he asks for it. */
const load = (store: ImageStore, path: string, options: LoadOptions = {}): Promise<readonly StoredImage[]> =>
  store.load(path, { unpack: true, ...options });

const base = await madeLayer([
  { name: 'etc', type: 'directory' },
  { name: 'etc/passwd', content: 'root:x:0:0::/:/bin/sh\n' },
]);
const app = await madeLayer([{ name: 'app', content: 'app' }, { name: 'etc/.wh.passwd' }]);
const other = await madeLayer([{ name: 'other', content: 'x'.repeat(10_000) }]);

const SHOP: MadeImage = {
  name: 'shop/api:dev',
  layers: [base, app],
  config: {
    ...{
      User: '1000',
      Entrypoint: ['/app'],
      Cmd: ['--fast'],
      Env: ['A=b=c'],
      WorkingDir: '/srv',
      StopSignal: 'SIGQUIT',
    },
    ...{ Volumes: { '/data': {} }, ExposedPorts: { '80/tcp': {} }, Labels: { a: 'b' } },
  },
};

/** Files that stay in a store that is at rest. */
function restOf(directory: string): string[] {
  return ['ingest', 'trash', 'owners'].flatMap((name) =>
    readdirSync(join(directory, name)).map((file) => `${name}/${file}`),
  );
}

/** Digests and chains that are there. */
const contentOf = (directory: string): number =>
  readdirSync(join(directory, 'blobs/sha256')).length + layersOf(directory).length;
const layersOf = (directory: string): string[] =>
  readdirSync(join(directory, 'layers')).flatMap((ids) =>
    readdirSync(join(directory, 'layers', ids)).filter((name) => name.length === 64),
  );

test('an image of a layout is loaded, found under every form of its name, and leased', async () => {
  await using closing = new AsyncDisposableStack();
  const store = await open();
  closing.defer(() => store.close());
  const seen: ImageProgress[] = [];
  const [image, ...more] = await load(store, writeLayout(freshFolder(), [SHOP]), {
    onProgress: (one) => seen.push(one),
  });
  assert.ok(image !== undefined && more.length === 0);
  assert.deepEqual(image.config, {
    ...{
      user: '1000',
      entrypoint: ['/app'],
      cmd: ['--fast'],
      env: ['A=b=c'],
      workingDir: '/srv',
      stopSignal: 'SIGQUIT',
    },
    ...{ volumes: ['/data'], exposedPorts: ['80/tcp'], labels: { a: 'b' } },
  });
  assert.equal(image.reference, 'docker.io/shop/api:dev');
  assert.equal(image.digest, madeManifest(SHOP).digest);
  for (const name of ['shop/api:dev', 'docker.io/shop/api:dev', `shop/api@${image.digest}`]) {
    assert.equal((await store.find(name))?.digest, image.digest, name);
  }
  for (const name of ['shop/api', 'api:dev', `other/api@${image.digest}`])
    assert.equal(await store.find(name), undefined);
  assert.equal(await store.find('shop/api:dev', { os: 'linux', architecture: 'arm64' }), undefined);
  const lease = await store.lease(image, { onProgress: (one) => seen.push(one) });
  const [first, second] = lease.layers;
  assert.ok(first !== undefined && second !== undefined && lease.layers.length === 2);
  assert.equal(readFileSync(join(first, 'etc/passwd'), 'utf8'), 'root:x:0:0::/:/bin/sh\n');
  assert.equal(readFileSync(join(second, 'app'), 'utf8'), 'app');
  const last = seen.at(-1);
  assert.deepEqual([last?.step, last?.doneLayers, last?.doneBytes], ['unpack', 2, image.size]);
});

test('what is the same is there once', async () => {
  const store = await open();
  await load(store, writeLayout(freshFolder(), [SHOP]));
  const before = contentOf(store.directory);
  await load(store, writeLayout(freshFolder(), [{ ...SHOP, name: 'shop/copy:1' }]));
  assert.equal(contentOf(store.directory), before);
  assert.deepEqual(
    (await store.list()).map(({ reference }) => reference),
    ['docker.io/shop/api:dev', 'docker.io/shop/copy:1'],
  );
  await store.close();
  assert.deepEqual(restOf(store.directory), []);
});

for (const [name, compress] of [
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
  ['none', (tar: Buffer) => tar],
] as const) {
  test(`layers by ${name}`, async () => {
    const store = await open();
    const [image] = await load(store, writeLayout(freshFolder(), [{ ...SHOP, compress }]), { unpack: false });
    assert.ok(image !== undefined);
    assert.deepEqual(layersOf(store.directory), []);
    const lease = await store.lease(image);
    assert.equal(readFileSync(join(lease.layers[1] ?? '', 'app'), 'utf8'), 'app');
    await store.close();
  });
}

test('of several platforms the right one is taken, and those that are there are named', async () => {
  const store = await open();
  const images = ['arm64', 'amd64'].map((architecture) => ({ ...SHOP, architecture }));
  const [image] = await load(store, writeLayout(freshFolder(), images));
  assert.equal(image?.platform.architecture, 'amd64');
  const foreign = writeLayout(freshFolder(), [{ ...SHOP, architecture: 's390x' }]);
  await assert.rejects(load(store, foreign), {
    code: 'no-platform',
    message: /not there for linux\/amd64: there is linux\/s390x/,
  });
  await store.close();
});

test('an image in use is neither removed nor pruned; when it is released, it is', async () => {
  const store = await open();
  const beside = await openImageStore({ directory: store.directory, platform: AMD64 });
  await load(store, writeLayout(freshFolder(), [SHOP, { name: 'shop/other:1', layers: [base, other] }]));
  const image = await store.find('shop/api:dev');
  assert.ok(image !== undefined);
  const lease = await store.lease(image);
  // Another process sees it as well: the second store stands for one.
  assert.deepEqual(await beside.remove(['shop/api:dev']), {
    references: [],
    inUse: ['docker.io/shop/api:dev'],
    freedBytes: 0,
  });
  const pruned = await beside.prune({ maxBytes: 0 });
  assert.deepEqual(
    [pruned.references, pruned.inUse],
    [['docker.io/shop/other:1'], ['docker.io/shop/api:dev']],
  );
  assert.ok(pruned.freedBytes > 10_000);
  assert.ok(lease.layers.every((layer) => existsSync(layer)));
  assert.equal(layersOf(store.directory).length, 2);
  await lease.release();
  await lease.release();
  assert.deepEqual((await beside.remove(['shop/api:dev'])).references, ['docker.io/shop/api:dev']);
  assert.equal(contentOf(store.directory), 0);
  await Promise.all([store.close(), beside.close()]);
  assert.deepEqual(restOf(store.directory), []);
});

test('with a second name an image in use loses the first', async () => {
  const store = await open();
  const [image] = await load(store, writeLayout(freshFolder(), [SHOP]));
  await load(store, writeLayout(freshFolder(), [{ ...SHOP, name: 'shop/copy:1' }]));
  assert.ok(image !== undefined);
  const lease = await store.lease(image);
  assert.deepEqual((await store.remove(['shop/api:dev'])).references, ['docker.io/shop/api:dev']);
  assert.ok(lease.layers.every((layer) => existsSync(layer)));
  await assert.rejects(store.remove(['shop/api:dev']), {
    code: 'not-found',
    message: /no image docker.io\/shop\/api:dev/,
  });
  await store.close();
});

test('beyond its size the store gives up what was used longest ago, and never what has just come', async () => {
  const store = await open({ maxBytes: 15_000 });
  await load(store, writeLayout(freshFolder(), [SHOP]));
  await load(store, writeLayout(freshFolder(), [{ name: 'big:1', layers: [other] }]));
  assert.deepEqual(
    (await store.list()).map(({ reference }) => reference),
    ['docker.io/library/big:1', 'docker.io/shop/api:dev'],
  );
  const more = await madeLayer([{ name: 'more', content: 'y'.repeat(20_000) }]);
  await load(store, writeLayout(freshFolder(), [{ name: 'more:1', layers: [more] }]));
  assert.deepEqual(
    (await store.list()).map(({ reference }) => reference),
    ['docker.io/library/more:1'],
  );
  await store.close();
});

test('a layer that is refused is named, and nothing of the image stays', async () => {
  const store = await open();
  const hostile = await madeLayer([{ name: '../../etc/cron.d/x', content: 'x' }]);
  const image = { ...SHOP, layers: [base, hostile] };
  const blob = [...madeManifest(image).blobs.keys()];
  await assert.rejects(
    load(store, writeLayout(freshFolder(), [image])),
    (error: Error & { code?: string }) => {
      assert.equal(error.code, 'refused');
      const [, digest = '', name] =
        /^layer (\S+) of (\S+) is refused: .*has ".." in it/.exec(error.message) ?? [];
      assert.ok(blob.includes(digest), error.message);
      assert.equal(name, 'docker.io/shop/api:dev');
      return true;
    },
  );
  assert.equal(await store.find('shop/api:dev'), undefined);
  await store.prune();
  assert.equal(contentOf(store.directory), 0);
  await store.close();
  assert.deepEqual(restOf(store.directory), []);
});

/** Why no small disk can be made here; false when one can. */
const noSmallDisk =
  process.platform === 'linux' && process.getuid?.() === 0 ? false : 'a disk is mounted as root';

/** A store in a folder that is a disk of 8 MiB; closed and removed after the test. */
async function storeOnSmallDisk(t: TestContext) {
  const directory = freshFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=0700', 'tmpfs', directory]);
  const closing = new AsyncDisposableStack();
  t.after(() => closing.disposeAsync());
  closing.defer(() => void execFileSync('umount', ['--lazy', directory]));
  const store = await open({ directory });
  closing.defer(() => store.close());
  return { directory, store };
}

test('a disk that fills while a layer is unpacked is named with the layer; with room again the image is taken', {
  skip: noSmallDisk,
}, async (t) => {
  const { directory, store } = await storeOnSmallDisk(t);
  // It shrinks to nearly nothing, so that it is its files that do not fit.
  const large = await madeLayer([{ name: 'large', content: Buffer.alloc(12_000_000, 'x') }]);
  const path = writeLayout(freshFolder(), [{ name: 'shop/large:1', layers: [base, large] }]);
  await assert.rejects(load(store, path), {
    code: 'no-space',
    message: /layer sha256:[0-9a-f]{64} of .*large.* could not be unpacked: the disk is full \(ENOSPC/,
  });
  assert.deepEqual(
    restOf(directory).filter((name) => !name.startsWith('owners/')),
    [],
  );
  assert.deepEqual(await store.list(), []);
  execFileSync('mount', ['-o', 'remount,size=32m', directory]);
  const [image] = await load(store, path);
  const lease = await store.lease(image ?? assert.fail('nothing was loaded'));
  assert.equal(lease.layers.length, 2);
});

test('a layer that a full disk broke off is fetched again, twice in one process, and whole when there is room', {
  skip: noSmallDisk,
}, async (t) => {
  const { directory, store } = await storeOnSmallDisk(t);
  // It does not shrink.
  const large = await madeLayer([{ name: 'large', content: randomBytes(12_000_000) }]);
  const path = writeLayout(freshFolder(), [{ name: 'shop/large:1', layers: [large] }]);
  const message = /^the disk of the image store is full/;
  // The second try goes on where the first ended: the first no longer holds the layer.
  for (let times = 0; times < 2; times += 1)
    await assert.rejects(load(store, path), { code: 'no-space', message });
  execFileSync('mount', ['-o', 'remount,size=64m', directory]);
  const [image] = await load(store, path);
  assert.equal(image?.reference, 'docker.io/shop/large:1');
});

test('content that is not what its digest says is not taken', async () => {
  const store = await open();
  const folder = writeLayout(freshFolder(), [SHOP]);
  const blobs = join(folder, 'blobs/sha256');
  const layer = readdirSync(blobs).find((name) => readFileSync(join(blobs, name))[0] === 0x1f);
  const path = join(blobs, layer ?? '');
  const content = readFileSync(path);
  content.writeUInt8((content[20] ?? 0) ^ 1, 20);
  writeFileSync(path, content);
  await assert.rejects(load(store, folder), {
    code: 'wrong-content',
    message: /is not what its digest says/,
  });
  writeFileSync(path, content.subarray(0, 30));
  await assert.rejects(load(store, folder), { code: 'unavailable', message: /ended after 30 of/ });
  rmSync(path);
  await assert.rejects(load(store, folder), { code: 'wrong-content', message: /has no blobs\/sha256\// });
  await store.close();
});

/** Broken archives, as files of a folder that is loaded. */
const BROKEN: readonly (readonly [name: string, files: Readonly<Record<string, string>>, why: RegExp])[] = [
  ['nothing', {}, /has no images: expected an OCI layout/],
  ['an empty index', { 'index.json': '{"schemaVersion":2,"manifests":[]}' }, /its index is empty/],
  ['no JSON', { 'index.json': '{' }, /index.json of .* cannot be used: it is no JSON object/],
  ['no list', { 'index.json': '{"manifests":{}}' }, /manifests is no list/],
  [
    'no digest',
    { 'index.json': '{"manifests":[{"digest":"../../x","size":1}]}' },
    /manifests\[0\].digest is "..\/..\/x"/,
  ],
  [
    'no size',
    { 'index.json': `{"manifests":[{"digest":"sha256:${'0'.repeat(64)}","size":-1}]}` },
    /manifests\[0\].size is -1/,
  ],
  [
    'what Docker calls an index',
    { 'manifest.json': '[{"Config":1}]' },
    /\[0\] needs Config, RepoTags and Layers/,
  ],
];

for (const [name, files, why] of BROKEN) {
  test(`an archive with ${name} is refused`, async () => {
    const folder = freshFolder();
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    const store = await open();
    await assert.rejects(load(store, folder), { name: 'ImageError', message: why });
    await store.close();
  });
}

test('an image without a name needs one', async () => {
  const store = await open();
  const { name: _, ...unnamed } = SHOP;
  const folder = writeLayout(freshFolder(), [unnamed]);
  await assert.rejects(load(store, folder), {
    code: 'invalid-reference',
    message: /give it one with --name/,
  });
  const [image] = await load(store, folder, { name: 'shop' });
  assert.equal(image?.reference, 'docker.io/library/shop:latest');
  const two = writeLayout(freshFolder(), [unnamed, { layers: [other] }]);
  await assert.rejects(load(store, two, { name: 'shop' }), {
    code: 'invalid-reference',
    message: /has 2 images, and one name is for one of them/,
  });
  await store.close();
});

test('an archive as tar, also by gzip, is read where it lies', async () => {
  const folder = writeLayout(freshFolder(), [SHOP]);
  const tar = join(freshFolder(), 'shop.tar');
  execFileSync('tar', ['-C', folder, '-cf', tar, '.']);
  execFileSync('gzip', ['-k', tar]);
  for (const path of [tar, `${tar}.gz`]) {
    const store = await open();
    const [image] = await load(store, path);
    assert.equal(image?.digest, madeManifest(SHOP).digest);
    await store.close();
    assert.deepEqual(restOf(store.directory), []);
  }
});

test('a folder of somebody else, or one that others may write to, is no store', async () => {
  const directory = freshFolder();
  chmodSync(directory, 0o777);
  await assert.rejects(openImageStore({ directory }), {
    code: 'store',
    message: /others may write to it; XDG_CACHE_HOME/,
  });
});

test('the caller and the end of the store break off what is being done', async () => {
  const store = await open();
  const folder = writeLayout(freshFolder(), [SHOP]);
  await assert.rejects(load(store, folder, { signal: AbortSignal.abort() }), { code: 'aborted' });
  const loading = load(store, folder);
  await Promise.all([assert.rejects(loading, { code: 'aborted' }), store.close()]);
  await assert.rejects(store.list(), { code: 'aborted' });
  assert.deepEqual(
    restOf(store.directory).filter((name) => !name.endsWith('.part')),
    [],
  );
});
