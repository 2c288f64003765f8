import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FolderEntry, hostMounts, lockedOptions, piecesOf } from './host-image.ts';

const line = (point: string, type: string, options = 'rw,relatime'): string =>
  `30 1 0:1 / ${point} ${options} shared:1 - ${type} dev rw`;

test('file systems with data belong to what containers see', () => {
  const text = [
    line('/', 'ext4'),
    line('/proc', 'proc'),
    line('/home', 'xfs'),
    line('/home/a,b', 'xfs'),
    line('/run/user', 'ext4'),
    line('/mnt/data', 'nfs4'),
  ].join('\n');
  assert.deepEqual(hostMounts(text), ['/home', '/mnt/data']);
});

/** A machine with Docker's files over those in /etc, a disk at /home, and a mount deep in /var. */
const MOUNTS = [
  line('/', 'ext4'),
  line('/proc', 'proc'),
  line('/home', 'xfs'),
  line('/etc/hosts', 'ext4'),
  line('/var/lib/secret', 'tmpfs'),
].join('\n');

const FOLDERS: Readonly<Record<string, readonly FolderEntry[]>> = {
  '/': [
    ['bin', { link: 'usr/bin' }],
    ['etc', 'folder'],
    ['home', 'folder'],
    ['proc', 'folder'],
    ['media', 'folder'],
    ['root', 'folder'],
    ['tmp', 'folder'],
    ['usr', 'folder'],
    ['var', 'folder'],
    ['vmlinuz', 'file'],
  ],
  '/etc': [
    ['hosts', 'file'],
    ['ssl', 'folder'],
    ['mtab', { link: '../proc/self/mounts' }],
  ],
  '/etc/ssl': [['certs', 'folder']],
  '/home': [['somebody', 'folder']],
  '/media': [],
  '/tmp': [['other', 'file']],
  '/usr': [['bin', 'folder']],
  '/var': [
    ['lib', 'folder'],
    ['log', 'folder'],
  ],
  '/var/lib': [
    ['dpkg', 'folder'],
    ['secret', 'folder'],
  ],
  '/var/lib/dpkg': [['status', 'file']],
  '/var/lib/secret': [['key', 'file']],
  '/var/log': [['syslog', 'file']],
};

test('the root of a user is put together from folders below which nothing is mounted', () => {
  assert.deepEqual(
    piecesOf(MOUNTS, (folder) => FOLDERS[folder]),
    {
      overlays: ['/etc/ssl', '/home', '/usr', '/var/lib/dpkg', '/var/log'],
      // Empty are folders that are so, that may not be read, and whose content is neither programs nor data.
      folders: ['/etc', '/media', '/root', '/var', '/var/lib', '/var/lib/secret'],
      links: new Map([
        ['/bin', 'usr/bin'],
        ['/etc/mtab', '../proc/self/mounts'],
      ]),
      files: ['/etc/hosts', '/vmlinuz'],
    },
  );
});

test('a machine with more folders than a start can wait for: the rest is empty', () => {
  const many = Array.from({ length: 200 }, (_, index): FolderEntry => [`f${index}`, 'folder']);
  const { overlays, folders } = piecesOf(line('/', 'ext4'), (folder) =>
    folder === '/' ? many : [['file', 'file']],
  );
  assert.deepEqual([overlays.length, folders.length], [128, 72]);
});

test('options of a mount that a user cannot take away are those of the innermost one, and the last at its place', () => {
  const mounts = [
    line('/', 'ext4'),
    line('/tmp', 'ext4'),
    line('/tmp', 'tmpfs', 'rw,nosuid,nodev'),
    line('/tmp/here', 'tmpfs', 'rw,nosuid,nodev,noexec,relatime'),
    line('/tmpother', 'tmpfs', 'rw,nosuid'),
  ].join('\n');
  const cases = [
    ['/usr', []],
    ['/tmp/a', ['nosuid', 'nodev']],
    ['/tmp/here/a', ['nosuid', 'nodev', 'noexec']],
    ['/tmpother', ['nosuid']],
  ] as const;
  for (const [path, options] of cases) assert.deepEqual(lockedOptions(mounts, path), options, path);
});
