import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cronOf, engineYaml, faultTemplate, workflowOf } from '../experiment/testing/manifests.ts';
import { Scene } from '../experiment/testing/scene.ts';
import { AgentSocket } from '../infra/testing/agent-socket.ts';
import { TestServer } from '../server/testing/test-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';

const HALT = `mutation ($p: ID!) { haltChaos(projectID: $p, reason: "sale") { infraName state isHalted reason by { username } } }`;
const STATUS = `query ($p: ID!) { haltStatus(projectID: $p) { infraName isHalted state message reverted left } }`;
const TELL = `mutation ($r: InfraActionResult!) { infraActionResult(request: $r) }`;

describeOnDatabases('the safety lever', (database) => {
  test('haltChaos, haltStatus, resumeChaos: every agent is asked, and what it says is shown', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const agent = await server.agent(p, 'east');
    const other = await server.agent(p, 'west');
    await server.plane.store.transaction('test', ({ db }) =>
      db.updateTable('infras').set({ flavour: 'litmus' }).where('id', '=', other.infraID).execute(),
    );
    await using socket = await AgentSocket.connect(await server.listen(), agent, {
      more: ', reportsResults: true',
    });

    const asked = { isHalted: true, reason: 'sale', by: { username: 'olga' } };
    assert.deepEqual((await server.data(HALT, { p }, owner)).haltChaos, [
      { infraName: 'east', state: 'WAITING', ...asked },
      { infraName: 'west', state: 'WITHOUT_LEVER', ...asked },
    ]);
    const { requestID, requestType, externalData } = await socket.action();
    assert.deepEqual([requestType, JSON.parse(externalData ?? '')], ['halt', { reason: 'sale', by: 'olga' }]);
    const message = '{"reverted":["a"],"left":["b"]}';
    const r = { infraID: agent, requestID, requestType, isDone: false, message };
    await server.data(TELL, { r }, owner);
    const [east] = (await server.data(STATUS, { p }, owner)).haltStatus as object[];
    assert.deepEqual(east, {
      ...{ infraName: 'east', isHalted: true, state: 'LEFT', message: '', reverted: ['a'], left: ['b'] },
    });

    await server.data(`mutation ($p: ID!) { resumeChaos(projectID: $p) { state } }`, { p }, owner);
    assert.equal((await socket.action()).requestType, 'resume');
    const after = (await server.data(STATUS, { p }, owner)).haltStatus as { isHalted: boolean }[];
    assert.deepEqual(
      after.map(({ isHalted }) => isHalted),
      [false, false],
    );
    const audited = await server.plane.store.read
      .selectFrom('audit')
      .select('operation')
      .orderBy('seq')
      .execute();
    assert.deepEqual(
      audited.map(({ operation }) => operation),
      ['haltChaos', 'resumeChaos'],
    );
  });

  test('haltChaos stops what runs, behind the lever, and what is over stays as it is', async () => {
    const scene = await Scene.start(database);
    const { server, owner, project: p } = scene;
    await scene.save('e1');
    await scene.report({ experimentID: 'e1', runID: 'uid', notifyID: await scene.run('e1') });
    await scene.orders();
    const halt = `mutation { haltAllChaos(reason: "storm") { state } }`;
    await server.data(halt, {}, await server.user('ann', 'admin'));
    assert.deepEqual(
      (await scene.orders()).map(({ type, externalData }) => [type, externalData]),
      [
        ['halt', '{"reason":"storm","by":"ann"}'],
        ['workflow_run_stop', 'uid'],
      ],
    );
    await scene.report({ experimentID: 'e1', runID: 'uid', completed: true });
    const again = await server.data(HALT, { p }, owner);
    assert.equal((again.haltChaos as object[]).length, 1);
    assert.deepEqual(
      (await scene.orders()).map(({ type }) => type),
      ['halt'],
    );
    const runs = await server.plane.store.read.selectFrom('runs').select('phase').execute();
    assert.deepEqual(
      runs.map(({ phase }) => phase),
      ['Stopped'],
    );
  });

  test('runChaosExperiment while chaos is halted: nothing is ordered, and the answer says who, why and how it goes on', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1');
    const { object } = cronOf(workflowOf(faultTemplate(engineYaml())));
    const manifest = JSON.stringify({ ...object, metadata: { name: 'nightly', namespace: 'litmus' } });
    await scene.save('c1', { name: 'nightly', manifest });
    await scene.data(`mutation ($p: ID!) { haltChaos(projectID: $p, reason: "sale") { state } }`);
    await scene.orders();
    const run = `mutation ($p: ID!) { runChaosExperiment(projectID: $p, experimentID: "e1") { notifyID } }`;
    const { errors } = await scene.server.graphql(run, { p: scene.project }, scene.owner);
    assert.equal(errors[0]?.extensions?.code, 'halted');
    assert.match(
      errors[0]?.message ?? '',
      /^nothing was started: olga has halted chaos on cluster since \d{4}-\S+Z: sale; an Owner resumes it \(resumeChaos, or "turnsole remote resume"\), when that is meant$/,
    );
    const runs = scene.server.plane.store.read.selectFrom('runs').select('key');
    assert.deepEqual([await scene.orders(), await runs.execute()], [[], []]);
    // The lever holds what a schedule makes.
    assert.equal(await scene.run('c1'), '');
    assert.notDeepEqual(await scene.orders(), []);
    await scene.server.plane.store.transaction('test', ({ db }) =>
      db.updateTable('halts').set({ request_id: null }).execute(),
    );
    const begin = run.replace('e1', 'c1');
    const goOn =
      'mutation ($p: ID!) { updateCronExperimentState(projectID: $p, experimentID: "c1", disable: false) }';
    for (const one of [begin, goOn]) {
      assert.match((await scene.refusal(one)) ?? '', /^nothing was started: olga has halted chaos /);
    }
    await scene.data(`mutation ($p: ID!) { resumeChaos(projectID: $p) { state } }`);
    assert.match(await scene.run('e1'), /^[0-9a-f-]{36}$/);
  });

  test('haltAllChaos, haltStatusOfAll, resumeAllChaos: for administrators, in all projects', async () => {
    const server = await TestServer.start(database);
    const admin = await server.user('ann', 'admin');
    const owner = await server.user('olga');
    for (const name of ['east', 'west']) await server.agent(await server.project([[owner, 'Owner']]), name);
    const halt = `mutation { haltAllChaos(reason: "storm") { infraName state } }`;
    assert.match((await server.graphql(halt, {}, owner)).errors[0]?.message ?? '', /^permission_denied:/);
    const waiting = [
      { infraName: 'east', state: 'WAITING' },
      { infraName: 'west', state: 'WAITING' },
    ];
    assert.deepEqual((await server.data(halt, {}, admin)).haltAllChaos, waiting);
    const resume = `mutation { resumeAllChaos { infraName state } }`;
    assert.deepEqual((await server.data(resume, {}, admin)).resumeAllChaos, waiting);
    const status = await server.data(`{ haltStatusOfAll { isHalted } }`, {}, admin);
    assert.deepEqual(status.haltStatusOfAll, [{ isHalted: false }, { isHalted: false }]);
  });
});
