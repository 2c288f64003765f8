import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { LocalServers } from './server/local-servers.ts';
import { ClusterRegistry } from './up/registry.ts';
import { userFolder } from './user-files.ts';

const FOLDERS: readonly (readonly [NodeJS.ProcessEnv, 'state' | 'config', string])[] = [
  [{ HOME: '/home/ann' }, 'state', '/home/ann/.local/state/turnsole'],
  [{ HOME: '/home/ann' }, 'config', '/home/ann/.config/turnsole'],
  [{ HOME: '/home/ann', XDG_STATE_HOME: '/state' }, 'state', '/state/turnsole'],
  [{ HOME: '/home/ann', XDG_STATE_HOME: '/state' }, 'config', '/home/ann/.config/turnsole'],
  [{ HOME: '/home/ann', XDG_STATE_HOME: '' }, 'state', '/home/ann/.local/state/turnsole'],
  [{ HOME: '/home/ann', XDG_CONFIG_HOME: 'here' }, 'config', '/home/ann/.config/turnsole'],
  [{ HOME: '' }, 'state', join(homedir(), '.local/state/turnsole')],
];

test('folders of the user', () => {
  for (const [env, kind, folder] of FOLDERS) {
    assert.equal(userFolder(env, kind), folder, JSON.stringify(env));
  }
});

test('what is remembered of a cluster or a server that died, or half of it, is none, and goes', async () => {
  const state = mkdtempSync(join(tmpdir(), 'turnsole-state-'));
  try {
    const env = { XDG_STATE_HOME: state };
    const clusters = new ClusterRegistry(env);
    const servers = new LocalServers(env);
    const cluster = {
      name: 'dead',
      pid: 1,
      server: '',
      kubeconfig: '',
      socketPath: join(state, 'none'),
      startedAt: '',
    };
    await clusters.add(cluster);
    await servers.add({ url: 'http://localhost:1', dataFolder: '/data', pid: process.pid });
    assert.equal((await servers.running()).length, 1);
    for (const folder of ['clusters', 'servers']) {
      for (const half of ['', '{"name": "ha', '[]', 'null'])
        writeFileSync(join(state, 'turnsole', folder, `half${half.length}.json`), half);
    }
    for (const name of await clusters.names()) assert.equal(await clusters.find(name), undefined, name);
    assert.deepEqual(
      (await servers.running()).map(({ url }) => url),
      ['http://localhost:1'],
    );
    assert.deepEqual(readdirSync(join(state, 'turnsole', 'clusters')), []);
    assert.equal(readdirSync(join(state, 'turnsole', 'servers')).length, 1);
  } finally {
    rmSync(state, { recursive: true });
  }
});
