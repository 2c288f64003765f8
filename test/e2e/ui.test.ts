import assert from 'node:assert/strict';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHAOS_ENGINES, type ChaosEngine } from '../../src/api/index.ts';
import { TurnsoleProcess } from '../support/turnsole.ts';
import { detachedCluster } from '../support/up.ts';

const OBJECTS = { query: '{ listClusterObjects { id phase } }' };

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

test('turnsole ui: the link signs one browser in, which sees the chaos of the cluster', async () => {
  await using cluster = await detachedCluster();
  const engine = { metadata: { name: 'nginx-chaos' }, spec: { engineState: 'stop', experiments: [] } };
  await cluster.client.create<ChaosEngine>(CHAOS_ENGINES, engine as never, { namespace: 'default' });
  const data = join(cluster.folder, 'ui');
  const ui = new TurnsoleProcess(['ui', '--no-open', '--kubeconfig', cluster.kubeconfig, '--data', data]);
  try {
    const link = (await ui.line(/\/enter\?key=/)).trim();
    const { origin } = new URL(link);
    const ask = async (headers: Record<string, string>): Promise<Record<string, unknown>> => {
      const body = JSON.stringify(OBJECTS);
      const reply = await fetch(`${origin}/query`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...headers },
      });
      return (await reply.json()) as Record<string, unknown>;
    };

    const entered = await fetch(link, { redirect: 'manual' });
    assert.deepEqual([entered.status, entered.headers.get('location')], [303, '/ui/']);
    const [cookie = ''] = entered.headers.getSetCookie();
    assert.match(cookie, /^turnsole_session=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    assert.equal((await fetch(link, { redirect: 'manual' })).status, 403);

    const session = { cookie: cookie.split(';', 1)[0] ?? '', origin };
    assert.deepEqual(await ask(session), {
      data: { listClusterObjects: [{ id: 'ChaosEngine/default/nginx-chaos', phase: '' }] },
    });
    assert.match(JSON.stringify(await ask({})), /invalid Token/);
    assert.deepEqual(await ask({ ...session, origin: 'http://evil.example' }), { error: 'Invalid origin' });
    assert.equal(await statusFor(`${origin}/status`, 'evil.example'), 421);
    assert.equal(await statusFor(`${origin}/status`, 'localhost'), 200);

    const second = new TurnsoleProcess([
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
  } finally {
    ui.child.kill('SIGINT');
  }
  assert.equal((await ui.ended).code, 0);
});
