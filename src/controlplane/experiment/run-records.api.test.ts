import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { pruneRuns } from '../run/prune-runs.ts';
import { executionText } from '../run/testing/execution.ts';
import type { TestAgent } from '../server/testing/test-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { Scene } from './testing/scene.ts';

const RECORD = `mutation ($r: RunRecordRequest!) { runRecord(request: $r) }`;
const TIMELINE = `query ($p: ID!) { getExperimentRun(projectID: $p, experimentRunID: "uid") { timeline } }`;
const WATCH = `subscription ($p: ID!) { watchRun(projectID: $p, experimentRunID: "uid") { timeline } }`;

const step = (number: number) => ({
  ...{
    time: `2026-01-01T00:00:00.00${number}Z`,
    actor: 'operator',
    step: 'RunStarted',
    message: `step ${number}`,
  },
});

function record(known: number, ...numbers: readonly number[]): object {
  const object = { metadata: { name: 'e', namespace: 'litmus', uid: 'u' }, status: {} };
  return {
    kind: 'ChaosEngine',
    namespace: 'litmus',
    name: 'e',
    object,
    known,
    steps: numbers.map(step),
    leftOut: 0,
  };
}

describeOnDatabases('records of runs', (database) => {
  async function scene(): Promise<Scene> {
    const made = await Scene.start(database);
    await made.save('e1');
    const notifyID = await made.run('e1');
    await made.report({ experimentID: 'e1', runID: 'uid', notifyID });
    return made;
  }

  async function reportRecord(
    { server, agent }: Scene,
    content: object,
    change: { agent?: TestAgent; run?: string } = {},
  ): Promise<unknown> {
    const text = deflateRawSync(JSON.stringify(content)).toString('base64');
    const r = { infraID: change.agent ?? agent, experimentRunID: change.run ?? 'uid', record: text };
    return (await server.data(RECORD, { r })).runRecord;
  }

  async function timeline(of: Scene): Promise<string[] | undefined> {
    const { timeline: text } = (await of.data(TIMELINE)).getExperimentRun as { timeline: string | null };
    if (text === null) return undefined;
    const { steps } = JSON.parse(text) as { steps: { actor: string; message: string }[] };
    return steps.filter(({ actor }) => actor === 'operator').map(({ message }) => message);
  }

  test('runRecord, getExperimentRun: what an agent tells piece by piece is the time axis of its run', async () => {
    const of = await scene();
    assert.equal(await timeline(of), undefined);
    assert.equal(await reportRecord(of, record(0, 1, 2)), 'TAKEN');
    assert.equal(await reportRecord(of, record(2, 3)), 'TAKEN');
    assert.equal(await reportRecord(of, record(9, 4)), 'INCOMPLETE');
    assert.deepEqual(await timeline(of), ['step 1', 'step 2', 'step 3']);
    assert.equal(await reportRecord(of, record(0, 1), { run: 'another' }), 'UNKNOWN_RUN');
  });

  test('runRecord, GET /export/run/:project_id/:run_id/:format: exports have what an agent tells with exact times', async () => {
    const of = await scene();
    await reportRecord(of, record(0, 1, 2));
    const exported = async (format: string): Promise<string> => {
      const headers = { authorization: `Bearer ${of.owner.token}` };
      return (await of.server.app.inject({ url: `/export/run/${of.project}/uid/${format}`, headers })).body;
    };
    assert.match(await exported('html'), /<td class="time">2026-01-01T00:00:00.002Z<\/td>/);
    const { engines } = JSON.parse(await exported('json'));
    assert.deepEqual(
      engines[0].timeline.map(({ message }: { message: string }) => message),
      ['step 1', 'step 2'],
    );
    assert.match(await exported('junit'), /<testsuite name="litmus\/e"/);
  });

  test('GET /export/run/:project_id/:run_id/:format: an engine that was reported without its spec is exported with its experiments', async () => {
    const of = await scene();
    const status = {
      runId: 'r',
      experiments: [{ name: 'pod-delete', status: 'Completed', verdict: 'Fail' }],
    };
    await reportRecord(of, {
      ...record(0, 1),
      object: { metadata: { name: 'e', namespace: 'litmus' }, status },
    });
    const result = {
      metadata: { name: 'e-pod-delete', namespace: 'litmus', labels: { 'turnsole.io/run-id': 'r' } },
      spec: { engine: 'e', experiment: 'pod-delete' },
      status: { experimentStatus: { phase: 'Completed', verdict: 'Fail', probeSuccessPercentage: '50' } },
    };
    await reportRecord(of, { ...record(0, 2), kind: 'ChaosResult', name: 'e-pod-delete', object: result });
    const headers = { authorization: `Bearer ${of.owner.token}` };
    const ask = async (format: string): Promise<string> =>
      (await of.server.app.inject({ url: `/export/run/${of.project}/uid/${format}`, headers })).body;
    const [engine] = JSON.parse(await ask('json')).engines;
    assert.deepEqual(
      engine.experiments.map((one: { name: string; verdict: string }) => [one.name, one.verdict]),
      [['pod-delete', 'Fail']],
    );
    assert.match(
      await ask('junit'),
      /<testsuite name="litmus\/e" tests="1" failures="1"[\s\S]*<testcase name="pod-delete"[\s\S]*?<failure /,
    );
  });

  test('runRecord: only the agent of a run is believed, and what is no record is refused', async () => {
    const of = await scene();
    const beside = await of.server.agent(of.project, 'beside');
    assert.equal(await reportRecord(of, record(0, 1), { agent: beside }), 'UNKNOWN_RUN');
    const foreign = await of.server.agent(await of.server.project([]), 'foreign');
    assert.equal(await reportRecord(of, record(0, 1), { agent: foreign }), 'UNKNOWN_RUN');
    await assert.rejects(reportRecord(of, { kind: 'Secret' }), /cannot take the record of a run/);
    assert.equal(await timeline(of), undefined);
  });

  test('watchRun: a record is an event for those who watch the run', async () => {
    const of = await scene();
    const { server, owner, project } = of;
    const url = `${(await server.listen()).replace('http', 'ws')}/query`;
    const connectionParams = { authorization: `Bearer ${owner.token}` };
    const socket = createClient({ url, webSocketImpl: WebSocket, connectionParams, retryAttempts: 0 });
    after(() => socket.dispose());
    const events = socket.iterate({ query: WATCH, variables: { p: project } });
    assert.deepEqual((await events.next()).value?.data, { watchRun: { timeline: null } });
    await reportRecord(of, record(0, 1));
    assert.match(JSON.stringify((await events.next()).value?.data), /step 1/);
  });

  test('listExperiment: the last run of an experiment is as the list of runs has it', async () => {
    const of = await scene();
    await reportRecord(of, record(0, 1));
    const both = `query ($p: ID!) {
      listExperiment(projectID: $p, request: {}) { experiments { recentExperimentRunDetails { outcome { state } } } }
      listExperimentRun(projectID: $p, request: {}) { experimentRuns { outcome { state } } }
    }`;
    const { listExperiment, listExperimentRun } = (await of.data(both)) as {
      listExperiment: { experiments: { recentExperimentRunDetails: object[] }[] };
      listExperimentRun: { experimentRuns: object[] };
    };
    assert.deepEqual(listExperimentRun.experimentRuns, [{ outcome: { state: 'starting' } }]);
    assert.deepEqual(
      listExperiment.experiments.map((one) => one.recentExperimentRunDetails),
      [listExperimentRun.experimentRuns],
    );
  });

  test('the records of a run go with it', async () => {
    const of = await scene();
    await reportRecord(of, record(0, 1));
    await of.report({
      ...{ experimentID: 'e1', runID: 'uid', completed: true },
      text: executionText([], { phase: 'Completed', finishedAt: '9' }),
    });
    assert.equal(await reportRecord(of, record(1, 2)), 'TAKEN');
    const { plane } = of.server;
    await pruneRuns(plane, plane.clock.now() + 1, new AbortController().signal);
    assert.deepEqual(await plane.store.read.selectFrom('run_records').select('object').execute(), []);
  });
});
