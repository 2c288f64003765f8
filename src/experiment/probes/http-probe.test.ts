import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeServerTls } from '@turnsole/cluster/apiserver/tls/authority';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { HttpProbeInputs } from '../../api/schema/probe.ts';
import { createHttpProbe } from './http-probe.ts';
import type { Measurement } from './outcome.ts';
import type { MeasureContext } from './probe-kind.ts';
import { httpProbe, measureContext } from './testing/builders.ts';
import { bodyOf, listening, REFUSING_URL, startPeer } from './testing/http-peer.ts';

type Method = HttpProbeInputs['method'];

function ask(url: string, method?: Method, context: Partial<MeasureContext> = {}): Promise<Measurement> {
  const probe = { ...httpProbe(url), 'httpProbe/inputs': inputsOf(url, method) };
  return createHttpProbe().measure(probe, measureContext(context));
}

function inputsOf(url: string, method?: Method): HttpProbeInputs {
  return { url, method: method ?? { get: { criteria: '==', responseCode: '200' } } };
}

function codeOf(measurement: Measurement): string {
  return measurement.outcome === 'passed' ? 'passed' : measurement.code;
}

function reasonOf(measurement: Measurement): string {
  return measurement.outcome === 'passed' ? measurement.description : measurement.reason;
}

/** What was measured of an answer on a clock that stands still. */
const AT_ONCE = { what: 'response time', value: 0, unit: 'ms' };

test('a GET is judged by its status', async () => {
  const clock = new FakeClock();
  await using peer = await startPeer((request, response) => {
    response.statusCode = Number(request.url?.slice(1));
    response.end('body');
  });
  const get = (criteria: string, responseCode: string): Method => ({ get: { criteria, responseCode } });
  const passed = await ask(`${peer.url}/200`, get('==', '200'), { clock });
  assert.deepEqual(passed, {
    outcome: 'passed',
    description: `The URL ${peer.url}/200 did respond with correct status code. Actual code: '200'. Expected code: '200'`,
    measured: AT_ONCE,
  });
  assert.deepEqual(await ask(`${peer.url}/503`, get('==', '200'), { clock }), {
    outcome: 'failure',
    code: 'HTTP_PROBE_FAILURE',
    reason: `GET ${peer.url}/503 answered 503 (Service Unavailable) instead of 200: body. Actual value: 503. Expected value: should be equal to 200`,
    failure: 'status 503',
    measured: AT_ONCE,
  });
  assert.equal((await ask(`${peer.url}/404`, get('oneOf', '200, 404'))).outcome, 'passed');
  assert.equal((await ask(`${peer.url}/302`, get('between', '300,399'))).outcome, 'passed', 'no location');
});

test('a POST sends its body, GET wins over POST', async () => {
  const seen: string[] = [];
  await using peer = await startPeer(async (request, response) => {
    seen.push(`${request.method} ${request.headers['content-type']} ${await bodyOf(request)}`);
    response.statusCode = 201;
    response.end();
  });
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-probe-'));
  try {
    await writeFile(join(folder, 'body.json'), '{"from":"file"}');
    const post = { criteria: '==', responseCode: '201', contentType: 'application/json' };
    const both = { get: { criteria: '==', responseCode: '201' }, post: { ...post, body: 'x' } };
    const bodyPath = '/body.json';
    const inPod = { env: { TURNSOLE_POD_ROOT: folder } };
    const outcomes = [
      await ask(peer.url, { post: { ...post, body: '{"ä":1}', bodyPath: '/nowhere' } }),
      await ask(peer.url, { post: { ...post, bodyPath: join(folder, 'body.json') } }),
      await ask(peer.url, { post: { ...post, bodyPath } }, inPod),
      await ask(peer.url, both),
    ];
    assert.deepEqual(outcomes.map(codeOf), ['passed', 'passed', 'passed', 'passed']);
    assert.deepEqual(seen, [
      'POST application/json {"ä":1}',
      'POST application/json {"from":"file"}',
      'POST application/json {"from":"file"}',
      'GET undefined ',
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('how long an answer takes is measured, and nothing where there is none', async () => {
  const clock = new FakeClock();
  await using peer = await startPeer(async (_, response) => {
    await clock.advance(340);
    response.end();
  });
  const { measured } = await ask(peer.url, undefined, { clock });
  assert.deepEqual(measured, { what: 'response time', value: 340, unit: 'ms' });
  const refused = await ask(REFUSING_URL);
  assert.deepEqual([refused.outcome, refused.measured], ['failure', undefined]);
});

test('the body is judged in place of the status when it is asked for', async () => {
  const clock = new FakeClock();
  await using peer = await startPeer((request, response) => {
    response.statusCode = 503;
    if (request.url === '/long') response.end('x'.repeat(1024 * 1024 + 1));
    else response.end('{"status": "degraded"}\n');
  });
  const get = (criteria: string, responseBody: string): Method => ({ get: { criteria, responseBody } });
  assert.deepEqual(await ask(peer.url, get('contains', '"degraded"'), { clock }), {
    outcome: 'passed',
    description: `The URL ${peer.url} did respond with correct body. Actual body: '{"status": "degraded"}'. Expected body: '"degraded"'`,
    measured: AT_ONCE,
  });
  assert.equal((await ask(peer.url, get('equal', '{"status": "degraded"}'))).outcome, 'passed');
  const post = { body: 'x', criteria: 'matches', responseBody: '^\\{"status": "(ok|up)"\\}$' };
  assert.deepEqual(await ask(peer.url, { post }, { clock }), {
    outcome: 'failure',
    code: 'HTTP_PROBE_FAILURE',
    failure: 'other body',
    reason: `POST ${peer.url}/ answered 503 (Service Unavailable). Actual value: {"status": "degraded"}. Expected value: should match regex ${post.responseBody}`,
    measured: AT_ONCE,
  });
  const long = await ask(`${peer.url}/long`, get('contains', 'x'));
  assert.equal(codeOf(long), 'HTTP_PROBE_FAILURE');
  assert.match(reasonOf(long), /the answer is longer than 1048576 bytes/);
});

test('up to ten redirects are followed as Go does', async () => {
  await using peer = await startPeer((request, response) => {
    const [, status = '', hops = ''] = (request.url ?? '').split('/');
    const left = Number(hops);
    response.statusCode = left === 0 ? 200 : Number(status);
    if (left > 0) response.setHeader('location', `/${status}/${left - 1}`);
    response.end();
  });
  const post: Method = { post: { body: 'x', criteria: '==', responseCode: '200' } };
  assert.equal((await ask(`${peer.url}/301/10`)).outcome, 'passed');
  assert.equal(peer.requests.length, 11);

  const tooMany = await ask(`${peer.url}/302/11`);
  assert.equal(codeOf(tooMany), 'HTTP_PROBE_ERROR');
  assert.match(reasonOf(tooMany), /^GET http:.*\/302\/11: stopped after 10 redirects$/);

  for (const [status, method] of [
    ['302', 'GET'],
    ['303', 'GET'],
    ['307', 'POST'],
    ['308', 'POST'],
  ]) {
    assert.equal((await ask(`${peer.url}/${status}/1`, post)).outcome, 'passed');
    assert.deepEqual(peer.requests.slice(-2), [`POST /${status}/1`, `${method} /${status}/0`]);
  }
});

test('a redirect to something else than HTTP is an error', async () => {
  await using peer = await startPeer((_, response) =>
    response.writeHead(302, { location: 'ftp://x/' }).end(),
  );
  const measurement = await ask(peer.url);
  assert.equal(codeOf(measurement), 'HTTP_PROBE_ERROR');
  assert.match(reasonOf(measurement), /unsupported protocol ftp:/);
});

test('what cannot work is an error, what the network does is a failure', async () => {
  await using resetting = await startPeer((request) => request.socket.destroy());
  await using garbled = await startPeer((request) => request.socket.end('no http at all\r\n\r\n'));
  const table: readonly [string, string, RegExp][] = [
    [REFUSING_URL, 'HTTP_PROBE_FAILURE', /^GET http:.*: connect ECONNREFUSED/],
    [resetting.url, 'HTTP_PROBE_FAILURE', /socket hang up|ECONNRESET/],
    [garbled.url, 'HTTP_PROBE_FAILURE', /Parse Error/],
    // Longer than a name may be, so that no name server is asked.
    [`http://${'x'.repeat(64)}.test/`, 'HTTP_PROBE_FAILURE', /ENOTFOUND/],
    ['localhost:80', 'HTTP_PROBE_ERROR', /unsupported protocol localhost:/],
    ['web/health', 'HTTP_PROBE_ERROR', /is not a URL such as/],
    ['http://127.0.0.1:99999/', 'HTTP_PROBE_ERROR', /is not a URL/],
  ];
  for (const [url, code, reason] of table) {
    const measurement = await ask(url);
    assert.equal(codeOf(measurement), code, url);
    assert.match(reasonOf(measurement), reason);
  }
});

test('a self-signed certificate is refused unless it is to be accepted', async () => {
  const { key, certificate } = makeServerTls(Date.now());
  const server = createTlsServer({ key, cert: certificate }, (_, response) => response.end());
  await using peer = await listening(server, 'https');
  const refused = await ask(peer.url);
  assert.equal(codeOf(refused), 'HTTP_PROBE_ERROR');
  assert.match(reasonOf(refused), /^GET https:.*; set insecureSkipVerify: true to accept the certificate$/);
  const inputs = { ...inputsOf(peer.url), insecureSkipVerify: true };
  const accepted = await createHttpProbe().measure(
    { ...httpProbe(peer.url), 'httpProbe/inputs': inputs },
    measureContext(),
  );
  assert.equal(accepted.outcome, 'passed');

  await using redirecting = await startPeer((_, response) =>
    response.writeHead(302, { location: `${peer.url}/` }).end(),
  );
  assert.equal(codeOf(await ask(redirecting.url)), 'HTTP_PROBE_ERROR', 'also after a redirect');
});

test('an authority of its own, and a certificate to show', async () => {
  const { authority, authorityKey, certificate, key } = makeServerTls(Date.now());
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-probe-'));
  try {
    // What the server trusts its clients for: the authority shows itself.
    const files = { ca: authority, cert: authority, key: authorityKey };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const tls = { key, cert: certificate, ca: authority };
    await using open = await listening(
      createTlsServer(tls, (_, response) => response.end()),
      'https',
    );
    const closedServer = createTlsServer(
      { ...tls, requestCert: true, rejectUnauthorized: true },
      (_, response) => response.end(),
    );
    await using closed = await listening(closedServer, 'https');
    const askWith = (url: string, tlsConfig: HttpProbeInputs['tlsConfig']): Promise<Measurement> =>
      createHttpProbe().measure(
        { ...httpProbe(url), 'httpProbe/inputs': { ...inputsOf(url), ...(tlsConfig ? { tlsConfig } : {}) } },
        measureContext({ env: { TURNSOLE_POD_ROOT: folder } }),
      );
    const shown = { certFile: '/cert', keyFile: '/key' };
    assert.equal(codeOf(await askWith(open.url, undefined)), 'HTTP_PROBE_ERROR');
    assert.equal(codeOf(await askWith(open.url, { caFile: '/ca' })), 'passed');
    assert.equal(codeOf(await askWith(open.url, { insecureSkipVerify: true })), 'passed');
    assert.equal(codeOf(await askWith(closed.url, { caFile: '/ca', ...shown })), 'passed');
    const refused = await askWith(closed.url, { caFile: '/ca' });
    assert.equal(codeOf(refused), 'HTTP_PROBE_FAILURE');
    assert.doesNotMatch(reasonOf(refused), /insecureSkipVerify/);
    await assert.rejects(
      askWith(open.url, { caFile: '/nowhere' }),
      /cannot read tlsConfig\.caFile in the experiment pod: ENOENT/,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a request under way is destroyed when the attempt is aborted', async () => {
  await using peer = await startPeer(() => {
    // Never answers.
  });
  const controller = new AbortController();
  const asking = ask(peer.url, undefined, { signal: controller.signal });
  const [request] = await once(peer.server, 'request');
  const closed = once(request.socket, 'close');
  controller.abort(new Error('enough'));
  await assert.rejects(asking, /abort|enough/i);
  await closed;
});

test('responses are drained and closed, endless ones are cut off', async () => {
  const clock = new FakeClock();
  const ends = new Map<string | undefined, Promise<unknown>>();
  await using peer = await startPeer((request, response) => {
    // `close` comes when the connection is gone; the whole body was taken if it was `finish`ed by then.
    ends.set(
      request.url,
      once(response, 'close').then(() => response.writableFinished),
    );
    if (request.url === '/endless') response.write('tick\n');
    else response.end(Buffer.alloc(request.url === '/huge' ? 64 * 1024 * 1024 : 300_000));
  });
  assert.equal((await ask(`${peer.url}/normal`, undefined, { clock })).outcome, 'passed');
  assert.equal(await ends.get('/normal'), true);
  assert.equal((await ask(`${peer.url}/huge`, undefined, { clock })).outcome, 'passed');
  assert.equal(await ends.get('/huge'), false);
  assert.equal(clock.pending, 0);

  const asking = ask(`${peer.url}/endless`, undefined, { clock });
  await clock.untilPending(1);
  await clock.advance(1000);
  assert.equal((await asking).outcome, 'passed');
  assert.equal(await ends.get('/endless'), false);
  assert.equal(clock.pending, 0);
});
