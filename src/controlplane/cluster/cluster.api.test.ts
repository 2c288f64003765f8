import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import { silentLogger } from '@turnsole/kube/base/log';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import crds from '../../api/generated/crds.json' with { type: 'json' };
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosEngine, type ChaosResult } from '../../api/index.ts';
import { GRAPHQL_OPERATIONS } from '../access/operations.ts';
import { controlPlaneSchema } from '../schema/load.ts';
import { anyDocument } from '../server/testing/any-document.ts';
import { TestServer } from '../server/testing/test-server.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { ObservedCluster } from './observed-cluster.ts';

const NAMESPACE = 'default';
const ENGINE = {
  metadata: { name: 'nginx-chaos' },
  spec: { engineState: 'active', chaosServiceAccount: 'litmus', experiments: [{ name: 'pod-delete' }] },
};

describeOnDatabases('the cluster that a server looks at itself', (database) => {
  test('listClusterObjects, watchClusterObjects, haltCluster, clusterHalts, clusterTerminal, resumeCluster; runs that nobody has registered by getExperimentRun, watchRun, getRunPods, getRunPodLog, stopExperimentRuns, GET /export/run/:project_id/:run_id/:format', async () => {
    const api = await startApi(createApiServer);
    after(() => api[Symbol.asyncDispose]());
    const { client } = api;
    for (const crd of crds as unknown as KubeObject[]) await client.create(CUSTOM_RESOURCE_DEFINITIONS, crd);
    const cluster = new ObservedCluster(client, 'cluster', systemClock, silentLogger);
    after(() => cluster.stop());
    cluster.start();
    const server = await TestServer.start(database, { cluster });
    const user = await server.user('lena', 'admin');
    const other = await server.user('gus');
    const project = await server.project([
      [user, 'Owner'],
      [other, 'Owner'],
    ]);
    const { infraID } = await server.agent(project);
    const socket = createClient({
      url: `${(await server.listen()).replace('http', 'ws')}/query`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${user.token}` },
    });
    after(() => socket.dispose());
    const newest = socket.iterate<{
      watchClusterObjects: {
        objects: { id: string }[];
        removed: string[];
        total: number;
        namespaces: string[];
      };
    }>({
      query: 'subscription { watchClusterObjects(newest: 1) { objects { id } removed total namespaces } }',
    });
    const nextNewest = async () => (await newest.next()).value?.data?.watchClusterObjects;
    assert.deepEqual(await nextNewest(), { objects: [], removed: [], total: 0, namespaces: [] });
    const none = await socket
      .iterate({ query: 'subscription { watchClusterObjects(newest: 0) { total } }' })
      .next();
    assert.match(String(none.value?.errors?.[0]?.message), /newest must be 1 or more/);
    const objects = socket.iterate<{
      watchClusterObjects: { complete: boolean; objects: { id: string; phase: string }[]; removed: string[] };
    }>({
      query:
        'subscription { watchClusterObjects(kinds: [ChaosEngine]) { complete objects { id phase } removed } }',
    });
    const nextChange = async () => (await objects.next()).value?.data?.watchClusterObjects;
    assert.deepEqual(await nextChange(), { complete: true, objects: [], removed: [] });

    await client.create<ChaosEngine>(CHAOS_ENGINES, ENGINE as never, { namespace: NAMESPACE });
    const id = 'ChaosEngine/default/nginx-chaos';
    assert.deepEqual(await nextChange(), { complete: false, objects: [{ id, phase: '' }], removed: [] });
    const namespaces = [NAMESPACE];
    assert.deepEqual(await nextNewest(), { objects: [{ id }], removed: [], total: 1, namespaces });

    const variables = { p: project, r: id };
    const runs = socket.iterate<{
      watchRun: { isRemoved: boolean; timeline: string; experimentName: string };
    }>({
      query: `subscription ($p: ID!, $r: ID!) { watchRun(projectID: $p, experimentRunID: $r) { isRemoved timeline experimentName } }`,
      variables,
    });
    const nextRun = async () => (await runs.next()).value?.data?.watchRun;
    const first = await nextRun();
    assert.deepEqual([first?.experimentName, JSON.parse(first?.timeline ?? '').steps], ['nginx-chaos', []]);

    const time = '2030-01-01T00:00:00.000Z';
    const timeline = [{ time, actor: 'experiment/pod-delete', step: 'ChaosStarted', message: 'begins' }];
    const result = {
      metadata: { name: 'nginx-chaos-pod-delete' },
      spec: { engine: 'nginx-chaos', experiment: 'pod-delete' },
      status: { experimentStatus: { phase: 'Running', verdict: 'Awaited' }, timeline },
    };
    await client.create<ChaosResult>(CHAOS_RESULTS, result as never, { namespace: NAMESPACE });
    const second = await nextRun();
    assert.deepEqual(
      JSON.parse(second?.timeline ?? '').steps.map(({ message }: { message: string }) => message),
      ['begins'],
    );

    const exported = async (path: string) =>
      await server.app.inject({
        url: `/export/run/${project}/${path.replaceAll('/', (slash, at: number) => (at === path.lastIndexOf('/') ? slash : '%2F'))}`,
        headers: { authorization: `Bearer ${user.token}` },
      });
    const html = await exported('ChaosEngine/default/nginx-chaos/html');
    assert.match(String(html.headers['content-disposition']), /"nginx-chaos\.html"$/);
    assert.match(html.body, /"lanes":\[\{"group":"Experiments","name":"pod-delete"/);
    const { engines } = JSON.parse((await exported('ChaosEngine/default/nginx-chaos/json')).body);
    assert.deepEqual(
      [engines[0].name, engines[0].experiments[0].name, engines[0].timeline.length],
      ['nginx-chaos', 'pod-delete', 1],
    );
    const gone = await exported('ChaosResult/default/nginx-chaos-pod-delete/junit');
    assert.match(gone.body, /<testcase name="pod-delete" classname="default.nginx-chaos"/);
    assert.equal((await exported('ChaosEngine/default/other/html')).statusCode, 404);
    assert.equal((await exported('Workflow/default/other/html')).statusCode, 404);
    assert.equal((await exported('Secret/default/nginx-chaos/json')).statusCode, 404);

    const mutate = async (document: string) => await server.data(`mutation { ${document} }`, {}, user);
    const STOP = `mutation ($p: ID!, $r: String!) {
      stopExperimentRuns(projectID: $p, experimentID: $r, experimentRunID: $r)
    }`;
    const refused = await server.graphql(STOP, variables, other);
    assert.match(refused.errors[0]?.message ?? '', /only administrators may see the watched cluster/);
    assert.deepEqual(await server.data(STOP, variables, user), { stopExperimentRuns: true });
    const missing = { p: project, r: 'ChaosEngine/default/other' };
    assert.deepEqual(await server.data(STOP, missing, user), { stopExperimentRuns: false });
    const stops = await server.plane.store.read
      .selectFrom('audit')
      .select('object_id')
      .where('operation', '=', 'stopExperimentRuns')
      .execute();
    assert.deepEqual(
      stops.map(({ object_id }) => object_id),
      [id, missing.r],
    );
    const engine = await client.get<ChaosEngine>(CHAOS_ENGINES, 'nginx-chaos', { namespace: NAMESPACE });
    assert.equal(engine.spec?.engineState, 'stop');
    assert.deepEqual((await nextChange())?.objects, [{ id, phase: '' }]);

    const terminal = await server.data('{ clusterTerminal { turnsole cluster } }', {}, user);
    assert.deepEqual(terminal, { clusterTerminal: { turnsole: 'turnsole', cluster: '--kubeconfig /kc' } });
    const list = '{ listClusterObjects(namespace: "default") { id verdict parent } clusterHalts { reason } }';
    const { listClusterObjects, clusterHalts } = await server.data(list, {}, user);
    assert.deepEqual(clusterHalts, []);
    // Made in the same second or not, the one or the other is newer.
    const byId = (listClusterObjects as { id: string }[]).toSorted((one, other) =>
      one.id.localeCompare(other.id),
    );
    assert.deepEqual(byId, [
      { id, verdict: null, parent: null },
      { id: 'ChaosResult/default/nginx-chaos-pod-delete', verdict: 'Awaited', parent: id },
    ]);
    const GET = `query ($p: ID!, $r: ID!) { getExperimentRun(projectID: $p, experimentRunID: $r) {
      experimentManifest phase infra { infraID } outcome { state } details keptLogs weightages { faultName }
    } }`;
    const { getExperimentRun } = await server.data(GET, variables, user);
    const { experimentManifest, details, ...shown } = getExperimentRun as Readonly<Record<string, string>>;
    assert.equal(JSON.parse(experimentManifest ?? '').spec.engineState, 'stop');
    assert.equal(JSON.parse(details ?? '').length, 1);
    assert.deepEqual(shown, {
      ...{
        phase: 'Stopped',
        infra: { infraID },
        outcome: { state: 'stopped' },
        keptLogs: 0,
        weightages: [],
      },
    });
    assert.match(
      (await server.graphql(GET, missing, user)).errors[0]?.message ?? '',
      /there is no ChaosEngine default\/other/,
    );
    const ofRun = async (query: string) =>
      (await socket.iterate<Record<string, unknown>>({ query, variables }).next()).value?.data;
    const PODS = `subscription ($p: ID!, $r: ID!) { getRunPods(projectID: $p, experimentRunID: $r) { pods { name } problem } }`;
    assert.deepEqual(await ofRun(PODS), { getRunPods: { pods: [], problem: null } });
    const LOG = `query ($p: ID!, $r: ID!) { getRunPodLog(projectID: $p, experimentRunID: $r, namespace: "default", pod: "x") { text } }`;
    assert.deepEqual(await server.data(LOG, variables, user), { getRunPodLog: null });

    await mutate('haltCluster(namespace: "default", reason: "lunch") { reason }');
    assert.deepEqual((await server.data('{ clusterHalts { namespace reason } }', {}, user)).clusterHalts, [
      { namespace: 'default', reason: 'lunch' },
    ]);
    assert.deepEqual(await mutate('resumeCluster(namespace: "default")'), { resumeCluster: true });
    assert.deepEqual(await mutate('resumeCluster(namespace: "default")'), { resumeCluster: false });

    await client.delete(CHAOS_ENGINES, 'nginx-chaos', { namespace: NAMESPACE });
    // The state of an engine follows its results, so that a result is a change of its engine.
    let change = await nextChange();
    while (change?.removed.length === 0) change = await nextChange();
    assert.deepEqual(change, { complete: false, objects: [], removed: [id] });
    let last = await nextRun();
    while (last?.isRemoved === false) last = await nextRun();
    assert.equal(last?.isRemoved, true);
  });

  test('only the administrator, who is the person of the machine, has to do with the cluster', async () => {
    const server = await TestServer.start(database);
    const guest = await server.user('gus');
    const operations = GRAPHQL_OPERATIONS.filter(({ name }) => /Cluster|^cluster/.test(name));
    assert.equal(operations.length, 6);
    for (const { name } of operations) {
      const { document, variables } = anyDocument(controlPlaneSchema(), name, { kind: 'ChaosEngine' });
      const { errors } = await server.graphql(document, variables, guest);
      assert.match(errors[0]?.message ?? '', /^permission_denied: only administrators/, name);
    }
  });

  test('a server that looks at none says so', async () => {
    const server = await TestServer.start(database);
    const { errors } = await server.graphql(
      '{ listClusterObjects { id } }',
      {},
      await server.user('lena', 'admin'),
    );
    assert.match(errors[0]?.message ?? '', /^this server looks at no cluster of its own/);
  });
});
