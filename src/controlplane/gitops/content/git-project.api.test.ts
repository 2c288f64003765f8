import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { TooLateError } from '../../remote/index.ts';
import { startGitServer } from '../../remote/testing/git-server.ts';
import { remoteSettings } from '../../remote/testing/remote-settings.ts';
import { branchHead, type GitCommit, openBranch } from './git-project.ts';

const NEVER = new AbortController().signal;
const AUTHOR = { name: 'olga@litmus-chaos', email: 'olga@litmus-chaos' };

const commit = (files: Readonly<Record<string, string | null>>, message = 'm'): GitCommit => ({
  message,
  author: AUTHOR,
  files: new Map(Object.entries(files)),
});

describe('the branch of a project', () => {
  it('is made in an empty repository, and then read, changed and followed', async () => {
    await using server = await startGitServer({ login: 'u:pass' });
    await using settings = await remoteSettings();
    const place = {
      url: server.url,
      branch: 'main',
      credentials: { kind: 'password', user: 'u', password: 'pass' },
    } as const;
    const open = () => openBranch(place, 'litmus/p', settings, NEVER);
    {
      await using branch = await open();
      assert.equal(branch.head, undefined);
      const head = await branch.push([
        commit({ 'litmus/p/.info': '{}' }, 'Setup'),
        commit({ 'litmus/p/a b/ä.yaml': 'one\n' }),
      ]);
      assert.equal(await server.git('rev-parse', 'main'), head);
    }
    assert.match(
      await server.git('log', '--format=%an <%ae> %s', 'main'),
      /^olga@litmus-chaos <olga@litmus-chaos> m\n.* Setup$/,
    );
    await server.commit(
      { 'other/x.yaml': 'x', 'litmus/p/b.yaml': 'b' },
      { links: { 'litmus/p/c.yaml': '/etc/passwd' } },
    );
    {
      await using branch = await open();
      assert.deepEqual([...branch.files.keys()].toSorted(), [
        'litmus/p/.info',
        'litmus/p/a b/ä.yaml',
        'litmus/p/b.yaml',
      ]);
      assert.equal(await branch.content(branch.files.get('litmus/p/a b/ä.yaml') ?? ''), 'one\n');
      await branch.push([commit({ 'litmus/p/a b/ä.yaml': null, 'litmus/p/b.yaml': 'c' })]);
    }
    const names = await server.git('ls-tree', '-r', '--name-only', 'main');
    assert.deepEqual(names.split('\n'), [
      'litmus/p/.info',
      'litmus/p/b.yaml',
      'litmus/p/c.yaml',
      'other/x.yaml',
    ]);
    assert.equal(await server.git('show', 'main:litmus/p/b.yaml'), 'c');
    assert.deepEqual(
      (await readdir(settings.folder)).filter((name) => name !== 'known_hosts'),
      [],
      'nothing is left',
    );
  });

  it('is not changed when a second writer was faster', async () => {
    await using server = await startGitServer();
    await using settings = await remoteSettings();
    await server.commit({ 'litmus/p/a.yaml': '1' });
    const place = { url: server.url, branch: 'main', credentials: { kind: 'none' } } as const;
    await using branch = await openBranch(place, 'litmus/p', settings, NEVER);
    const theirs = await server.commit({ 'litmus/p/a.yaml': '2' });
    await assert.rejects(branch.push([commit({ 'litmus/p/a.yaml': '3' })]), TooLateError);
    assert.equal(await server.git('rev-parse', 'main'), theirs);
  });

  it('is refused when its YAML files have more bytes together than are read, though git stores the same content once', async () => {
    await using server = await startGitServer();
    await using settings = await remoteSettings();
    const large = '#'.repeat(1024 * 1024);
    const files = Object.fromEntries(
      Array.from({ length: 64 }, (_, index) => [`litmus/p/${index}.yaml`, large]),
    );
    await server.commit({ ...files, 'litmus/p/picture.png': large });
    const place = { url: server.url, branch: 'main', credentials: { kind: 'none' } } as const;
    {
      await using branch = await openBranch(place, 'litmus/p', settings, NEVER);
      assert.equal(branch.files.size, 65);
    }
    await server.commit({ 'litmus/p/more.yml': '#' });
    await assert.rejects(openBranch(place, 'litmus/p', settings, NEVER), {
      name: 'RemoteError',
      message:
        'the YAML files of this project have 67108865 bytes together; at most 67108864 are read: split the project or remove files',
    });
  });

  it('tells its commit, whatever a checkout around the server’s folder has for settings', async () => {
    await using server = await startGitServer();
    await using settings = await remoteSettings();
    const commit = await server.commit({ 'litmus/p/a.yaml': '1' });
    const git = (...args: string[]) => promisify(execFile)('git', ['-C', settings.folder, ...args]);
    await git('init', '--quiet');
    await git('config', 'url.http://127.0.0.1:1/.insteadOf', new URL(server.url).origin);
    const folder = join(settings.folder, 'data');
    await mkdir(folder);
    const place = { url: server.url, branch: 'main', credentials: { kind: 'none' } } as const;
    assert.equal(await branchHead(place, { ...settings, folder }, NEVER), commit);
    assert.equal(await branchHead({ ...place, branch: 'none' }, { ...settings, folder }, NEVER), undefined);
  });
});
