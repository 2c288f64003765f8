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
  test('listClusterObjects, watchClusterObjects, getClusterRun, watchClusterRun, abortClusterRun, haltCluster, clusterHalts, resumeCluster, GET /export/cluster/:kind/:namespace/:name/:format', async () => {
    const api = await startApi(createApiServer);
    after(() => api[Symbol.asyncDispose]());
    const { client } = api;
    for (const crd of crds as unknown as KubeObject[]) await client.create(CUSTOM_RESOURCE_DEFINITIONS, crd);
    const cluster = new ObservedCluster(client, systemClock, silentLogger);
    after(() => cluster.stop());
    cluster.start();
    const server = await TestServer.start(database, { cluster });
    const user = await server.user('lena', 'admin');
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

    const runs = socket.iterate<{
      watchClusterRun: { removed: boolean; page: string; object: { faults: string[] } };
    }>({
      query: `subscription { watchClusterRun(kind: ChaosEngine, namespace: "default", name: "nginx-chaos") { removed page object { faults } } }`,
    });
    const nextRun = async () => (await runs.next()).value?.data?.watchClusterRun;
    const first = await nextRun();
    assert.deepEqual([first?.object.faults, JSON.parse(first?.page ?? '').steps], [['pod-delete'], []]);

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
      JSON.parse(second?.page ?? '').steps.map(({ message }: { message: string }) => message),
      ['begins'],
    );

    const exported = async (path: string) =>
      await server.app.inject({
        url: `/export/cluster/${path}`,
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
    assert.equal((await exported('Secret/default/nginx-chaos/json')).statusCode, 400);

    const mutate = async (document: string) => await server.data(`mutation { ${document} }`, {}, user);
    assert.deepEqual(
      await mutate('abortClusterRun(kind: ChaosEngine, namespace: "default", name: "nginx-chaos")'),
      { abortClusterRun: true },
    );
    assert.deepEqual(
      await mutate('abortClusterRun(kind: ChaosEngine, namespace: "default", name: "other")'),
      { abortClusterRun: false },
    );
    const engine = await client.get<ChaosEngine>(CHAOS_ENGINES, 'nginx-chaos', { namespace: NAMESPACE });
    assert.equal(engine.spec?.engineState, 'stop');
    assert.deepEqual((await nextChange())?.objects, [{ id, phase: '' }]);

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
    const get =
      '{ getClusterRun(kind: ChaosEngine, namespace: "default", name: "nginx-chaos") { removed manifest } }';
    const { getClusterRun } = await server.data(get, {}, user);
    assert.match((getClusterRun as { manifest: string }).manifest, /^kind: ChaosEngine$/m);

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
    while (last?.removed === false) last = await nextRun();
    assert.equal(last?.removed, true);
  });

  test('only the administrator, who is the person of the machine, has to do with the cluster', async () => {
    const server = await TestServer.start(database);
    const guest = await server.user('gus');
    const operations = GRAPHQL_OPERATIONS.filter(({ name }) => /Cluster|^clusterHalts$/.test(name));
    assert.equal(operations.length, 11);
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
