import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { homeOf, imageDirectory } from './stand-in-launch.ts';

test('HOME is that of the user in the image, or the root', () => {
  const passwd =
    'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/nonexistent:/bin/false\nodd:x:7:7:::\n';
  const cases: [number, string][] = [
    [0, '/root'],
    [65534, '/nonexistent'],
    [1000, '/'],
    [7, '/'],
  ];
  for (const [uid, home] of cases) assert.equal(homeOf(uid, passwd), home);
});

test('an image starts in the root unless its command names files of its folder', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-launch-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const file of ['server.js', 'worker.sh', 'app.conf']) writeFileSync(join(folder, file), '');
  mkdirSync(join(folder, 'node'));
  const cases: [string, boolean][] = [
    ['node server.js', true],
    ['./worker.sh', true],
    ['nginx -c app.conf', true],
    ['serve --config=app.conf', true],
    ['node', false],
    ['node /srv/server.js', false],
    ['node other.js', false],
    ['/usr/bin/argoexec emissary', false],
  ];
  for (const [command, isOfFolder] of cases) {
    const entry = { entrypoint: command.split(' '), workingDir: folder, workingDirIfNamed: true };
    assert.equal(imageDirectory(entry), isOfFolder ? folder : '/', command);
  }
  assert.equal(imageDirectory({ entrypoint: ['node', 'server.js'] }), '/');
  assert.equal(imageDirectory({ entrypoint: ['/x'], workingDir: folder }), folder, 'an image that says so');
});
