import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeKubeconfig } from './write-kubeconfig.ts';

let folder: string;
let source: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnsole-kubeconfig-'));
  source = join(folder, 'source');
  await writeFile(source, 'new');
});
after(() => rm(folder, { recursive: true }));

test('a kubeconfig that is there is replaced and only for its owner', async () => {
  const target = join(folder, 'config');
  await writeFile(target, 'old', { mode: 0o644 });
  await writeKubeconfig(source, target);
  assert.equal(await readFile(target, 'utf8'), 'new');
  assert.equal((await stat(target)).mode & 0o777, 0o600);
  assert.deepEqual((await readdir(folder)).sort(), ['config', 'source']);
});

test('a kubeconfig that cannot be written is an error with its path, and leaves nothing behind', async () => {
  await assert.rejects(writeKubeconfig(source, join(folder, 'none', 'config')), {
    name: 'CommandError',
    exitCode: 3,
    message: /^cannot write --kubeconfig .*none.config: ENOENT/,
  });
  await assert.rejects(writeKubeconfig(source, folder), { message: /EISDIR/ });
  assert.equal(existsSync(folder), true);
});

test('a device is written to and never replaced', { skip: !existsSync('/dev/full') }, async () => {
  const before = await stat('/dev/full');
  await assert.rejects(writeKubeconfig(source, '/dev/full'), { message: /no space left on device/ });
  assert.equal((await stat('/dev/full')).ino, before.ino);
});
