import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { LayeredFiles, resolveLinks } from './lower-files.ts';

test('layers are seen as an overlay shows them: the highest file, nothing behind what was removed or replaced', {
  skip: process.getuid?.() === 0 ? false : 'devices are a right of root',
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-lower-'));
  try {
    const [low, high] = ['low', 'high'].map((name) => join(folder, name)) as [string, string];
    for (const path of ['etc', 'gone', 'replaced', 'both']) mkdirSync(join(low, path), { recursive: true });
    for (const path of ['etc/passwd', 'gone/file', 'replaced/file', 'both/low', 'lost'])
      writeFileSync(join(low, path), `low ${path}`);
    for (const path of ['etc', 'both']) mkdirSync(join(high, path), { recursive: true });
    writeFileSync(join(high, 'etc/passwd'), 'high');
    writeFileSync(join(high, 'replaced'), 'a file now');
    writeFileSync(join(high, 'both/high'), '');
    for (const path of ['gone', 'lost']) execFileSync('mknod', [join(high, path), 'c', '0', '0']);
    const files = new LayeredFiles([low, high]);
    const found = (path: string): string | undefined => files.find(path)?.slice(folder.length + 1);
    const paths = [
      '/',
      '/etc/passwd',
      '/both/low',
      '/both/high',
      '/gone',
      '/gone/file',
      '/replaced/file',
      '/lost',
      '/no',
    ];
    assert.deepEqual(paths.map(found), [
      'high',
      'high/etc/passwd',
      'low/both/low',
      'high/both/high',
      ...Array<undefined>(5).fill(undefined),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('texts are read by way of links, which stay in the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-lower-'));
  try {
    mkdirSync(join(folder, 'usr/share'), { recursive: true });
    writeFileSync(join(folder, 'usr/share/passwd'), 'of the image');
    symlinkSync('/usr/share', join(folder, 'etc'));
    symlinkSync('../../../../../../etc/shadow', join(folder, 'out'));
    symlinkSync('loop', join(folder, 'loop'));
    const files = new LayeredFiles([folder]);
    assert.equal(files.read('/etc/passwd'), 'of the image');
    assert.deepEqual(
      ['/out', '/loop', '/usr', '/none'].map((path) => files.read(path)),
      ['', '', '', ''],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const links: Readonly<Record<string, string>> = {
  '/a': 'b',
  '/b': '/c/d',
  '/c/up': '../..',
  '/self': 'self',
};
const rows: [path: string, resolved: string][] = [
  ['/', '/'],
  ['/x/../y', '/y'],
  ['/a/file', '/c/d/file'],
  ['/c/up/up/x', '/up/x'],
  ['/../../a', '/c/d'],
];
for (const [path, resolved] of rows) {
  test(`${path} is ${resolved}`, () =>
    assert.equal(
      resolveLinks(path, (at) => links[at]),
      resolved,
    ));
}
