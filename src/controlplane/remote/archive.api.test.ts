import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openPromise } from 'yauzl';
import { allowedAddresses } from './addresses.ts';
import { fetchArchive } from './archive.ts';
import type { Credentials } from './credentials.ts';
import type { RemoteSettings } from './open-repository.ts';
import { startGitServer } from './testing/git-server.ts';
import { remoteSettings } from './testing/remote-settings.ts';

const NONE: Credentials = { kind: 'none' };
const NEVER = new AbortController().signal;

async function fetched(
  settings: RemoteSettings,
  url: string,
  options: { branch?: string; credentials?: Credentials; signal?: AbortSignal } = {},
): Promise<{ commit: string; names: string[] }> {
  const { branch = 'main', credentials = NONE, signal = NEVER } = options;
  const folder = join(settings.folder, randomBytes(4).toString('hex'));
  await mkdir(folder);
  const { zip, commit } = await fetchArchive({ url, branch, credentials }, folder, settings, signal);
  const names: string[] = [];
  for await (const { fileName } of (await openPromise(zip)).eachEntry()) names.push(fileName);
  return { commit, names };
}

describe('a repository over HTTP', () => {
  it('gives the files of a branch and of a tag, without history', async () => {
    await using server = await startGitServer();
    await using settings = await remoteSettings();
    const first = await server.commit({ 'a.yaml': '1' });
    await server.git('tag', 'v1');
    const second = await server.commit({ 'faults/b.yaml': '2', 'a.yaml': null });
    assert.deepEqual(await fetched(settings, server.url), {
      commit: second,
      names: ['faults/', 'faults/b.yaml'],
    });
    assert.deepEqual(await fetched(settings, server.url, { branch: 'v1' }), {
      commit: first,
      names: ['a.yaml'],
    });
    await assert.rejects(fetched(settings, server.url, { branch: 'none' }), {
      name: 'RemoteError',
      message: /couldn't find remote ref none/,
    });
  });

  it('is refused early when its tree has millions of files in some kilobytes', async () => {
    await using server = await startGitServer();
    await using settings = await remoteSettings();
    const treeOf = (entry: string): Promise<string> =>
      server.gitWith(Array.from({ length: 10 }, (_, i) => `${entry}\tn${i}\n`).join(''), 'mktree');
    const blob = await server.gitWith('x', 'hash-object', '-w', '--stdin');
    let tree = await treeOf(`100644 blob ${blob}`);
    for (let level = 0; level < 7; level += 1) tree = await treeOf(`040000 tree ${tree}`);
    const commit = await server.git('commit-tree', tree, '-m', 'bomb');
    await server.git('update-ref', 'refs/heads/main', commit);
    await assert.rejects(fetched(settings, server.url), {
      name: 'RemoteError',
      message: /git ls-tree printed more than 4194304 characters: .* a folder has too many/,
    });
    assert.deepEqual(
      await readdir(settings.folder, { recursive: true }).then((all) =>
        all.filter((name) => name.endsWith('.zip')),
      ),
      [],
    );
  });

  it('gets a password, which stands in no argument, file or error', async () => {
    await using server = await startGitServer({ login: 'me:pass-word' });
    await using settings = await remoteSettings();
    await server.commit({ 'a.yaml': '1' });
    const right: Credentials = { kind: 'password', user: 'me', password: 'pass-word' };
    assert.deepEqual((await fetched(settings, server.url, { credentials: right })).names, ['a.yaml']);
    const kept = await readdir(settings.folder, { recursive: true, withFileTypes: true });
    for (const file of kept.filter((entry) => entry.isFile())) {
      const text = await readFile(join(file.parentPath, file.name), 'latin1');
      assert.ok(!text.includes('pass-word') && !text.includes('bWU6cGFzcy13b3Jk'), file.name);
    }
    const wrong: Credentials = { kind: 'password', user: 'me', password: 'wrong-word' };
    await assert.rejects(fetched(settings, server.url, { credentials: wrong }), (error: Error) => {
      assert.match(error.message, /^the repository refuses the user name and the password or token/);
      return !error.message.includes('wrong-word');
    });
    await assert.rejects(fetched(settings, server.url), {
      name: 'RemoteError',
      message: /^the repository asks for a user name and a password or token, and none are given/,
    });
  });

  it('does not follow a redirect, so that credentials go nowhere else', async () => {
    await using target = await startGitServer();
    await target.commit({ 'a.yaml': '1' });
    await using server = await startGitServer({
      instead: (request, response) => {
        response.writeHead(302, { location: `${target.url}${request.url?.replace('/hub.git', '')}` }).end();
        return true;
      },
    });
    await using settings = await remoteSettings();
    const credentials: Credentials = { kind: 'password', user: 'me', password: 'pass-word' };
    await assert.rejects(fetched(settings, server.url, { credentials }), { name: 'RemoteError' });
    assert.deepEqual([...target.requests], []);
  });

  it('is refused when it is larger than is taken', async () => {
    await using server = await startGitServer();
    await using settings = await remoteSettings({ mostBytes: 200_000 });
    await server.commit({ 'a.bin': randomBytes(400_000).toString('base64') });
    await assert.rejects(fetched(settings, server.url), /the repository is larger than 200000 bytes/);
  });

  it('is refused when what it unpacks to is larger', async () => {
    await using server = await startGitServer();
    await using settings = await remoteSettings({ mostBytes: 200_000 });
    await server.commit({ 'a.bin': 'a'.repeat(1_000_000) });
    await assert.rejects(fetched(settings, server.url), /the repository is larger than 200000 bytes/);
  });

  it('is given up at its limit and on an abort; no git process is left then', async () => {
    await using server = await startGitServer({ instead: () => true });
    await using settings = await remoteSettings({ timeoutMs: 400 });
    await assert.rejects(fetched(settings, server.url), /did not answer within 0.4 seconds/);
    const stop = new AbortController();
    const patient = { ...settings, timeoutMs: 60_000 };
    const under = fetched(patient, server.url, { signal: stop.signal });
    stop.abort(new Error('told to stop'));
    await assert.rejects(under, /told to stop/);
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
    assert.ok(!stdout.includes(server.url), stdout);
    assert.deepEqual(
      (await readdir(settings.folder)).filter((name) => name.startsWith('.git-')),
      [],
    );
  });
});

describe('addresses of the server’s own network', () => {
  const forms = ['127.0.0.1', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', '127.1'];
  it('are refused in every form, before anything is sent', async () => {
    await using server = await startGitServer();
    await using settings = await remoteSettings({}, '');
    await server.commit({ 'a.yaml': '1' });
    for (const form of forms) {
      const url = server.url.replace('127.0.0.1', form);
      await assert.rejects(fetched(settings, url), /is refused: the address is of this machine/, form);
    }
    await assert.rejects(
      fetched(settings, 'ssh://git@0x7f.1/r'),
      /is refused: the address is of this machine/,
    );
    assert.deepEqual([...server.requests], []);
  });

  it('are not reached by a name whose address changes after it was looked up', async () => {
    await using server = await startGitServer();
    await using settings = await remoteSettings();
    await server.commit({ 'a.yaml': '1' });
    // The machine knows no such name: only the address that was checked can have been connected to.
    const reach = {
      allowed: allowedAddresses('127.0.0.1'),
      lookUp: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    };
    const url = server.url.replace('127.0.0.1', 'hub.invalid');
    assert.deepEqual((await fetched({ ...settings, reach }, url)).names, ['a.yaml']);
  });
});
