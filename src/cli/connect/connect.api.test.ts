import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { startApi } from '@turnsole/kube/testing/api';
import { otherDatabase } from '../../controlplane/store/testing/databases.ts';
import { RemoteScene } from '../remote/testing/remote-scene.ts';
import { inProcess } from '../testing/in-process.ts';

const AS_BEFORE = /^objects of the agent: \d+ unchanged$/m;

describe('turnsole connect', () => {
  const database = otherDatabase('sqlite', true);
  assert.ok(database !== undefined);

  test('says what keeps the agent away, and completes what it has begun when it is done again', async () => {
    const remote = await RemoteScene.start(database);
    await using api = await startApi(createApiServer);
    const args = ['connect', '--kubeconfig', api.server.kubeconfigPath, '--name', 'mine', '--timeout', '1ms'];
    const connect = (): ReturnType<typeof inProcess> =>
      inProcess(args, { HOME: remote.home, ...remote.as() });

    const first = await connect();
    const [server, environment, infra, warning, objects, waiting, ...more] = first.stdout.split('\n');
    assert.equal(server, `server ${remote.url}, project project ${remote.scene.project}`);
    assert.equal(environment, 'environment default made');
    assert.match(infra ?? '', /^infrastructure mine registered \([0-9a-f-]{36}\)$/);
    assert.match(warning ?? '', /^warning: http:\/\/127.0.0.1:\d+ is an address of this machine alone; /);
    assert.match(objects ?? '', /^objects of the agent: \d+ created$/);
    // This API server has neither controllers nor nodes.
    const trouble = 'namespace litmus has no pod of the agent (label app=subscriber)';
    assert.deepEqual([waiting, more], [`still waiting: ${trouble}`, []]);
    assert.deepEqual(
      [first.code, first.stderr],
      [
        3,
        `the agent was not connected within 0 s: ${trouble}; ` +
          'see the log of its pod (label app=subscriber), and whether that pod reaches the server [AGENT_NOT_CONNECTED]',
      ],
    );

    const second = await connect();
    assert.equal(second.stdout.includes('environment default made'), false);
    assert.ok(second.stdout.includes(`${infra?.replace('registered', 'is known')}`), second.stdout);
    assert.match(second.stdout, AS_BEFORE);
    assert.match(await remote.printed(['infra', 'list']), /^mine +default +cluster +pending /m);
    assert.equal((await remote.printed(['infra', 'list'])).match(/^mine /gm)?.length, 1);
  });

  test('registers nothing where the cluster, the project or the right to is missing', async () => {
    const remote = await RemoteScene.start(database);
    await using api = await startApi(createApiServer);
    const { server, project } = remote.scene;
    const kubeconfig = ['--kubeconfig', api.server.kubeconfigPath];
    const vera = await server.user('vera');
    await remote.addMember(vera, 'Viewer');
    const invalid =
      'URL: invalid Token: it is none of this server; the token is that of TURNSOLE_TOKEN: give another one, or unset it and sign in [NOT_SIGNED_IN]';
    for (const [args, token, code, message] of [
      [['--kubeconfig', '/none'], undefined, 3, /^cannot use the cluster: .*\/none.*\[CLUSTER_UNUSABLE\]$/],
      [
        ['--local', ...kubeconfig],
        undefined,
        2,
        /^--local is an embedded cluster of this machine: leave --kubeconfig and --context out/,
      ],
      [
        [...kubeconfig, '--project', 'none'],
        undefined,
        2,
        /^there is no project "none"; yours are: project /,
      ],
      [kubeconfig, 'made-up', 3, invalid],
      [[...kubeconfig, '--project', project], vera.token, 2, /^URL: permission_denied.*\[REMOTE_REFUSED\]$/],
    ] as const) {
      const env = { HOME: remote.home, ...remote.as(token) };
      const { code: found, stderr } = await inProcess(['connect', ...args], env);
      const said = stderr.replaceAll(remote.url, 'URL');
      assert.equal(found, code, said);
      if (typeof message === 'string') assert.equal(said, message);
      else assert.match(said, message);
    }
    assert.equal((await remote.printed(['infra', 'list'])).split('\n').length, 2);
    assert.equal((await remote.printed(['environment', 'list'])).split('\n').length, 1);
  });

  test('makes a project of their own for those who are in none', async () => {
    const remote = await RemoteScene.start(database);
    const fred = remote.as((await remote.scene.server.user('fred')).token);
    const args = ['connect', '--kubeconfig', '/none'];
    const { stdout } = await inProcess(args, { HOME: remote.home, ...fred });
    assert.equal(stdout, `server ${remote.url}, project fred-project`);
    assert.match(await remote.printed(['project', 'list'], fred), /^fred-project +1 /m);
  });
});
