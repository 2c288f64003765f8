import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestAgent, TestServer } from '../../server/testing/test-server.ts';
import { describeOnDatabases } from '../../store/testing/databases.ts';
import { AgentSocket } from '../testing/agent-socket.ts';
import { untilChanged } from '../testing/until.ts';

const CREATE = `mutation ($p: ID!) {
  createEnvironment(projectID: $p, request: { environmentID: "e", name: "e", type: NON_PROD }) { environmentID } }`;
const REGISTER = `mutation ($p: ID!) { registerInfra(projectID: $p, request: {
  name: "east", environmentID: "e", infrastructureType: Kubernetes, platformName: "Others", infraScope: "cluster", infraNamespace: "litmus",
  serviceAccount: "litmus", skipSsl: false, infraNsExists: false, infraSaExists: false }) { infraID manifest } }`;
const CONFIRM = `mutation ($r: InfraIdentity!) { confirmInfraRegistration(request: $r) { isInfraConfirmed newAccessKey } }`;
const DELETE = 'mutation ($p: ID!, $i: String!) { deleteInfra(projectID: $p, infraID: $i) }';
const POD_LOG = 'mutation ($r: PodLog!) { podLog(request: $r) }';
const REFUSED = 'ERROR:  accessID MISMATCH';

describeOnDatabases('keys of agents', (database) => {
  test('that are forged, replayed or stale are refused, all with the same answer', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    await server.data(CREATE, { p }, owner);
    const made = (await server.data(REGISTER, { p }, owner)).registerInfra;
    const { infraID, manifest } = made as { infraID: string; manifest: string };
    const [, inBase64 = ''] = /ACCESS_KEY: "?([\w+/=]+)"?$/m.exec(manifest) ?? [];
    const first = Buffer.from(inBase64, 'base64').toString();
    const shown = (accessKey: string, id = infraID): TestAgent =>
      ({ infraID: id, accessKey, version: '3.31.0' }) as TestAgent;
    const confirm = async (key: string): Promise<string | null> => {
      const { confirmInfraRegistration } = await server.data(CONFIRM, { r: shown(key) });
      return (confirmInfraRegistration as { newAccessKey: string | null }).newAccessKey;
    };
    const errorFor = async (agent: TestAgent): Promise<string | undefined> => {
      const log = { requestID: 'x', experimentRunID: 'r', podName: 'p', podType: 'Pod', log: '' };
      return (await server.graphql(POD_LOG, { r: { ...log, infraID: agent } })).errors[0]?.message;
    };

    assert.equal(await errorFor(shown(first)), REFUSED, 'the key of a manifest does nothing but confirm');
    const key = (await confirm(first)) ?? assert.fail('not confirmed');
    await using socket = await AgentSocket.connect(await server.listen(), shown(key));
    const { read } = server.plane.store;
    const isActive = () =>
      read.selectFrom('infras').select('active').where('id', '=', infraID).executeTakeFirst();
    await untilChanged(server.plane.store, p, isActive, (row) => row?.active === 1);

    assert.equal(await confirm(first), null, 'replayed, when the agent has its own');
    assert.equal(await errorFor(shown(key)), undefined);
    const other = await server.agent(p, 'west');
    for (const agent of [
      ...[first, '', key.toLowerCase(), key.slice(0, -1), `${key}=`, other.accessKey].map((one) =>
        shown(one),
      ),
      shown(key, other.infraID),
      shown(key, 'none'),
    ]) {
      assert.equal(await errorFor(agent), REFUSED, JSON.stringify(agent));
    }
    await server.data(DELETE, { p, i: infraID }, owner);
    assert.equal(await errorFor(shown(key)), REFUSED, 'stale');
    assert.deepEqual([await confirm(key), await confirm(first)], [null, null]);
    assert.equal(await errorFor(other), undefined);
    assert.ok(socket.socket.readyState <= 1, 'it may still hear that it is to leave');
  });
});
