import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fetchArchive } from './archive.ts';
import type { RemoteSettings } from './open-repository.ts';
import { generateSshKey } from './ssh-key.ts';
import { remoteSettings } from './testing/remote-settings.ts';
import { sshMissing, startSshServer } from './testing/ssh-server.ts';

const missing = (await sshMissing()) ?? false;
let folders = 0;

async function commitOf(settings: RemoteSettings, url: string, privateKey: string): Promise<string> {
  const folder = join(settings.folder, `work-${folders++}`);
  await mkdir(folder);
  const branch = { url, branch: 'main', credentials: { kind: 'ssh', privateKey } } as const;
  return (await fetchArchive(branch, folder, settings, new AbortController().signal)).commit;
}

describe('a repository over ssh', { skip: missing }, () => {
  it('accepts a key, is recognised by its host key, and is refused with a different host key', async () => {
    await using server = await startSshServer();
    await using settings = await remoteSettings();
    const { url, privateKey } = server;
    assert.match(await commitOf(settings, url, privateKey), /^[0-9a-f]{40}$/);
    assert.match(
      await readFile(join(settings.folder, 'known_hosts'), 'utf8'),
      /^\[127\.0\.0\.1\]:\d+ ssh-ed25519 /,
    );
    await commitOf(settings, url, privateKey);
    const left = await readdir(settings.folder);
    assert.deepEqual(
      left.filter((name) => name.startsWith('.git-')),
      [],
      'the key’s file is gone',
    );

    const { privateKey: other } = await generateSshKey();
    await assert.rejects(commitOf(settings, url, other), (error: Error) => {
      assert.match(error.message, /Permission denied/);
      return !error.message.includes(other.split('\n')[1] ?? '-');
    });
    await server.changeHostKey();
    await assert.rejects(
      commitOf(settings, url, privateKey),
      /Host key verification failed|REMOTE HOST IDENTIFICATION/,
    );
  });
});
