import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeringAgent } from '../infra/testing/answering-agent.ts';
import { TestServer } from '../server/testing/test-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';

const TRY = `mutation ($p: ID!, $i: ID!, $r: ProbeRequest!) {
  tryProbe(projectID: $p, infraID: $i, request: $r) { outcome text code milliseconds }
}`;
const REPLY = `mutation ($r: AgentReply!) { agentReply(request: $r) }`;
const AUDIT = `query ($p: ID!) { listAudit(request: { projectID: $p }) { entries { operation objectID after } } }`;

const PROBE = {
  ...{ name: 'web', type: 'httpProbe', infrastructureType: 'Kubernetes' },
  kubernetesHTTPProperties: {
    ...{ probeTimeout: '500', interval: '1', url: 'http://web' },
    method: { get: { criteria: '==', responseCode: '200' } },
  },
};

describeOnDatabases('a probe that is tried', (database) => {
  test('tryProbe: the agent measures, its answer is shown and audited; nothing is stored', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const worker = await server.user('emil');
    const p = await server.project([
      [owner, 'Owner'],
      [worker, 'Executor'],
    ]);
    const agent = await server.agent(p);
    const given = { p, i: agent.infraID, r: PROBE };
    await using socket = await answeringAgent(server, p, agent, ['try_probe']);
    const asked = server.data(TRY, given, owner);
    const { requestType, requestID, externalData } = await socket.action();
    assert.equal(requestType, 'try_probe');
    assert.deepEqual(JSON.parse(externalData ?? '').probe, {
      ...{ name: 'web', type: 'httpProbe', mode: 'SOT' },
      runProperties: { probeTimeout: '500ms', interval: '1s' },
      'httpProbe/inputs': { url: 'http://web', method: { get: { criteria: '==', responseCode: '200' } } },
    });
    const trial = {
      outcome: 'Failed',
      text: 'Actual value: 503',
      code: 'HTTP_PROBE_FAILURE',
      milliseconds: 12,
    };
    await server.data(REPLY, { r: { infraID: agent, requestID, reply: JSON.stringify({ answer: trial }) } });
    assert.deepEqual((await asked).tryProbe, trial);

    const { entries } = (await server.data(AUDIT, { p }, owner)).listAudit as {
      entries: { operation: string; objectID: string; after: string }[];
    };
    const line = entries.find(({ operation }) => operation === 'tryProbe');
    assert.equal(line?.objectID, 'web');
    assert.match(line?.after ?? '', /http:\/\/web.*Failed/);
    const list = await server.data('query ($p: ID!) { listProbes(projectID: $p) { name } }', { p }, owner);
    assert.deepEqual(list.listProbes, []);

    const refused = await server.graphql(TRY, given, worker);
    assert.match(refused.errors[0]?.message ?? '', /^permission_denied:/);
  });

  test('an agent that cannot try probes is not asked, and one that does not allow it says so', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const agent = await server.agent(p);
    const refusal = async (): Promise<string | undefined> =>
      (await server.graphql(TRY, { p, i: agent.infraID, r: PROBE }, owner)).errors[0]?.message;
    // As it is before its first word.
    assert.match((await refusal()) ?? '', /cannot try probes: a newer one can/);
    await using socket = await answeringAgent(server, p, agent, ['try_probe']);
    const asked = refusal();
    const { requestID } = await socket.action();
    const problem = 'probes of type cmdProbe are not tried here; ALLOWED_PROBES of the agent names httpProbe';
    await server.data(REPLY, { r: { infraID: agent, requestID, reply: JSON.stringify({ problem }) } });
    assert.equal(await asked, problem);
  });
});
