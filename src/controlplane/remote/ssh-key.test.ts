import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { generateSshKey } from './ssh-key.ts';

const run = promisify(execFile);
const hasSsh = await run('ssh-keygen', ['-?']).catch((error: { code?: unknown }) => error.code !== 'ENOENT');

test('ssh reads the keys, and they belong together', {
  skip: hasSsh === false && 'ssh is not installed',
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-key-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { publicKey, privateKey } = await generateSshKey();
  assert.match(privateKey, /^-----BEGIN RSA PRIVATE KEY-----\n/);
  const file = join(folder, 'key');
  await writeFile(file, privateKey, { mode: 0o600 });
  const { stdout } = await run('ssh-keygen', ['-y', '-f', file]);
  assert.equal(stdout.trim(), publicKey.trim());
  await writeFile(`${file}.pub`, publicKey);
  assert.match((await run('ssh-keygen', ['-l', '-f', `${file}.pub`])).stdout, /^4096 .*\(RSA\)/);
});
