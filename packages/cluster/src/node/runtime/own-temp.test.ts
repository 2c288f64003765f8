import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptBelowTemp, withMounts } from './own-temp.ts';

const PROGRAMS = { unshare: '/usr/bin/unshare', mount: '/bin/mount' };

test('what is kept below /tmp: the outermost paths, each once, and nothing from elsewhere', () => {
  const cases: [name: string, needs: string[], kept: string[]][] = [
    ['nothing is needed', [], []],
    ['elsewhere', ['/home/me/app', '/tmpfs/x', '/var/tmp/x'], []],
    ['the folder itself hides nothing', ['/tmp'], []],
    ['a folder and what is in it', ['/tmp/a/b', '/tmp/a', '/tmp/a/b/c'], ['/tmp/a']],
    ['names that begin alike', ['/tmp/a', '/tmp/ab', '/tmp/a-b'], ['/tmp/a', '/tmp/a-b', '/tmp/ab']],
    ['the same twice', ['/tmp/a', '/tmp/a'], ['/tmp/a']],
  ];
  for (const [name, needs, kept] of cases) assert.deepEqual(keptBelowTemp(needs), kept, name);
});

test('an ordinary user mounts in a user namespace, and runs the command under its own number again', () => {
  const mounts = [
    ['/tmp/a', '/run/t/a'],
    ['/run/t', '/tmp'],
  ] as const;
  const words = withMounts(['ls', '/tmp'], mounts, { ...PROGRAMS, uid: 1000, gid: 100 });
  assert.deepEqual(words.slice(0, 5), ['/usr/bin/unshare', '--user', '--map-root-user', '--mount', '--']);
  assert.deepEqual(words.slice(words.indexOf('sh') + 1), [
    ...['/bin/mount', '/tmp/a', '/run/t/a', '/run/t', '/tmp', '--'],
    ...['/usr/bin/unshare', '--user', '--map-user=1000', '--map-group=100', '--', 'ls', '/tmp'],
  ]);
});

test('root needs no user namespace', () => {
  const words = withMounts(['ls', '/tmp'], [['/run/t', '/tmp']], { ...PROGRAMS, uid: 0, gid: 0 });
  assert.deepEqual(words.slice(0, 3), ['/usr/bin/unshare', '--mount', '--']);
  assert.deepEqual(words.slice(words.indexOf('sh') + 1), [
    '/bin/mount',
    '/run/t',
    '/tmp',
    '--',
    'ls',
    '/tmp',
  ]);
});
