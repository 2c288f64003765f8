import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { unpack } from '../../src/components/workflow-helper/artifacts/archive/unpack.ts';
import { fetchArtifact } from '../../src/components/workflow-helper/init/fetch-inputs.ts';
import { NodeFixture } from '../../src/components/workflow-helper/testing/node-fixture.ts';
import { unpackHub } from '../../src/controlplane/hub/content/unpack.ts';
import { type ZipEntry, zipOf } from '../../src/controlplane/hub/testing/zip.ts';

/** An entry of a tarball: a file unless it says otherwise. */
interface TarEntry {
  readonly name: string;
  /** As tar has it: 1 a hard link, 2 a symbolic one, 3 a device, 5 a folder, 6 a pipe. @default 0 */
  readonly type?: string;
  readonly link?: string;
  readonly mode?: number;
  readonly content?: string;
  /** The size that it says. @default that of its content */
  readonly size?: number;
}

function tarOf(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, type = '0', link = '', mode = 0o644, content = '', size }) => {
    const head = Buffer.alloc(512);
    head.write(name, 0, 100, 'latin1');
    head.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
    head.write('0000000\0'.repeat(2), 108);
    head.write(`${(size ?? content.length).toString(8).padStart(11, '0')}\0`, 124);
    head.write('00000000000\0', 136);
    head.write('        ', 148);
    head.write(type, 156);
    head.write(link, 157, 100, 'latin1');
    head.write('ustar\x0000', 257, 'latin1');
    const sum = head.reduce((all, byte) => all + byte, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
    body.write(content, 'latin1');
    return [head, body];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** A folder with an archive and a place to unpack it to, and another one that none of it may touch. */
interface Place {
  readonly root: string;
  readonly outside: string;
  readonly target: string;
}

function placeFor(t: TestContext): Place {
  const root = mkdtempSync(join(tmpdir(), 'turnsole-archives-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const place = { root, outside: join(root, 'outside'), target: join(root, 'inside', 'target') };
  mkdirSync(join(place.outside, 'folder'), { recursive: true });
  writeFileSync(join(place.outside, 'folder', 'own'), 'own', { mode: 0o600 });
  mkdirSync(join(root, 'inside', 'scratch'), { recursive: true });
  return place;
}

/** Everything below a folder: names, types, modes, contents. */
function stateOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const found = statSync(join(folder, name));
      return `${name} ${found.mode} ${found.nlink} ${found.isFile() ? readFileSync(join(folder, name), 'utf8') : ''}`;
    });
}

/** What the artifact is: a file, or all in its folder. The folder for unpacking is removed with whatever is in it. */
async function entriesOf(target: string) {
  const parent = join(target, '..');
  const all = await readdir(parent, { recursive: true, withFileTypes: true });
  return all.filter((entry) => `${join(entry.parentPath, entry.name)}/`.startsWith(`${target}/`));
}

/** Unpacks an archive, which may be refused, and looks at what is there then. */
async function unpacked(
  t: TestContext,
  { root, outside, target }: Place,
  kind: 'tar' | 'zip',
  bytes: Buffer,
): Promise<void> {
  const before = stateOf(outside);
  const file = join(root, 'inside', 'archive');
  writeFileSync(file, bytes);
  const outcome = await unpack(file, target, kind, join(root, 'inside', 'scratch'), t.signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome !== undefined) {
    assert.ok(outcome instanceof Error);
    assert.doesNotMatch(`${outcome.name} ${outcome.message}`, /RangeError|TypeError|ERR_|allocation/);
  }
  assert.deepEqual(stateOf(outside), before, 'something happened outside');
  for (const entry of await entriesOf(target)) {
    const found = await lstat(join(entry.parentPath, entry.name));
    assert.ok(!found.isCharacterDevice() && !found.isBlockDevice(), `${entry.name} is a device`);
    if (found.isFile()) {
      assert.equal(found.mode & 0o6000, 0, `${entry.name} runs as its owner`);
      assert.equal(found.nlink, 1, `${entry.name} is a link`);
    }
  }
}

/** Rows get the folder that they must not touch. */
const TARBALLS: Readonly<Record<string, (outside: string) => readonly TarEntry[]>> = {
  'a name that leads up': () => [{ name: '../../outside/new', content: 'x' }],
  'a name that leads up in its middle': () => [{ name: 'a/../../../outside/new', content: 'x' }],
  'a name from the root': (outside) => [{ name: `${outside}/new`, content: 'x' }],
  'a link, and a file behind it': (outside) => [
    { name: 'l', type: '2', link: outside },
    { name: 'l/new', content: 'x' },
  ],
  'a link up, and a file behind it': () => [
    { name: 'l', type: '2', link: '../../../outside' },
    { name: 'l/new', content: 'x' },
  ],
  'a link, and a folder of its name': (outside) => [
    { name: 'l', type: '2', link: outside },
    { name: 'l', type: '5' },
    { name: 'l/new', content: 'x' },
  ],
  'a link, and a file of its name': (outside) => [
    { name: 'l', type: '2', link: `${outside}/folder/own` },
    { name: 'l', content: 'x' },
  ],
  'only a link to a folder': (outside) => [{ name: 'l', type: '2', link: outside }],
  'a hard link to a file outside': (outside) => [{ name: 'l', type: '1', link: `${outside}/folder/own` }],
  'a hard link up': () => [{ name: 'l', type: '1', link: '../../../outside/folder/own' }],
  'a hard link, and a file of its name': (outside) => [
    { name: 'l', type: '1', link: `${outside}/folder/own` },
    { name: 'l', content: 'x' },
  ],
  'a program that runs as its owner': () => [{ name: 'su', mode: 0o6755, content: 'x' }, { name: 'b' }],
  'a device': () => [{ name: 'disk', type: '3' }, { name: 'b' }],
  'a pipe': () => [{ name: 'pipe', type: '6' }, { name: 'b' }],
  'a file of a terabyte that ends at once': () => [{ name: 'a', size: 2 ** 32 }],
  'a name with a line and a control': () => [{ name: 'a\n\u001b[2J', content: 'x' }, { name: 'b' }],
  'a file, and a file in it': () => [
    { name: 'a', content: 'x' },
    { name: 'a/b', content: 'x' },
  ],
  'no entry': () => [],
};

/** Bytes of a good zip, changed at a place. */
function changed(zip: Buffer, at: (zip: Buffer) => number, write: (zip: Buffer, at: number) => void): Buffer {
  write(zip, at(zip));
  return zip;
}
const centralOf = (zip: Buffer): number => zip.indexOf(Buffer.from('504b0102', 'hex'));
const endOf = (zip: Buffer): number => zip.lastIndexOf(Buffer.from('504b0506', 'hex'));
const GOOD: readonly ZipEntry[] = [
  { name: 'a', content: 'x'.repeat(1000) },
  { name: 'b', content: 'y' },
];

const ZIPS: Readonly<Record<string, (outside: string) => Buffer>> = {
  'a name that leads up': () => zipOf([{ name: '../../outside/new', content: 'x' }]),
  'a name that leads up in its middle': () => zipOf([{ name: 'a/../../../outside/new', content: 'x' }]),
  'a name from the root': (outside) => zipOf([{ name: `${outside}/new`, content: 'x' }]),
  'a name with backslashes': () => zipOf([{ name: '..\\..\\outside\\new', content: 'x' }]),
  'a name with NUL': () => zipOf([{ name: 'a\0b', content: 'x' }]),
  'an empty name': () => zipOf([{ name: '', content: 'x' }]),
  'a link, and a file behind it': (outside) =>
    zipOf([
      { name: 'l', content: outside, mode: 0o120777 },
      { name: 'l/new', content: 'x' },
    ]),
  'a program that runs as its owner': () => zipOf([{ name: 'su', content: 'x', mode: 0o106755 }, ...GOOD]),
  'one name twice': () => zipOf([...GOOD, { name: 'a', content: 'z' }]),
  'a file, and a file in it': () =>
    zipOf([
      { name: 'a', content: 'x' },
      { name: 'a/b', content: 'x' },
    ]),
  'an entry that is larger than it says': () =>
    zipOf([{ name: 'a', content: 'x'.repeat(5_000_000), declared: 10 }]),
  'an entry that says it has four gigabytes': () =>
    zipOf([{ name: 'a', content: 'x', declared: 0xffffffff }]),
  'a directory of four gigabytes': () =>
    changed(zipOf(GOOD), endOf, (zip, at) => zip.writeUInt32LE(0xffffff00, at + 12)),
  'a directory at the end of four gigabytes': () =>
    changed(zipOf(GOOD), endOf, (zip, at) => zip.writeUInt32LE(0xffffff00, at + 16)),
  'an entry packed into four gigabytes': () =>
    changed(zipOf(GOOD), centralOf, (zip, at) => zip.writeUInt32LE(0xffffff00, at + 20)),
  'an entry that begins beyond the file': () =>
    changed(zipOf(GOOD), centralOf, (zip, at) => zip.writeUInt32LE(0xffffff00, at + 42)),
  'entries that are all the same bytes': () => {
    const zip = zipOf([...GOOD, ...GOOD.map((entry) => ({ ...entry, name: `${entry.name}2` }))]);
    for (
      let at = zip.indexOf(Buffer.from('504b0102', 'hex'));
      at >= 0;
      at = zip.indexOf(Buffer.from('504b0102', 'hex'), at + 4)
    )
      zip.writeUInt32LE(0, at + 42);
    return zip;
  },
  'an encrypted entry': () => changed(zipOf(GOOD), centralOf, (zip, at) => zip.writeUInt16LE(1, at + 8)),
  'a method that is none': () => changed(zipOf(GOOD), centralOf, (zip, at) => zip.writeUInt16LE(99, at + 10)),
  'another checksum': () => changed(zipOf(GOOD), centralOf, (zip, at) => zip.writeUInt32LE(1, at + 16)),
  'a name that is longer than the directory': () =>
    changed(zipOf(GOOD), centralOf, (zip, at) => zip.writeUInt16LE(0xffff, at + 28)),
  'a comment that holds another end': () =>
    Buffer.concat([zipOf(GOOD), zipOf([{ name: '../../outside/new', content: 'x' }])]),
  'half of it': () => zipOf(GOOD).subarray(0, 60),
};

describe('archives as artifacts of workflows', () => {
  for (const [what, entries] of Object.entries(TARBALLS)) {
    for (const isThere of [false, true]) {
      test(`a tarball with ${what}${isThere ? ', onto a folder that is there' : ''}`, async (t) => {
        const place = placeFor(t);
        if (isThere) mkdirSync(place.target);
        await unpacked(t, place, 'tar', tarOf(entries(place.outside)));
      });
    }
  }
  for (const [what, bytes] of Object.entries(ZIPS)) {
    test(`a zip with ${what}`, async (t) => {
      const place = placeFor(t);
      await unpacked(t, place, 'zip', bytes(place.outside));
    });
  }

  test('a folder onto one of its name that is a link on the volume', async (t) => {
    const place = placeFor(t);
    mkdirSync(place.target);
    symlinkSync(place.outside, join(place.target, 'sub'));
    await unpacked(t, place, 'tar', tarOf([{ name: 'sub/new', content: 'x' }, { name: 'b' }]));
    assert.deepEqual(readdirSync(join(place.target, 'sub')), ['new']);
  });

  test('a mode for an artifact that is a link', async (t) => {
    const { outside } = placeFor(t);
    const node = new NodeFixture(t, {});
    const store = join(node.root, 'store');
    mkdirSync(store);
    writeFileSync(join(store, 'l.tgz'), tarOf([{ name: 'l', type: '2', link: `${outside}/folder/own` }]));
    const before = stateOf(outside);
    const artifact = { name: 'l', path: '/in/l', mode: 0o777, volume: { key: 'l.tgz', folder: '/store' } };
    const context = { places: node.places, say: () => {}, signal: t.signal, env: {} };
    await fetchArtifact(artifact, join(node.root, 'l'), context as never).catch(() => {});
    assert.deepEqual(stateOf(outside), before);
  });
});

describe('archives as hubs', () => {
  const FAULT = { name: 'faults/k/f/fault.yaml', content: 'kind: ChaosEngine' };
  const HUBS: Readonly<Record<string, readonly ZipEntry[]>> = {
    'a file twice': [FAULT, { ...FAULT, content: 'other' }],
    'a file, and a file in it': [FAULT, { name: 'faults/k/f/fault.yaml/x.yaml', content: 'x' }],
    'a file that is larger than it says': [
      FAULT,
      { name: 'faults/k/g/f.yaml', content: 'x'.repeat(3_000_000), declared: 5 },
    ],
    'a file that is smaller than it says': [{ ...FAULT, declared: 5_000 }],
    'a file of many megabytes': [FAULT, { name: 'faults/k/g/f.yaml', content: 'x'.repeat(20_000_000) }],
    'ten thousand and one files': Array.from({ length: 10_001 }, (_, index) => ({
      name: `faults/k/f${index}/f.yaml`,
      content: '',
    })),
    'a name from the root beside good ones': [FAULT, { name: '/etc/x.yaml', content: 'x' }],
    'neither faults nor experiments': [{ name: 'a/b/c.yaml', content: 'x' }],
  };
  for (const [what, entries] of Object.entries(HUBS)) {
    test(`a hub with ${what} is refused with a sentence`, async (t) => {
      const { root, outside } = placeFor(t);
      const before = stateOf(outside);
      writeFileSync(join(root, 'hub.zip'), zipOf(entries));
      await assert.rejects(unpackHub(join(root, 'hub.zip'), join(root, 'hub'), t.signal), {
        name: 'RemoteError',
      });
      assert.deepEqual(stateOf(outside), before);
    });
  }
});
