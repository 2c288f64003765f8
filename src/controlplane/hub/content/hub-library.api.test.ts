import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startTestServer } from '@turnsole/kube/testing/http-server';
import { startGitServer } from '../../remote/testing/git-server.ts';
import { remoteSettings } from '../../remote/testing/remote-settings.ts';
import { type ZipEntry, zipOf } from '../testing/zip.ts';
import { HubLibrary, type HubSource } from './hub-library.ts';

const NEVER = new AbortController().signal;
const ID = 'hub-1';

async function library() {
  const remote = await remoteSettings();
  const folder = join(remote.folder, 'hubs');
  const hubs = new HubLibrary({ folder, remote, mostZipBytes: 100_000 });
  const text = async (...parts: string[]): Promise<string | undefined> =>
    (await hubs.open(ID))?.text(...parts);
  return { hubs, folder, text, [Symbol.asyncDispose]: () => remote[Symbol.asyncDispose]() };
}

const A = ['faults', 'k', 'a', 'fault.yaml'] as const;

describe('a hub in a Git repository', () => {
  const gitSource = (url: string, branch = 'main'): HubSource => ({
    kind: 'git',
    url,
    branch,
    credentials: { kind: 'none' },
  });

  it('is copied, and copied again when it has changed', async () => {
    await using server = await startGitServer();
    await using place = await library();
    assert.equal(await place.hubs.open(ID), undefined);
    await server.commit(
      { [A.join('/')]: 'one', 'run.sh': 'x' },
      { links: { 'faults/k/b/fault.yaml': '/etc/passwd' } },
    );
    await place.hubs.fetch(ID, gitSource(server.url), 0, NEVER);
    assert.equal(await place.text(...A), 'one');
    assert.equal(await place.text('faults', 'k', 'b', 'fault.yaml'), undefined);
    for (const content of ['two', 'three']) {
      await server.commit({ [A.join('/')]: content });
      const before = await place.hubs.open(ID);
      await place.hubs.fetch(ID, gitSource(server.url), 0, NEVER);
      assert.equal(await place.text(...A), content);
      assert.notEqual(await before?.text(...A), undefined, 'a reader keeps the copy that it has begun with');
    }
    const kept = await readdir(join(place.folder, ID));
    assert.equal(kept.length, 3, `the link, its copy and the one before: ${kept.join()}`);
    await place.hubs.remove(ID);
    assert.ok(!existsSync(join(place.folder, ID)));
  });

  it('stays as it was when it cannot be had', async () => {
    await using server = await startGitServer();
    await using place = await library();
    await server.commit({ [A.join('/')]: 'one' });
    await server.commit({ 'README.md': 'no hub' }, { branch: 'empty' });
    await place.hubs.fetch(ID, gitSource(server.url), 0, NEVER);
    await assert.rejects(place.hubs.fetch(ID, gitSource(server.url, 'gone'), 0, NEVER), {
      name: 'RemoteError',
    });
    await assert.rejects(place.hubs.fetch(ID, gitSource(server.url, 'empty'), 0, NEVER), /this is no hub/);
    await assert.rejects(
      place.hubs.fetch(ID, gitSource(server.url), 0, AbortSignal.abort(new Error('stop'))),
      /stop/,
    );
    assert.equal(await place.text(...A), 'one');
    assert.equal((await readdir(join(place.folder, ID))).length, 2);
  });
});

describe('a hub in a zip file', () => {
  async function fetched(entries: readonly ZipEntry[] | Buffer) {
    const body = Buffer.isBuffer(entries) ? entries : zipOf(entries);
    const server = await startTestServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/zip' }).end(body);
    });
    const place = await library();
    return {
      ...place,
      fetch: () => place.hubs.fetch(ID, { kind: 'zip', url: server.url }, 0, NEVER),
      [Symbol.asyncDispose]: async () => {
        await server[Symbol.asyncDispose]();
        await place[Symbol.asyncDispose]();
      },
    };
  }

  it('is unpacked, with or without the one folder around it', async () => {
    for (const around of ['', 'hub-main/']) {
      await using place = await fetched([{ name: `${around}${A.join('/')}`, content: 'one' }]);
      await place.fetch();
      assert.equal(await place.text(...A), 'one');
    }
  });

  const bomb = Buffer.alloc(900_000, 'a');
  const refused: readonly [what: string, entries: readonly ZipEntry[] | Buffer, said: RegExp][] = [
    ['no zip', Buffer.from('hello'), /this is no zip file/],
    [
      'a path out of it',
      [{ name: 'faults/../../../x.yaml', content: 'x' }],
      /^illegal file path: faults\/\.\.\/\.\.\/\.\.\/x\.yaml/,
    ],
    [
      'a backslash',
      [{ name: 'faults\\..\\..\\x.yaml', content: 'x' }],
      /^illegal file path: |unpacked: .*backslash/,
    ],
    [
      'more than an entry declares',
      [{ name: A.join('/'), content: bomb, declared: 10 }],
      /cannot be unpacked: .*(too many bytes|size)/,
    ],
    [
      'more than a file may have',
      [{ name: A.join('/'), content: Buffer.alloc(2_000_000, 'a') }],
      /is larger than the/,
    ],
    [
      'more than a hub may have',
      Array.from({ length: 80 }, (_, index) => ({ name: `faults/k/a${index}/fault.yaml`, content: bomb })),
      /at most/,
    ],
    [
      'the same file twice',
      [
        { name: A.join('/'), content: '1' },
        { name: A.join('/'), content: '2' },
      ],
      /cannot be unpacked: EEXIST/,
    ],
  ];
  for (const [what, entries, said] of refused) {
    it(`is refused for ${what}, and nothing of it is kept`, async () => {
      await using place = await fetched(entries);
      await assert.rejects(place.fetch(), { name: 'RemoteError', message: said });
      assert.deepEqual(await readdir(join(place.folder, ID)), []);
      assert.ok(!existsSync(join(place.folder, 'x.yaml')));
    });
  }

  it('leaves links out', async () => {
    await using place = await fetched([
      { name: A.join('/'), content: 'one' },
      { name: 'faults/k/a/engine.yaml', content: '/etc/passwd', mode: 0o120777 },
    ]);
    await place.fetch();
    assert.equal(await place.text('faults', 'k', 'a', 'engine.yaml'), undefined);
  });
});
