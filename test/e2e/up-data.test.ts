import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { temporaryFolder, turnsole } from '../support/turnsole.ts';

const namespace = 'default';

function lastPid(data: string): number {
  return Number(JSON.parse(readFileSync(join(data, 'lock'), 'utf8')).pid);
}

it('up --data goes on after kill -9, and a kubeconfig of before is still good', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  const kubeconfig = join(folder.path, 'kubeconfig');
  const env = { XDG_STATE_HOME: join(folder.path, 'state') };
  const up = ['up', '--detach', '--data', data, '--kubeconfig', kubeconfig];
  const started = await turnsole(up, env);
  assert.equal(started.code, 0, started.stderr);
  const client = createClient(await loadKubeconfig({ path: kubeconfig }));
  try {
    const kept = await client.create<ConfigMap>(
      CONFIG_MAPS,
      { metadata: { name: 'kept' }, data: { a: 'b' } },
      { namespace },
    );
    const second = await turnsole(['up', '--data', data, '--name', 'second'], env);
    assert.equal(second.code, 3);
    assert.match(second.stderr, new RegExp(`the process ${lastPid(data)} uses it`));
    process.kill(lastPid(data), 'SIGKILL');
    const again = await turnsole(up, env);
    assert.equal(again.code, 0, again.stderr);
    // The client has the port, authority and token of the first start.
    assert.deepEqual(await client.get<ConfigMap>(CONFIG_MAPS, 'kept', { namespace }), kept);
  } finally {
    client.close();
    const stopped = await turnsole(['down'], env);
    assert.equal(stopped.code, 0, stopped.stderr);
  }
});
