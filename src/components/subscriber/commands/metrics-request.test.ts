import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { bodyOf, startPeer } from '../../../experiment/probes/testing/http-peer.ts';
import { metricsRequest } from './metrics-request.ts';

const SPAN = { fromMs: 1_000_000, toMs: 1_004_000, stepMs: 1_000 };

/** What an agent answers, or why it does not. */
async function answerTo(data: object, allowed = ['promProbe'], limitMs?: number): Promise<unknown> {
  const { signal } = new AbortController();
  const request = metricsRequest({
    clock: systemClock,
    allowed: new Set(allowed),
    ...(limitMs !== undefined && { limitMs }),
  });
  try {
    return await request({ ...SPAN, queries: ['up'], ...data }, signal);
  } catch (error) {
    return String(error);
  }
}

/** The problem of the one query of an answer. */
async function problemOf(data: object, limitMs?: number): Promise<string> {
  const { queries } = (await answerTo(data, ['*'], limitMs)) as { queries: { problem?: string }[] };
  return queries[0]?.problem ?? 'none';
}

function matrix(series: readonly { readonly metric: object; readonly values: readonly unknown[] }[]): string {
  return JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: series } });
}

test('samples stand on their steps; an infinite number is a gap; the answer has eight series, and the number of further ones', async () => {
  const asked: Record<string, string>[] = [];
  await using peer = await startPeer(async (request, response) => {
    asked.push(Object.fromEntries(new URLSearchParams(await bodyOf(request))));
    const values = [
      [1000, '1'],
      [1001.0004, '2.5'],
      [1002, 'NaN'],
      [1003, '+Inf'],
      [1005, '9'],
    ];
    const labels = Array.from({ length: 11 }, (_, n) => ({ metric: { code: `${n}` }, values }));
    response.end(matrix(labels));
  });
  const answer = (await answerTo({ address: `${peer.url}/prom/` })) as {
    queries: { series: { labels: object; values: unknown[] }[]; leftOut: number }[];
  };
  const [query] = answer.queries;
  assert.deepEqual(query?.series[7], { labels: { code: '7' }, values: [1, 2.5, null, null, null] });
  assert.deepEqual([query?.series.length, query?.leftOut], [8, 3]);
  assert.deepEqual(asked, [{ query: 'up', start: '1000', end: '1004', step: '1' }]);
  assert.deepEqual(peer.requests, ['POST /prom/api/v1/query_range']);
});

test('nothing of what this agent knows is sent', async () => {
  let headers: object = {};
  await using peer = await startPeer((request, response) => {
    ({ headers } = request);
    response.end(matrix([]));
  });
  assert.deepEqual(await answerTo({ address: peer.url }), { queries: [{ series: [], leftOut: 0 }] });
  assert.deepEqual(Object.keys(headers).toSorted(), [
    ...['connection', 'content-length', 'content-type', 'host', 'user-agent'],
  ]);
});

test('each query has a problem of its own', async () => {
  await using peer = await startPeer(async (request, response) => {
    const query = new URLSearchParams(await bodyOf(request)).get('query');
    if (query === 'good') return response.end(matrix([{ metric: {}, values: [[1000, '1']] }]));
    response.statusCode = 400;
    return response.end(JSON.stringify({ status: 'error', errorType: 'bad_data', error: 'parse error' }));
  });
  assert.deepEqual(await answerTo({ address: peer.url, queries: ['good', 'bad('] }), {
    queries: [
      { series: [{ labels: {}, values: [1, null, null, null, null] }], leftOut: 0 },
      { problem: 'status 400, bad_data: parse error' },
    ],
  });
});

test('a redirect is not followed, an address of the machine not asked, and a long or late answer not waited for', async () => {
  await using elsewhere = await startPeer((_, response) => response.end(matrix([])));
  await using peer = await startPeer((request, response) => {
    const path = request.url ?? '';
    if (path.startsWith('/elsewhere')) response.writeHead(307, { location: elsewhere.url }).end();
    else if (path.startsWith('/large')) response.end(`${matrix([])}${' '.repeat(2 * 1024 * 1024)}`);
    else if (path.startsWith('/page')) response.end('<html>a proxy</html>');
    else if (path.startsWith('/instant'))
      response.end(JSON.stringify({ status: 'success', data: { resultType: 'scalar', result: [1, '1'] } }));
    // Every other question is never answered.
  });
  assert.match(
    await problemOf({ address: `${peer.url}/elsewhere` }),
    /redirects to http:\/\/127.0.0.1:\d+, where it is not followed$/,
  );
  assert.deepEqual(elsewhere.requests, []);
  assert.match(await problemOf({ address: 'http://169.254.169.254' }), /is an address of the machine/);
  assert.match(await problemOf({ address: `${peer.url}/large` }), /longer than 2097152 bytes$/);
  assert.equal(
    await problemOf({ address: `${peer.url}/page` }),
    'status 200, no answer of Prometheus: <html>a proxy</html>',
  );
  assert.equal(await problemOf({ address: `${peer.url}/instant` }), 'gives a scalar where series are needed');
  assert.match(await problemOf({ address: 'http://127.0.0.1:1' }), /ECONNREFUSED/);
  assert.equal(await problemOf({ address: peer.url }, 50), 'there was no answer in 0.05 s');
});

test('what no server asks is not carried out', async () => {
  const none = 'http://127.0.0.1:1';
  const rows: readonly [string, object, RegExp, string[]?][] = [
    [
      'not allowed',
      { address: none },
      /ALLOWED_PROBES of the agent names httpProbe, and not prom/,
      ['httpProbe'],
    ],
    ['no address', {}, /the address of the Prometheus is not one/],
    ['a file', { address: 'file:///etc/passwd' }, /the address of the Prometheus is not one/],
    ['credentials', { address: 'http://a:b@web' }, /holds credentials/],
    ['too many steps', { address: none, stepMs: 1 }, /no span of at most 500 steps/],
    ['no step', { address: none, stepMs: 0 }, /no span of/],
    ['backwards', { address: none, toMs: 0 }, /no span of/],
    ['no times', { address: none, fromMs: 'x' }, /no span of/],
    ['too many queries', { address: none, queries: ['a', 'b', 'c', 'd', 'e'] }, /at most 4 queries/],
    ['no texts', { address: none, queries: [1] }, /at most 4 queries/],
    ['too long', { address: none, queries: ['x'.repeat(300_000)] }, /too long/],
  ];
  for (const [name, data, expected, allowed] of rows) {
    assert.match(String(await answerTo(data, allowed)), expected, name);
  }
});
