/** `turnsole connect` as the process that a user stops while it waits. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startApi } from '@turnsole/kube/testing/api';
import { RemoteScene } from '../../src/cli/remote/testing/remote-scene.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';
import { TurnsoleProcess } from '../support/turnsole.ts';

describe('turnsole connect', () => {
  const database = otherDatabase('sqlite', true);
  assert.ok(database !== undefined);

  test('that is stopped while it waits says what is there; done again it completes', async () => {
    const remote = await RemoteScene.start(database);
    // Nothing runs pods here, so that it waits.
    await using api = await startApi(createApiServer);
    const env = { HOME: remote.home, ...remote.as() };
    const cluster = ['--kubeconfig', api.server.kubeconfigPath];
    const stopped = async (): Promise<{ code: number | null; stdout: string; stderr: string }> => {
      await using connect = new TurnsoleProcess(['connect', ...cluster, '--name', 'mine'], env);
      await connect.line(/^still waiting: /);
      // Awaited here: the end of the scope sends a signal of its own.
      return await connect.stop('SIGINT');
    };
    const first = await stopped();
    const id = /^infrastructure mine registered \((.*)\)$/m.exec(first.stdout)?.[1];
    assert.deepEqual(
      [first.code, first.stderr],
      [
        130,
        `turnsole: stopped by SIGINT; infrastructure mine (${id}) is registered, and the objects of its agent are in namespace litmus. ` +
          'Connect again to complete it; to undo it, delete the infrastructure (on the page, or deleteInfra), then "turnsole uninstall --namespace litmus" [STOPPED]\n',
      ],
    );
    const second = await stopped();
    assert.match(second.stdout, /^objects of the agent: \d+ unchanged$/m);
    assert.ok(second.stdout.includes(`infrastructure mine is known (${id})`));
  });
});
