import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeringAgent } from '../infra/testing/answering-agent.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { engineYaml, faultTemplate, workflowOf } from './testing/manifests.ts';
import { Scene, SHOP } from './testing/scene.ts';

const PLAN = `query ($p: ID!, $i: ID!, $m: String!) { planManifest(projectID: $p, infraID: $i, manifest: $m) {
  wouldRun leftOut permissionsChecked permissionsMissing { account verb resource }
  findings { severity code text advice object field }
  experiments { engine step fault rounds intervalSeconds targets { kind name } targetCount
    workloads { name hit of percent isThere } budgets { name violated } nodes { hit of } }
} }`;
const REPLY = `mutation ($r: AgentReply!) { agentReply(request: $r) }`;

const web = { kind: 'deployment', namespace: 'shop', name: 'web', hit: 1, of: 3, percent: 33, isThere: true };
const ANSWER = {
  wouldRun: true,
  leftOut: 2,
  permissionsChecked: 9,
  permissionsMissing: [
    { account: 'litmus/sa', verb: 'get', group: '', resource: 'pods', namespace: 'litmus' },
  ],
  findings: [
    {
      severity: 'Doubt',
      code: 'PERMISSION',
      text: 'sa lacks pods',
      advice: 'grant it',
      object: null,
      field: 'spec.x',
    },
  ],
  experiments: [
    {
      ...{ engine: 'e', namespace: 'litmus', step: 'hit', experiment: 'pod-delete', fault: 'pod-delete' },
      ...{ startsAtSeconds: 0, durationSeconds: 15, expectedSeconds: 15, intervalSeconds: [5, 5], rounds: 3 },
      sequence: 'parallel',
      targets: [{ kind: 'pod', namespace: 'shop', name: 'web-1', node: 'n', container: null }],
      targetCount: 1,
      workloads: [web],
      budgets: [],
      nodes: { hit: ['n'], of: 3 },
    },
  ],
};

describeOnDatabases('plans of manifests', (database) => {
  const variables = ({ agent }: Scene, m = SHOP): object => ({ i: agent.infraID, m });

  test('planManifest: the agent gets what a run would get, and its plan is the answer; nothing is stored', async () => {
    const of = await Scene.start(database);
    const { server, agent } = of;
    await using socket = await answeringAgent(server, of.project, agent, ['plan']);
    await server.data(
      `mutation ($p: ID!, $r: ProbeRequest!) { addProbe(projectID: $p, request: $r) { name } }`,
      {
        p: of.project,
        r: {
          ...{ name: 'known', type: 'cmdProbe', infrastructureType: 'Kubernetes' },
          kubernetesCMDProperties: {
            ...{ probeTimeout: '1s', interval: '1s', command: 'true' },
            comparator: { type: 'string', criteria: 'equal', value: '' },
          },
        },
      },
      of.owner,
    );
    const annotations = `  annotations:\n    probeRef: '[{"name":"known","mode":"SOT"}]'\n`;
    const manifest = JSON.stringify(workflowOf(faultTemplate(engineYaml({ annotations }))).object);
    const asked = of.data(PLAN, variables(of, manifest));
    const { requestType, requestID, externalData } = await socket.action();
    assert.equal(requestType, 'plan');
    const sent = JSON.parse(JSON.parse(externalData ?? '').manifest);
    assert.equal(sent.metadata.labels.infra_id, agent.infraID);
    // The probe of the project stands in the engine, as in a run.
    assert.match(sent.spec.templates[1].inputs.artifacts[0].raw.data, /command: "?true/);
    await server.data(REPLY, { r: { infraID: agent, requestID, reply: JSON.stringify({ answer: ANSWER }) } });
    const { planManifest } = await asked;
    const [{ namespace: _, group: __, ...lacks } = {} as never] = ANSWER.permissionsMissing;
    const [shown = {} as never] = ANSWER.experiments;
    assert.deepEqual(planManifest, {
      ...ANSWER,
      permissionsMissing: [{ account: lacks.account, verb: lacks.verb, resource: lacks.resource }],
      experiments: [
        {
          ...{ engine: 'e', step: 'hit', fault: 'pod-delete', rounds: 3, intervalSeconds: [5, 5] },
          targets: [{ kind: 'pod', name: 'web-1' }],
          targetCount: 1,
          workloads: [{ name: 'web', hit: 1, of: 3, percent: 33, isThere: true }],
          ...{ budgets: shown.budgets, nodes: shown.nodes },
        },
      ],
    });
    const { experiments } = (
      await of.data('query ($p: ID!) { listExperiment(projectID: $p, request: {}) { experiments { name } } }')
    ).listExperiment as { experiments: unknown[] };
    assert.deepEqual(experiments, []);
  });

  test('what an agent says otherwise than it should is empty, and much of it is cut', async () => {
    const of = await Scene.start(database);
    const { server, agent } = of;
    await using socket = await answeringAgent(server, of.project, agent, ['plan']);
    const asked = of.data(PLAN, variables(of));
    const { requestID } = await socket.action();
    const answer = {
      ...{ wouldRun: 'yes', leftOut: 1e99, permissionsMissing: 'none' },
      findings: Array.from({ length: 500 }, () => ({ severity: 'Odd', text: 'x'.repeat(5_000), code: 7 })),
      experiments: [null, { rounds: -3, intervalSeconds: ['a', 1], nodes: 4, targets: [[]] }],
    };
    await server.data(REPLY, { r: { infraID: agent, requestID, reply: JSON.stringify({ answer }) } });
    const plan = (await asked).planManifest as unknown as typeof ANSWER;
    assert.deepEqual([plan.wouldRun, plan.leftOut, plan.permissionsMissing], [false, 2 ** 31 - 1, []]);
    assert.deepEqual([plan.findings.length, plan.findings[0]?.text.length], [200, 4_000]);
    assert.deepEqual([plan.findings[0]?.severity, plan.findings[0]?.code], ['Note', null]);
    assert.deepEqual(
      plan.experiments.map(({ rounds, intervalSeconds, nodes }) => [rounds, intervalSeconds, nodes.hit]),
      [
        [0, null, []],
        [0, [1], []],
      ],
    );
  });

  test('planManifest names why there is no plan: agent away or not able, no experiment, the agent’s own reason', async () => {
    const of = await Scene.start(database);
    const { server, agent } = of;
    const set = (columns: object): Promise<unknown> =>
      server.plane.store.transaction('test', ({ db }) =>
        db.updateTable('infras').set(columns).where('id', '=', agent.infraID).execute(),
      );
    await set({ active: 0 });
    assert.match((await of.refusal(PLAN, variables(of))) ?? '', /^the agent of .* is not connected$/);
    await set({ active: 1 });
    assert.match((await of.refusal(PLAN, variables(of))) ?? '', /cannot plan: a newer one can; update it$/);
    await set({ flavour: 'litmus' });
    assert.match((await of.refusal(PLAN, variables(of))) ?? '', /cannot plan: it is LitmusChaos'/);
    await set({ flavour: 'turnsole' });
    assert.match((await of.refusal(PLAN, variables(of, '{{{'))) ?? '', /failed to unmarshal/);
    assert.match((await of.refusal(PLAN, { i: 'other', m: SHOP })) ?? '', /no matching infra/);

    await using socket = await answeringAgent(server, of.project, agent, ['plan']);
    const asked = of.refusal(PLAN, variables(of));
    const { requestID } = await socket.action();
    const reply = '{"problem":"the agent plans other manifests already; try again in a moment"}';
    await server.data(REPLY, { r: { infraID: agent, requestID, reply } });
    assert.match((await asked) ?? '', /plans other manifests already/);
  });
});
