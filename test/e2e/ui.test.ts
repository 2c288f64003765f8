import assert from 'node:assert/strict';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { CHAOS_ENGINES, type ChaosEngine } from '../../src/api/index.ts';
import { TurnsoleProcess } from '../support/turnsole.ts';
import { detachedCluster } from '../support/up.ts';

const OBJECTS = '{ listClusterObjects { id phase } }';
const INFRAS = 'query ($p: ID!) { listInfras(projectID: $p) { infras { infraID name } } }';

/** `fetch` does not send a `Host` of the caller's choice. */
function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (reply) => {
      reply.resume();
      resolve(reply.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

test('turnsole ui: GET /enter signs one browser in, which sees the chaos of the cluster, and logs by getPodLog', async () => {
  await using cluster = await detachedCluster();
  const engine = { metadata: { name: 'nginx-chaos' }, spec: { engineState: 'stop', experiments: [] } };
  await cluster.client.create<ChaosEngine>(CHAOS_ENGINES, engine as never, { namespace: 'default' });
  const data = join(cluster.folder, 'ui');
  await using ui = new TurnsoleProcess([
    'ui',
    '--no-open',
    '--kubeconfig',
    cluster.kubeconfig,
    '--data',
    data,
  ]);
  const link = (await ui.line(/\/enter\?key=/)).trim();
  const { origin } = new URL(link);
  const ask = async (
    headers: Record<string, string>,
    query: string = OBJECTS,
    variables: object = {},
  ): Promise<Record<string, unknown>> => {
    const body = JSON.stringify({ query, variables });
    const reply = await fetch(`${origin}/query`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    return (await reply.json()) as Record<string, unknown>;
  };

  const entered = await fetch(link, { redirect: 'manual' });
  assert.deepEqual([entered.status, entered.headers.get('location')], [303, '/ui/cluster']);
  const [cookie = ''] = entered.headers.getSetCookie();
  assert.match(
    cookie,
    /^turnsole_session_[0-9a-f]{12}=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
  );
  assert.equal((await fetch(link, { redirect: 'manual' })).status, 403);

  const session = { cookie: cookie.split(';', 1)[0] ?? '', origin };
  assert.deepEqual(await ask(session), {
    data: { listClusterObjects: [{ id: 'ChaosEngine/default/nginx-chaos', phase: '' }] },
  });
  assert.match(JSON.stringify(await ask({})), /invalid Token/);
  assert.deepEqual(await ask({ ...session, origin: 'http://evil.example' }), { error: 'Invalid origin' });
  assert.equal(await statusFor(`${origin}/status`, 'evil.example'), 421);
  assert.equal(await statusFor(`${origin}/status`, 'localhost'), 200);

  const projects = await fetch(`${origin}/list_projects`, { headers: session });
  const { data: listed } = (await projects.json()) as { data: { projects: { projectID: string }[] } };
  const { data: placed } = (await ask(session, INFRAS, { p: listed.projects[0]?.projectID })) as {
    data: { listInfras: { infras: { infraID: string; name: string }[] } };
  };
  assert.equal(placed.listInfras.infras.length, 1);
  const lines = await podLog(cluster.client, origin, session, placed.listInfras.infras[0]?.infraID ?? '');
  assert.deepEqual(
    lines.map((line) => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z /, '')),
    ['one', 'two'],
  );

  await using second = new TurnsoleProcess([
    'ui',
    '--no-open',
    '--kubeconfig',
    cluster.kubeconfig,
    '--data',
    data,
  ]);
  const refused = await second.ended;
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /another server works on/);
  assert.equal((await ui.stop('SIGINT')).code, 0);
});

/** Lines of a pod that ends, by getPodLog. */
async function podLog(
  client: KubeClient,
  origin: string,
  headers: Readonly<Record<string, string>>,
  infraID: string,
): Promise<string[]> {
  const container = { name: 'main', image: 'busybox', command: ['sh', '-c', 'echo one; echo two'] };
  const pod = { metadata: { name: 'says' }, spec: { containers: [container], restartPolicy: 'Never' } };
  await client.create<Pod>(PODS, pod as never, { namespace: 'default' });
  const ended = (one: Pod | undefined): boolean => one?.status?.phase === 'Succeeded';
  await waitForObject<Pod>(client, PODS, 'says', ended, { namespace: 'default', timeoutMs: PATIENCE_MS });
  class PageSocket extends WebSocket {
    constructor(url: string, protocols: string) {
      super(url, protocols, { headers });
    }
  }
  const url = `${origin.replace('http', 'ws')}/query`;
  const socket = createClient({ url, webSocketImpl: PageSocket, retryAttempts: 0 });
  try {
    const query = 'subscription ($r: PodLogRequest!) { getPodLog(request: $r) { log } }';
    const about = { experimentRunID: 'ChaosEngine/default/nginx-chaos', podType: 'Pod', container: 'main' };
    const pieces = { pieces: true, follow: true, timestamps: true, tailLines: 10 };
    const request = { infraID, podName: 'says', podNamespace: 'default', ...about, ...pieces };
    let text = '';
    const answers = socket.iterate<{ getPodLog: { log: string } }>({ query, variables: { r: request } });
    for await (const { data, errors } of answers) {
      assert.equal(errors, undefined);
      text += JSON.parse(data?.getPodLog.log ?? '{}').mainLogs;
    }
    return text.split('\n').filter((line) => line !== '');
  } finally {
    await socket.dispose();
  }
}
