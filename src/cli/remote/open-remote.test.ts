import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { LocalServers } from '../server/local-servers.ts';
import { CredentialsFile } from './credentials.ts';
import { claimIn, normalUrl, openRemote } from './open-remote.ts';
import { chooseProject } from './projects.ts';

const A = 'https://a.example';
const B = 'https://b.example';
const folders: string[] = [];
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-remote-'));
  folders.push(folder);
  env = { HOME: folder };
});
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const serverHere = { url: 'http://127.0.0.1:1', dataFolder: '/d', pid: process.pid };

describe('the server that a command works with', () => {
  test('is the server of the last sign-in, unless the command names one', async () => {
    const file = new CredentialsFile(env);
    await file.keep(B, { token: 'b', username: 'bea' });
    await file.keep(A, { token: 'a', username: 'ann', project: 'p' });
    assert.equal(statSync(file.path).mode & 0o777, 0o600);
    const last = await openRemote({}, env);
    assert.deepEqual([last.client.url, last.wantedProject], [A, 'p']);
    assert.equal((await openRemote({ server: `${B}/` }, env)).client.url, B);
    await file.forget(A);
    await assert.rejects(openRemote({}, env), { code: 'NOT_SIGNED_IN', message: /^there is no server/ });
  });

  test('is the one of the environment', async () => {
    const { client, wantedProject } = await openRemote(
      {},
      { ...env, TURNSOLE_SERVER: A, TURNSOLE_TOKEN: 't', TURNSOLE_PROJECT: 'q' },
    );
    assert.deepEqual([client.url, wantedProject], [A, 'q']);
  });

  test('is the only one on this machine', async () => {
    const servers = new LocalServers(env);
    await servers.add({ ...serverHere, token: 't' });
    assert.equal((await openRemote({}, env)).client.url, serverHere.url);
    await servers.add({ ...serverHere, dataFolder: '/e', url: 'http://127.0.0.1:2' });
    await assert.rejects(openRemote({}, env), {
      code: 'OPTION_INVALID',
      message: /^several servers run here/,
    });
    await assert.rejects(openRemote({ server: 'http://127.0.0.1:2' }, env), { code: 'NOT_SIGNED_IN' });
  });

  test('is none that has ended', async () => {
    const servers = new LocalServers(env);
    await servers.add({ ...serverHere, pid: 2 ** 22 + 1, token: 't' });
    assert.deepEqual(await servers.running(), []);
  });
});

test('addresses are kept in one form', () => {
  assert.equal(normalUrl('https://a.example/litmus//?x=1'), 'https://a.example/litmus');
  for (const text of ['a.example', 'ftp://a', 'https://u:p@a'])
    assert.throws(() => normalUrl(text), /^CommandError: address of a control plane: expected/);
});

test('a token says whose it is', () => {
  const claims = Buffer.from('{"username":"ann"}').toString('base64url');
  assert.deepEqual(
    [claimIn(`x.${claims}.y`, 'username'), claimIn('x', 'username'), claimIn('a.b.c', 'username')],
    ['ann', '', ''],
  );
});

test('the project: by ID, by name, the own one, the first one', () => {
  const owned = { projectID: '2', name: 'mine', members: [{ username: 'ann', role: 'Owner' }] };
  const projects = [{ projectID: '1', name: '2' }, owned];
  const chosen = (wantedProject: string | undefined, username: string): string | undefined =>
    chooseProject(projects, { wantedProject, username })?.projectID;
  assert.deepEqual(
    [
      chosen('2', ''),
      chosen('mine', ''),
      chosen(undefined, 'ann'),
      chosen(undefined, 'bea'),
      chosen('no', 'ann'),
    ],
    ['2', '2', '2', '1', undefined],
  );
});
