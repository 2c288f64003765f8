/** Layers unpacked into real folders: what they make, what they remove, and what is refused. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findProgram } from '@turnsole/kube/base/machine';
import type { Header } from 'tar-stream';
import { type MadeEntry, madeLayer } from '../testing/made-images.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { UNPACK_LIMITS, type UnpackLimits } from './limits.ts';
import { unpackLayer } from './unpack-layer.ts';

const folder = tempFolder();
const isRoot = process.geteuid?.() === 0;
const asRoot = isRoot ? false : 'only root gives files to others';
let count = 0;

interface Unpacked {
  readonly root: string;
  readonly notes: readonly string[];
  readonly bytes: number;
}

async function unpack(
  entries: readonly MadeEntry[],
  lowers: readonly Unpacked[] = [],
  limits: Partial<UnpackLimits> = {},
): Promise<Unpacked> {
  const { tar, diffId } = await madeLayer(entries);
  return await unpackTar(tar, diffId, lowers, limits);
}

async function unpackTar(
  tar: Buffer,
  diffId: string,
  lowers: readonly Unpacked[] = [],
  limits: Partial<UnpackLimits> = {},
): Promise<Unpacked> {
  count += 1;
  const [blob, root, whiteouts] = [`layer-${count}`, `root-${count}`, 'whiteouts'].map((name) =>
    join(folder, name),
  );
  assert.ok(blob !== undefined && root !== undefined && whiteouts !== undefined);
  mkdirSync(whiteouts, { recursive: true });
  writeFileSync(blob, tar);
  const order = {
    blob,
    diffId,
    root,
    whiteouts,
    lowers: lowers.map((one) => one.root),
    limits: { ...UNPACK_LIMITS, ...limits },
  };
  return { root, ...(await unpackLayer(order)) };
}

/** What is in a layer, a line for each: `path`, and of what kind it is. */
function tree({ root }: Unpacked, at = ''): string[] {
  return readdirSync(join(root, at))
    .toSorted()
    .flatMap((name) => {
      const path = at === '' ? name : `${at}/${name}`;
      const stats = lstatSync(join(root, path));
      if (stats.isDirectory()) return [`${path}/`, ...tree({ root, notes: [], bytes: 0 }, path)];
      if (stats.isCharacterDevice()) return [`${path} removed`];
      return [stats.isSymbolicLink() ? `${path} -> ${readlinkSync(join(root, path))}` : path];
    });
}

const dir = (name: string, more: Partial<Header> = {}): MadeEntry => ({ name, type: 'directory', ...more });
const file = (name: string, content = name, more: Partial<Header> = {}): MadeEntry => ({
  name,
  content,
  ...more,
});
const symlink = (name: string, linkname: string): MadeEntry => ({ name, type: 'symlink', linkname });
const link = (name: string, linkname: string): MadeEntry => ({ name, type: 'link', linkname });

test('files, folders and links, in any order, with rights and times', async () => {
  const mtime = new Date('2020-01-01T00:00:00Z');
  const layer = await unpack([
    file('./usr/bin/tool', 'tool', { mode: 0o4755 }),
    dir('./usr/', { mode: 0o711, mtime }),
    symlink('bin', '/usr/bin'),
    symlink('out', '../../../etc'),
    link('usr/bin/other', './usr/bin/tool'),
    dir('locked', { mode: 0o500 }),
    file('locked/secret', 'x', { mode: 0o400 }),
    { name: 'pipe', type: 'fifo', mode: 0o640 },
  ]);
  assert.deepEqual(tree(layer), [
    ...['bin -> /usr/bin', 'locked/', 'locked/secret', 'out -> ../../../etc', 'pipe'],
    ...['usr/', 'usr/bin/', 'usr/bin/other', 'usr/bin/tool'],
  ]);
  const of = (path: string): ReturnType<typeof lstatSync> => lstatSync(join(layer.root, path));
  const mode = (path: string): number => Number(of(path)?.mode) & 0o7777;
  assert.deepEqual(['usr/bin/tool', 'usr', 'usr/bin', 'locked', 'locked/secret', 'pipe'].map(mode), [
    ...[0o4755, 0o711, 0o755, 0o500, 0o400, 0o640],
  ]);
  assert.equal(of('usr')?.mtimeMs, mtime.getTime());
  assert.equal(of('usr/bin/tool')?.mtime.toISOString(), '2026-01-02T03:04:05.000Z');
  assert.equal(of('usr/bin/tool')?.ino, of('usr/bin/other')?.ino);
  assert.ok(of('pipe')?.isFIFO());
  assert.equal(layer.bytes, 'tool'.length + 1);
  assert.deepEqual(layer.notes, []);
});

test('later entries replace earlier ones', async () => {
  const layer = await unpack([
    ...[
      file('a', 'first'),
      file('a', 'second'),
      dir('b'),
      file('b/c'),
      file('b'),
      symlink('d', 'a'),
      dir('d'),
      file('d/e'),
    ],
  ]);
  assert.deepEqual(tree(layer), ['a', 'b', 'd/', 'd/e']);
  assert.equal(readFileSync(join(layer.root, 'a'), 'utf8'), 'second');
});

test('owners, devices and attributes', { skip: asRoot }, async () => {
  const layer = await unpack([
    file('data', 'x', { uid: 999, gid: 998, mode: 0o2750, pax: { 'SCHILY.xattr.user.note': 'read me' } }),
    dir('home', { uid: 1_000, gid: 1_000 }),
    { ...symlink('home/link', '/data'), uid: 7, gid: 8 },
    { name: 'null', type: 'character-device', devmajor: 1, devminor: 3, mode: 0o666 },
    { ...file('huge', ''), pax: { uid: '3000000000', gid: '5' } },
  ]);
  const owner = (path: string): number[] => {
    const { uid, gid } = lstatSync(join(layer.root, path));
    return [uid, gid];
  };
  assert.deepEqual(['data', 'home', 'home/link', 'null', 'huge'].map(owner), [
    ...[
      [999, 998],
      [1_000, 1_000],
      [7, 8],
      [0, 0],
      [3_000_000_000, 5],
    ],
  ]);
  assert.equal(lstatSync(join(layer.root, 'data')).mode & 0o7777, 0o2750);
  assert.equal(lstatSync(join(layer.root, 'null')).rdev, 0x103);
  const hasAttributes = findProgram('setfattr') !== undefined;
  if (hasAttributes) {
    const dump = execFileSync('getfattr', ['--only-values', '-n', 'user.note', join(layer.root, 'data')]);
    assert.equal(dump.toString(), 'read me');
  }
  assert.deepEqual(
    layer.notes,
    hasAttributes
      ? []
      : ['attributes user.note of 1 files are left out: setfattr is not installed (package attr)'],
  );
});

test('owners that this user cannot give are counted and named', {
  skip: isRoot ? 'root gives all' : false,
}, async () => {
  const layer = await unpack([
    file('a', 'x', { uid: 999, gid: 999 }),
    file('b', 'x', { uid: 999, gid: 999 }),
    file('c', 'x'),
  ]);
  assert.match(layer.notes.join(), /^2 files belong to this user instead of to 999:999: /);
});

test('attributes that an overlay reads, or that are no text, are left out and told', async () => {
  const layer = await unpack([
    file('a', 'x', {
      pax: { 'SCHILY.xattr.trusted.overlay.opaque': 'y', 'SCHILY.xattr.user.bytes': '\ufffd' },
    }),
  ]);
  assert.equal(layer.notes.length, 2);
  assert.match(layer.notes.join(), /trusted\.overlay\.opaque.*user\.bytes/);
});

test('what a layer removes of those below becomes whiteouts, wherever it says so', async () => {
  const base = await unpack([
    ...[
      file('gone'),
      dir('old'),
      file('old/a'),
      dir('old/sub'),
      file('old/sub/b'),
      dir('kept'),
      file('kept/c'),
    ],
    ...[
      dir('again'),
      file('again/d'),
      dir('again/both'),
      file('again/both/e'),
      file('was-file'),
      dir('mixed'),
      file('mixed/f'),
    ],
  ]);
  const middle = await unpack([file('.wh.was-file', ''), file('old/new'), file('mixed/g')], [base]);
  const top = await unpack(
    [
      ...[file('old/mine'), file('.wh.gone', ''), file('old/.wh..wh..opq', ''), file('.wh.never-was', '')],
      // A folder that is removed and made anew must not show what is below.
      ...[
        file('again/.wh..wh.plnk', ''),
        dir('again'),
        dir('again/both'),
        file('again/both/h'),
        file('.wh.again', ''),
      ],
      file('kept/.wh.c', ''),
    ],
    [base, middle],
  );
  assert.deepEqual(tree(middle), ['mixed/', 'mixed/g', 'old/', 'old/new', 'was-file removed']);
  assert.deepEqual(tree(top), [
    ...['again/', 'again/both/', 'again/both/e removed', 'again/both/h', 'again/d removed', 'gone removed'],
    ...['kept/', 'kept/c removed', 'old/', 'old/a removed', 'old/mine', 'old/new removed', 'old/sub removed'],
  ]);
  assert.equal(lstatSync(join(top.root, 'gone')).rdev, 0);
  assert.equal(readFileSync(join(top.root, 'old/mine'), 'utf8'), 'old/mine');
});

test('layers are what an overlay of them shows', { skip: asRoot }, async () => {
  const base = await unpack([dir('a', { mode: 0o700 }), file('a/one'), file('a/two'), symlink('l', 'a')]);
  const top = await unpack(
    [file('a/.wh.one', ''), file('a/three'), file('.wh.l', ''), dir('l'), file('l/x')],
    [base],
  );
  const shown = execFileSync('unshare', [
    ...[
      '-m',
      'sh',
      '-c',
      'mkdir "$0" && mount -t overlay overlay -o "lowerdir=$1:$2" "$0" && cd "$0" && find . | sort && stat -c %a a',
    ],
    ...[join(folder, 'shown'), top.root, base.root],
  ]);
  assert.deepEqual(shown.toString().trim().split('\n'), [
    '.',
    './a',
    './a/three',
    './a/two',
    './l',
    './l/x',
    '700',
  ]);
});

test('folders that a layer does not describe stay as those below have them', async () => {
  const base = await unpack([
    dir('.', { mode: 0o711 }),
    dir('tmp', { mode: 0o1777 }),
    dir('var', { mode: 0o750 }),
    dir('var/run', { mode: 0o770 }),
  ]);
  const top = await unpack([file('tmp/x'), file('var/run/y')], [base]);
  const mode = (path: string): number => lstatSync(join(top.root, path)).mode & 0o7777;
  assert.deepEqual(['', 'tmp', 'var', 'var/run'].map(mode), [0o711, 0o1777, 0o750, 0o770]);
});

test('a hard link to a file of a layer below is a copy, and changes nothing there', async () => {
  const base = await unpack([file('a', 'content', { mode: 0o640 }), symlink('s', 'a')]);
  const top = await unpack([link('b', 'a'), link('t', 's')], [base]);
  assert.deepEqual(tree(top), ['b', 't -> a']);
  assert.equal(readFileSync(join(top.root, 'b'), 'utf8'), 'content');
  assert.equal(lstatSync(join(top.root, 'b')).mode & 0o777, 0o640);
  assert.equal(lstatSync(join(base.root, 'a')).nlink, 1);
});

/** Archives that would do harm, and what is said of them. */
const HOSTILE: readonly (readonly [
  name: string,
  entries: readonly MadeEntry[],
  code: string,
  why: RegExp,
])[] = [
  ['an absolute path', [file('/etc/passwd')], 'refused', /"\/etc\/passwd" is an absolute path/],
  ['a path that leads up', [file('a/../../etc/passwd')], 'refused', /has ".." in it/],
  ['a folder above the root', [dir('..')], 'refused', /has ".." in it/],
  [
    'a file through a link out of the root',
    [symlink('out', '/tmp'), file('out/x')],
    'refused',
    /write through the link "out"/,
  ],
  [
    'a file through a link within a link',
    [dir('a'), symlink('a/b', '../..'), file('a/b/c/d')],
    'refused',
    /through the link "a\/b"/,
  ],
  ['a folder through a link', [symlink('out', '..'), dir('out/x')], 'refused', /through the link "out"/],
  [
    'a removal through a link',
    [symlink('out', '..'), file('out/.wh.x', '')],
    'refused',
    /through the link "out"/,
  ],
  [
    'a hard link out of the root',
    [link('a', '../../etc/passwd')],
    'refused',
    /"..\/..\/etc\/passwd" of "a" has ".." in it/,
  ],
  ['a hard link to an absolute path', [link('a', '/etc/passwd')], 'refused', /absolute path/],
  [
    'a hard link through a link',
    [symlink('out', '/etc'), link('a', 'out/passwd')],
    'wrong-content',
    /which is no file of the image/,
  ],
  ['a hard link to a folder', [dir('d'), link('a', 'd')], 'wrong-content', /which is no file/],
  ['a hard link to nothing', [link('a', 'b')], 'wrong-content', /which is no file/],
  ['a link in place of the root', [symlink('.', '/')], 'refused', /in place of the root/],
  ['a file as a folder', [file('a'), file('a/b')], 'refused', /through the file "a"/],
  ['a removal of what is above', [file('.wh...', '')], 'refused', /removes what has no name/],
  ['a removal without a name', [file('a/.wh.', '')], 'refused', /removes what has no name/],
  ['a name that is too long', [file(`a/${'x'.repeat(256)}`)], 'refused', /longer than paths of Linux/],
];

for (const [name, entries, code, why] of HOSTILE) {
  test(`refused: ${name}`, async () => {
    // Something below that a removal through a link could mean.
    const base = await unpack([dir('out'), file('out/x')]);
    const outside = readdirSync(folder).length;
    await assert.rejects(unpack(entries, [base]), { name: 'LayerProblem', code, message: why });
    assert.equal(readdirSync(folder).length, outside + 2, 'the archive and its root, nothing else');
  });
}

test('bombs are refused before they have expanded', async () => {
  const zeros = { name: 'zeros', content: Buffer.alloc(4_000_000) };
  const { tar, diffId } = await madeLayer([zeros]);
  const { gzipSync } = await import('node:zlib');
  const shrunk = gzipSync(tar);
  const limits = (more: Partial<UnpackLimits>): Promise<unknown> => unpackTar(shrunk, diffId, [], more);
  await assert.rejects(limits({ bytes: 1_000_000 }), {
    code: 'refused',
    message: /expands to more than 1000000 bytes/,
  });
  await assert.rejects(limits({ ratio: 100, freeBytes: 1_000_000 }), {
    code: 'refused',
    message: /more than 100 times its size/,
  });
  await limits({ ratio: 100, freeBytes: 5_000_000 });
  await assert.rejects(unpack([file('a'), file('b'), file('c')], [], { entries: 2 }), {
    code: 'refused',
    message: /more than 2 entries/,
  });
});

test('what is damaged is found out', async () => {
  const { tar, diffId } = await madeLayer([file('a', 'x'.repeat(10_000)), file('b')]);
  const wrong = { name: 'LayerProblem', code: 'wrong-content' };
  await assert.rejects(unpackTar(tar.subarray(0, 5_000), diffId), wrong);
  await assert.rejects(unpackTar(Buffer.from('no tar at all'.repeat(100)), diffId), wrong);
  await assert.rejects(unpackTar(tar, `sha256:${'0'.repeat(64)}`), {
    ...wrong,
    message: /the image's configuration says sha256:0/,
  });
  const changed = Buffer.from(tar);
  changed[600] = 33;
  await assert.rejects(unpackTar(changed, diffId), wrong);
});
