import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { RequestMetrics } from './request-metrics.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

async function linesOf(server: TestServer): Promise<readonly string[]> {
  const page = await server.call('GET', '/metrics');
  assert.equal(page.status, 200);
  return String(page.body.text).split('\n');
}

/** The value of a line whose labels are these, in any order. */
function valueOf(
  lines: readonly string[],
  name: string,
  labels: Readonly<Record<string, string>>,
): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const found = lines.find(
    (line) => line.startsWith(`${name}{`) && wanted.every((text) => line.includes(text)),
  );
  return found === undefined ? undefined : Number(found.split(' ').at(-1));
}

describe('/metrics', () => {
  it('counts requests by verb, resource, scope and code, with how long they took and what was read', async (t) => {
    const server = await startTestServer(t);
    const body = { metadata: { name: 'a' }, data: { k: 'x'.repeat(2_000) } };
    await server.call('POST', MAPS, { body });
    await server.call('POST', MAPS, { body });
    await server.call('POST', `${MAPS}?dryRun=All`, { body: { metadata: { name: 'b' } } });
    await server.call('GET', `${MAPS}/a`);
    await server.call('GET', MAPS);
    await server.call('GET', `${MAPS}/nothing`);
    await server.call('GET', '/apis/made.up/v1/things');
    const lines = await linesOf(server);
    const maps = {
      resource: 'configmaps',
      group: '',
      version: 'v1',
      subresource: '',
      component: 'apiserver',
    };
    for (const [labels, count] of [
      [{ verb: 'POST', code: '201', dry_run: '', scope: 'resource' }, 1],
      [{ verb: 'POST', code: '409', dry_run: '', scope: 'resource' }, 1],
      [{ verb: 'POST', code: '201', dry_run: 'All', scope: 'resource' }, 1],
      [{ verb: 'GET', code: '200', dry_run: '', scope: 'resource' }, 1],
      [{ verb: 'GET', code: '404', dry_run: '', scope: 'resource' }, 1],
      [{ verb: 'LIST', code: '200', dry_run: '', scope: 'namespace' }, 1],
    ] as const)
      assert.equal(
        valueOf(lines, 'apiserver_request_total', { ...maps, ...labels }),
        count,
        JSON.stringify(labels),
      );
    assert.equal(
      valueOf(lines, 'apiserver_request_duration_seconds_count', { ...maps, verb: 'POST', dry_run: '' }),
      2,
    );
    assert.equal(valueOf(lines, 'apiserver_response_sizes_bucket', { ...maps, verb: 'LIST', le: '1000' }), 0);
    assert.equal(
      valueOf(lines, 'apiserver_response_sizes_bucket', { ...maps, verb: 'LIST', le: '10000' }),
      1,
    );
    assert.ok(!lines.some((line) => line.includes('things') || line.includes('made.up')));
    assert.equal(
      valueOf(lines, 'apiserver_resource_objects', { group: '', resource: 'configmaps' }),
      server.api.store.count('configmaps'),
    );
  });

  it('is for those who may read it', async (t) => {
    const server = await startTestServer(t);
    assert.equal((await server.call('GET', '/metrics', { token: '' })).status, 401);
  });
});

describe('what is counted', () => {
  it('has durations in buckets, by a clock that is given', async () => {
    const clock = new FakeClock();
    const metrics = new RequestMetrics(() => clock.monotonic());
    const answered = metrics.begin('GET');
    await clock.advance(300);
    answered({ code: 200, bytes: 0 }, undefined);
    const lines = (await metrics.page([])).split('\n');
    const bucket = (le: string): number | undefined =>
      valueOf(lines, 'apiserver_request_duration_seconds_bucket', { verb: 'GET', le });
    assert.deepEqual([bucket('0.2'), bucket('0.4'), bucket('+Inf')], [0, 1, 1]);
    assert.equal(valueOf(lines, 'apiserver_request_duration_seconds_sum', { verb: 'GET' }), 0.3);
  });

  it('has streams while they run, and counts them when they are over', async () => {
    const metrics = new RequestMetrics(() => 0);
    const info = {
      ...{ path: '/api/v1/pods', isResource: true, verb: 'watch', group: '', version: 'v1', namespace: '' },
      ...{ plural: 'pods', name: '', subresource: '', rest: [] },
    };
    const subject = { info, isApply: false, isDryRun: false };
    const values = async (): Promise<unknown> => {
      const lines = (await metrics.page([])).split('\n');
      const labels = { verb: 'WATCH', resource: 'pods', scope: 'cluster' };
      return [
        valueOf(lines, 'apiserver_current_inflight_requests', { request_kind: 'readOnly' }),
        valueOf(lines, 'apiserver_longrunning_requests', labels),
        valueOf(lines, 'apiserver_request_total', labels),
      ];
    };
    let end = (): void => {};
    const answered = metrics.begin('GET');
    assert.deepEqual(await values(), [1, undefined, undefined]);
    answered({ code: 200, bytes: 0 }, subject, (listener) => {
      end = listener;
    });
    assert.deepEqual(await values(), [0, 1, undefined]);
    end();
    assert.deepEqual(await values(), [0, 0, 1]);
  });

  it('is bounded, however many names there are', async () => {
    const metrics = new RequestMetrics(() => 0);
    for (let at = 0; at < 6_000; at += 1) metrics.asked(`host-${at}`, '200');
    const lines = (await metrics.page([]))
      .split('\n')
      .filter((line) => line.startsWith('rest_client_requests_total{'));
    assert.equal(lines.length, 5_001);
    assert.equal(valueOf(lines, 'rest_client_requests_total', { host: '' }), 1_000);
  });
});
