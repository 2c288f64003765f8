import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import type { AgentSocket } from '../infra/testing/agent-socket.ts';
import { answeringAgent } from '../infra/testing/answering-agent.ts';
import { executionText } from '../run/testing/execution.ts';
import { projectScope } from '../store/store.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { Scene } from './testing/scene.ts';

const SET = `mutation ($p: ID!, $i: ID!, $r: InfraMetricsRequest) {
  setInfraMetrics(projectID: $p, infraID: $i, request: $r) { address queries { name unit query } }
}`;
const SETTING = `query ($p: ID!, $i: String!) { getInfra(projectID: $p, infraID: $i) { metrics { address queries { name unit query } } } }`;
const METRICS = `query ($p: ID!) { getRunMetrics(projectID: $p, experimentRunID: "uid") {
  problem startMs stepMs isFinal metrics { name unit problem leftOut series { labels { name value } values } }
} }`;
const REPLY = `mutation ($r: AgentReply!) { agentReply(request: $r) }`;
const RECORD = `mutation ($r: RunRecordRequest!) { runRecord(request: $r) }`;
const AUDIT = `query ($p: ID!) { listAudit(request: { projectID: $p }) { entries { operation objectKind objectID before after } } }`;

const ADDRESS = 'http://prometheus.monitoring:9090';
const REQUEST = {
  address: `${ADDRESS}/`,
  queries: [
    { name: 'errors', unit: '%', query: 'errors{namespace=~"{{namespace}}"}' },
    { name: 'memory', query: 'memory{pod=~"{{pods}}"}' },
  ],
};
const KEPT = {
  address: ADDRESS,
  queries: [
    { name: 'errors', unit: '%', query: 'errors{namespace=~"{{namespace}}"}' },
    { name: 'memory', unit: '', query: 'memory{pod=~"{{pods}}"}' },
  ],
};
/** Seconds since the epoch, a minute apart. */
const [BEGIN, END] = [1_700_000_000, 1_700_000_060];

interface Metrics {
  readonly problem: string | null;
  readonly isFinal: boolean;
  readonly metrics: readonly { readonly name: string; readonly problem: string | null }[];
}

describeOnDatabases('metrics of runs', (database) => {
  /** A run that is over; its infrastructure has a Prometheus. */
  async function scene(): Promise<Scene> {
    const made = await Scene.start(database);
    await made.save('e1');
    const notifyID = await made.run('e1');
    const account = JSON.parse(executionText([], { phase: 'Completed', finishedAt: `${END}` }));
    const text = JSON.stringify({ ...account, startedAt: `${BEGIN}` });
    await made.report({ experimentID: 'e1', runID: 'uid', notifyID, text, completed: true });
    await made.data(SET, { i: made.agent.infraID, r: REQUEST });
    return made;
  }

  async function hit({ server, agent }: Scene, namespace: string, ...pods: readonly string[]): Promise<void> {
    const entries = pods.map((name, index) => {
      const id = `r.r${index}.a`;
      const target = { kind: 'pod', namespace, name };
      return [id, { id, fault: 'pod-delete', state: 'done', injectedAt: '2023-11-14T22:13:30Z', target }];
    });
    const object = {
      metadata: { name: 'e', namespace: 'litmus' },
      spec: { engine: 'e', experiment: 'pod-delete' },
      status: { ledger: Object.fromEntries(entries) },
    };
    const content = {
      kind: 'ChaosResult',
      namespace: 'litmus',
      name: 'e',
      object,
      known: 0,
      steps: [],
      leftOut: 0,
    };
    const record = deflateRawSync(JSON.stringify(content)).toString('base64');
    const r = { infraID: agent, experimentRunID: 'uid', record };
    assert.equal((await server.data(RECORD, { r })).runRecord, 'TAKEN');
  }

  async function metricsOf(of: Scene): Promise<Metrics | null> {
    return (await of.data(METRICS)).getRunMetrics as Metrics | null;
  }

  /** The next question for metrics: what was to be done before comes first. */
  async function question(socket: AgentSocket) {
    let action = await socket.action();
    while (action.requestType === 'create') action = await socket.action();
    return { type: action.requestType, id: action.requestID, data: JSON.parse(action.externalData ?? '') };
  }

  test('setInfraMetrics, getInfra: an owner sets it, members read it, and the audit log says what it was and is', async () => {
    const of = await Scene.start(database);
    const { server, project, owner, agent } = of;
    const others = { worker: await server.user('emil'), viewer: await server.user('vera') };
    const beside = await server.project([
      [owner, 'Owner'],
      [others.worker, 'Executor'],
      [others.viewer, 'Viewer'],
    ]);
    const there = await server.agent(beside);
    const set = async (r: object | null, by = owner, p = beside, i = there.infraID) => {
      const { data, errors } = await server.graphql(SET, { p, i, r }, by);
      return errors[0]?.message ?? (data as { setInfraMetrics: unknown }).setInfraMetrics;
    };
    const setting = async (by: typeof owner) => {
      const { getInfra } = await server.data(SETTING, { p: beside, i: there.infraID }, by);
      return (getInfra as { metrics: unknown }).metrics;
    };
    assert.equal(await setting(owner), null);
    for (const by of Object.values(others))
      assert.match(String(await set(REQUEST, by)), /^permission_denied:/);
    assert.deepEqual(await set(REQUEST), KEPT);
    for (const by of [owner, ...Object.values(others)]) assert.deepEqual(await setting(by), KEPT);
    // By the ID of another project's, in the name of one's own.
    assert.equal(await set(null, owner, project, there.infraID), 'no matching infra');
    assert.match(
      String(await set({ ...REQUEST, address: 'http://me:secret@web' })),
      /^address: it holds credentials/,
    );
    const wrong = { ...REQUEST, queries: [{ name: 'x', query: 'up{pod=~"{{pod}}"}' }] };
    assert.match(String(await set(wrong)), /^queries\[0\]\.query: \{\{pod\}\} is no placeholder/);
    assert.deepEqual(await setting(owner), KEPT);
    assert.equal(await set(null), null);
    assert.equal(await setting(owner), null);

    const { entries } = (await server.data(AUDIT, { p: beside }, owner)).listAudit as {
      entries: Record<'operation' | 'objectKind' | 'objectID' | 'before' | 'after', string>[];
    };
    const lines = entries.filter(({ operation }) => operation === 'setInfraMetrics').toReversed();
    assert.deepEqual(
      lines.map((line) => [
        line.objectKind,
        line.objectID,
        ...[line.before, line.after].map((text) => JSON.parse(text).metrics),
      ]),
      [
        ['infra', there.infraID, null, KEPT],
        ['infra', there.infraID, KEPT, null],
      ],
    );
    assert.notEqual(agent.infraID, there.infraID);
  });

  test('getRunMetrics: the agent asks for the time of the run, by what it has hit, and each query has its answer', async () => {
    const of = await scene();
    const { server, project, agent } = of;
    await hit(of, 'shop', 'web-1.a', 'web-2', '"} or vector(1) #');
    await using socket = await answeringAgent(server, project, agent, ['run_metrics']);
    const asked = metricsOf(of);
    const { type, id, data } = await question(socket);
    assert.equal(type, 'run_metrics');
    assert.deepEqual(data, {
      ...{ infraID: agent.infraID, address: ADDRESS, stepMs: 1_000 },
      ...{ fromMs: (BEGIN - 30) * 1_000, toMs: (END + 30) * 1_000 },
      queries: ['errors{namespace=~"(?:shop)"}', 'memory{pod=~"(?:web-1[.]a|web-2)"}'],
    });
    const values = Array.from({ length: 121 }, (_, n) => (n % 2 === 0 ? n : null));
    const answer = {
      queries: [
        { series: [{ labels: { code: '500' }, values }], leftOut: 2 },
        { problem: 'status 400, bad_data: parse error' },
      ],
    };
    await server.data(REPLY, { r: { infraID: agent, requestID: id, reply: JSON.stringify({ answer }) } });
    assert.deepEqual(await asked, {
      ...{ problem: null, startMs: (BEGIN - 30) * 1_000, stepMs: 1_000, isFinal: true },
      metrics: [
        {
          ...{ name: 'errors', unit: '%', problem: null, leftOut: 2 },
          series: [{ labels: [{ name: 'code', value: '500' }], values }],
        },
        { name: 'memory', unit: '', problem: 'status 400, bad_data: parse error', leftOut: 0, series: [] },
      ],
    });
  });

  test('getRunMetrics: what cannot be asked says why, each in its place', async () => {
    const of = await scene();
    const { server, project, agent } = of;
    const why = async () => (await metricsOf(of))?.problem;
    // Nothing was hit that is known: no query can be asked, and the agent is not.
    assert.deepEqual(
      (await metricsOf(of))?.metrics.map(({ name, problem }) => [name, problem]),
      [
        ['errors', 'the run has hit nothing in a namespace, which this query asks for'],
        ['memory', 'the run has hit no pod, which this query asks for'],
      ],
    );
    await hit(of, 'shop', 'web-1');
    // As it is before its first word.
    assert.match((await why()) ?? '', /cannot ask for metrics: a newer one can; update it$/);
    await server.plane.store.transaction(projectScope(project), ({ db }) =>
      db.updateTable('infras').set({ active: 0 }).where('id', '=', agent.infraID).execute(),
    );
    assert.match((await why()) ?? '', /^the agent of .* is not connected$/);
    await using socket = await answeringAgent(server, project, agent, ['run_metrics']);
    const asked = why();
    const { id } = await question(socket);
    const problem = 'no Prometheus is asked from here';
    await server.data(REPLY, { r: { infraID: agent, requestID: id, reply: JSON.stringify({ problem }) } });
    assert.equal(await asked, problem);
  });

  test('getRunMetrics: nothing where no Prometheus is set, and a run that goes on is asked for until now', async () => {
    const of = await Scene.start(database);
    const { server, project, agent } = of;
    await of.save('e1');
    await of.report({ experimentID: 'e1', runID: 'uid', notifyID: await of.run('e1') });
    assert.equal(await metricsOf(of), null);
    const queries = [{ name: 'up', query: 'up' }];
    await of.data(SET, { i: agent.infraID, r: { address: ADDRESS, queries } });
    await using socket = await answeringAgent(server, project, agent, ['run_metrics']);
    const before = Date.now();
    const asked = metricsOf(of);
    const { id, data } = await question(socket);
    assert.ok(data.toMs > before - 2_000 && data.toMs <= Date.now(), `${data.toMs} is not now`);
    await server.data(REPLY, { r: { infraID: agent, requestID: id, reply: '{"answer":{"queries":[]}}' } });
    assert.deepEqual(await asked.then((one) => [one?.isFinal, one?.metrics[0]?.problem]), [
      false,
      "the agent's answer could not be read",
    ]);
    assert.match((await of.refusal(METRICS.replace('"uid"', '"none"'))) ?? '', /no matching experiment run/);
  });
});
