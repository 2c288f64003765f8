import assert from 'node:assert/strict';
import { afterEach, describe, mock, test } from 'node:test';
import { until } from '@turnsole/kube/testing/until';
import { parse } from 'yaml';
import { AgentSocket } from '../../controlplane/infra/testing/agent-socket.ts';
import { otherDatabase } from '../../controlplane/store/testing/databases.ts';
import { RemoteScene } from './testing/remote-scene.ts';

const REPLY = 'mutation ($r: AgentReply!) { agentReply(request: $r) }';
const COMMAND = ['infra', 'rotate-key', 'cluster'];

describe('turnsole remote infra rotate-key', () => {
  const database = otherDatabase('sqlite', true);
  assert.ok(database !== undefined);

  /** A server with an agent, and which keys of it are good. */
  async function open() {
    const remote = await RemoteScene.start(database as NonNullable<typeof database>);
    const { agent, server } = remote.scene;
    const isGood = async (accessKey: string): Promise<boolean> => {
      const r = { infraID: { ...agent, accessKey }, requestID: 'x', reply: '{}' };
      return (await server.graphql(REPLY, { r })).errors.length === 0;
    };
    /** Runs the command, and takes what it says on standard error beside. */
    const said = mock.method(console, 'error', () => {});
    const run = async (...more: readonly string[]) => {
      const { code, stdout } = await remote.run([...COMMAND, ...more], remote.as());
      return { code, stdout, said: said.mock.calls.map(({ arguments: [line] }) => String(line)).join('\n') };
    };
    return { remote, agent, server, isGood, run };
  }
  afterEach(() => mock.restoreAll());
  const keyIn = (text: string): string =>
    Buffer.from(parse(text).data.ACCESS_KEY as string, 'base64').toString();

  test('without a connected agent: the Secret is all of standard output, the next step is on standard error', async () => {
    const { agent, isGood, run } = await open();
    const { code, stdout, said } = await run();
    assert.equal(code, 0);
    assert.match(
      said,
      /^cluster: the former key is worth nothing any more; .*Apply the Secret of this answer/,
    );
    assert.equal(parse(stdout).kind, 'Secret');
    assert.deepEqual([await isGood(agent.accessKey), await isGood(keyIn(stdout))], [false, true]);
  });

  test('--no-hand-over keeps the new key from an agent that is connected', async () => {
    const { remote, agent, server, isGood, run } = await open();
    await using socket = await AgentSocket.connect(remote.url, agent, { more: ', answers: ["new_key"]' });
    await connected(server, agent.infraID);
    const { code, stdout, said } = await run('--no-hand-over');
    assert.equal(code, 0);
    assert.match(said, /it was not to be handed over/);
    assert.equal(await isGood(keyIn(stdout)), true);
    // Its connection ends, and no key came over it.
    const frame = await socket.next();
    assert.match(frame.payload?.errors?.[0]?.message ?? '', /accessID MISMATCH/);
  });

  test('an agent that is connected gets the new key, which is then shown nowhere', async () => {
    const { remote, agent, server, isGood, run } = await open();
    await using socket = await AgentSocket.connect(remote.url, agent, { more: ', answers: ["new_key"]' });
    await connected(server, agent.infraID);
    const rotated = run();
    const { requestType, requestID, externalData } = await socket.action();
    assert.equal(requestType, 'new_key');
    const { accessKey } = JSON.parse(externalData ?? '');
    await server.data(REPLY, {
      r: { infraID: { ...agent, accessKey }, requestID, reply: '{"answer":{}}' },
    });
    assert.deepEqual(await rotated, {
      code: 0,
      stdout: 'cluster: the former key is worth nothing any more; the agent has the new one',
      said: '',
    });
    assert.deepEqual([await isGood(agent.accessKey), await isGood(accessKey)], [false, true]);
  });

  test('those who may not, and names that are not there, change nothing', async () => {
    const { remote, agent, server, isGood } = await open();
    const viewer = await server.user('vera');
    await remote.addMember(viewer, 'Executor');
    for (const [args, env] of [
      [COMMAND, remote.as(viewer.token)],
      [['infra', 'rotate-key', 'none'], remote.as()],
    ] as const) {
      const { code, stdout } = await remote.run(args, env);
      assert.deepEqual([code === 0, stdout], [false, ''], args.join(' '));
    }
    assert.equal(await isGood(agent.accessKey), true);
  });
});

async function connected(server: RemoteScene['scene']['server'], infra: string): Promise<void> {
  const isConnected = async (): Promise<boolean> => {
    const row = await server.plane.store.read
      .selectFrom('infras')
      .select('connection_id')
      .where('id', '=', infra)
      .executeTakeFirstOrThrow();
    return row.connection_id !== null;
  };
  await until(isConnected, 'the agent is connected');
}
