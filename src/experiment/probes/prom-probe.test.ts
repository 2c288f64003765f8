import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PromProbeInputs } from '../../api/schema/probe.ts';
import type { Measurement } from './outcome.ts';
import { createPromProbe } from './prom-probe.ts';
import { singleValue } from './prom-response.ts';
import { measureContext, promProbe } from './testing/builders.ts';
import { bodyOf, type HttpPeer, REFUSING_URL, startPeer } from './testing/http-peer.ts';

const vector = (...values: string[]): object => ({
  status: 'success',
  data: {
    resultType: 'vector',
    result: values.map((value) => ({ metric: { a: 'x,y' }, value: [1, value] })),
  },
});

/** A server that answers instant queries as Prometheus does: the query itself says which values. */
function prometheus(): Promise<HttpPeer> {
  return startPeer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    const form = request.method === 'POST' ? new URLSearchParams(await bodyOf(request)) : url.searchParams;
    const query = form.get('query') ?? '';
    response.setHeader('content-type', 'application/json');
    if (url.pathname !== '/base/api/v1/query') {
      response.writeHead(404).end('404 page not found');
    } else if (query.startsWith('bad')) {
      response
        .writeHead(400)
        .end(JSON.stringify({ status: 'error', errorType: 'bad_data', error: 'parse error' }));
    } else {
      response.end(
        JSON.stringify(
          vector(...(query.split(' # ')[0] ?? '').split(' or ').filter((value) => value !== 'none')),
        ),
      );
    }
  });
}

function ask(endpoint: string, inputs: Partial<PromProbeInputs>): Promise<Measurement> {
  return createPromProbe().measure(promProbe(endpoint, inputs), measureContext());
}

test('the one value of a query is compared', async () => {
  await using peer = await prometheus();
  const endpoint = `${peer.url}/base/`;
  assert.deepEqual(await ask(endpoint, { query: '2.5' }), {
    outcome: 'passed',
    description: 'Obtained the specified prometheus metrics. Actual value: 2.5. Expected value: 1',
    measured: { what: 'value', value: 2.5 },
  });
  assert.deepEqual(await ask(endpoint, { query: '0.5' }), {
    outcome: 'failure',
    code: 'PROM_PROBE_FAILURE',
    reason: 'Actual value: 0.5. Expected value: greater than or equal to 1',
    failure: 'other value',
    measured: { what: 'value', value: 0.5 },
  });
  assert.equal((await ask(endpoint, { query: '+Inf' })).outcome, 'passed');
  const { outcome, measured } = await ask(endpoint, { query: 'NaN' });
  assert.deepEqual([outcome, measured], ['failure', undefined]);
});

test('no row, several rows and errors of Prometheus are errors', async () => {
  await using peer = await prometheus();
  const endpoint = `${peer.url}/base`;
  const table: readonly [string, string, RegExp][] = [
    [endpoint, 'none', /^query 'none': gives no row where exactly one is needed/],
    [endpoint, '1 or 2', /gives 2 rows where exactly one is needed/],
    [endpoint, 'bad{', /status 400, bad_data: parse error/],
    [peer.url, '1', /status 404, no answer of Prometheus: 404 page not found/],
    [REFUSING_URL, '1', /ECONNREFUSED/],
    ['prometheus:9090', '1', /unsupported protocol/],
  ];
  for (const [target, query, expected] of table) {
    const measurement = await createPromProbe()
      .measure(promProbe(target, { query }), measureContext())
      .catch((error: unknown) => ({ outcome: 'error', reason: String(error) }) as const);
    assert.equal(measurement.outcome, 'error', query);
    assert.match(measurement.outcome === 'error' ? measurement.reason : '', expected);
  }
});

test('quotes, dollars and long queries arrive as written, and a query may stand in a file', async () => {
  await using peer = await prometheus();
  const endpoint = `${peer.url}/base`;
  assert.equal((await ask(endpoint, { query: '1 # "$HOME" `id` & {{ .x }}' })).outcome, 'passed');
  assert.match(
    peer.requests.at(-1) ?? '',
    /^GET .*query=1\+%23\+%22%24HOME%22\+%60id%60\+%26\+%7B%7B\+\.x\+%7D%7D$/,
  );
  assert.equal((await ask(endpoint, { query: `1 # ${'x'.repeat(5000)}` })).outcome, 'passed');
  assert.equal(peer.requests.at(-1), 'POST /base/api/v1/query');
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-prom-'));
  try {
    await writeFile(join(folder, 'query'), '3\n');
    assert.equal((await ask(endpoint, { query: '', queryPath: join(folder, 'query') })).outcome, 'passed');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('answers of Prometheus', () => {
  const table: readonly [object | string, string][] = [
    [vector('7'), '7'],
    [{ status: 'success', data: { resultType: 'scalar', result: [1, '4'] } }, '4'],
    [
      { status: 'success', data: { resultType: 'matrix', result: [] } },
      'error: gives a matrix; write a query that gives one instant value, such as sum(…)',
    ],
    [
      { status: 'success', data: { resultType: 'vector', result: [{}] } },
      'error: gives a row without a value',
    ],
    [
      { status: 'success' },
      'error: gives a undefined; write a query that gives one instant value, such as sum(…)',
    ],
    ['[1]', 'error: status 200, no answer of Prometheus: [1]'],
  ];
  for (const [answer, expected] of table) {
    const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
    let found: string;
    try {
      found = singleValue({ status: 200, body });
    } catch (error) {
      found = `error: ${error instanceof Error ? error.message : String(error)}`;
    }
    assert.equal(found, expected);
  }
});

test('a warning of Prometheus is told', async () => {
  await using peer = await startPeer((_, response) => {
    const data = { resultType: 'vector', result: [{ metric: {}, value: [0, '7'] }] };
    response.end(JSON.stringify({ status: 'success', data, warnings: ['store "a" did not answer'] }));
  });
  const probe = promProbe(peer.url, {});
  const found = await createPromProbe().measure(probe, measureContext());
  assert.equal(
    found.outcome === 'passed' && found.description,
    'Obtained the specified prometheus metrics. Actual value: 7. Expected value: 1; Prometheus warns: store "a" did not answer',
  );
});
