import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendJson, startTestServer } from '@turnsole/kube/testing/http-server';
import { parseObject } from '@turnsole/kube/text/json';
import { makeAuthority, makeServerCertificate, toPem } from '@turnsole/kube/tls/index';
import { ask, describeAnswer, hostPort, NoAnswerError } from './ask.ts';

const { signal } = new AbortController();

test('a question is sent as JSON, and any status is an answer', async () => {
  await using server = await startTestServer((_request, response) => sendJson(response, 418, { tea: true }));
  const answer = await ask({ url: `${server.url}/pot`, method: 'POST', body: { milk: 1 }, signal });
  assert.equal(`${answer.status} ${answer.text}`, '418 {"tea":true}');
  assert.equal(answer.headers['content-type'], 'application/json');
  const [seen] = server.seen;
  assert.equal(`${seen?.method} ${seen?.url} ${seen?.body}`, 'POST /pot {"milk":1}');
  assert.equal(seen?.headers['content-type'], 'application/json');
});

test('what is no answer', async (t) => {
  await t.test('no listener', async () => {
    await assert.rejects(ask({ url: 'http://127.0.0.1:1', signal }), (error: Error) => {
      assert.ok(error instanceof NoAnswerError);
      assert.match(error.message, /^GET http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED/);
      return true;
    });
  });
  await t.test('silence', async () => {
    await using server = await startTestServer(() => {});
    const asked = ask({ url: server.url, signal, timeoutMs: 50 });
    await assert.rejects(asked, { name: 'NoAnswerError', message: /no answer within 0\.05 s/ });
  });
  await t.test('a connection that is cut', async () => {
    await using server = await startTestServer((_request, response) => response.destroy());
    await assert.rejects(ask({ url: server.url, signal }), NoAnswerError);
  });
  await t.test('endless text', async () => {
    await using server = await startTestServer((_request, response) => {
      response.end(Buffer.alloc(1024 * 1024 + 1));
    });
    await assert.rejects(ask({ url: server.url, signal }), /longer than 1 MiB/);
  });
});

test('an abort is thrown as it is', async () => {
  await using server = await startTestServer(() => {});
  const stop = new AbortController();
  const asked = ask({ url: server.url, signal: stop.signal });
  stop.abort(new Error('enough'));
  await assert.rejects(asked, /^Error: enough$/);
});

test('certificates are verified unless that is not wanted', async () => {
  const life = { organization: 'test', now: Date.now(), lifetimeDays: 1 };
  const authority = makeAuthority({ commonName: 'nobody knows', ...life });
  const pair = makeServerCertificate(authority, { commonName: 'bmc', names: ['127.0.0.1'], ...life });
  const tls = {
    key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: toPem('CERTIFICATE', pair.certificate),
  };
  await using server = await startTestServer((_request, response) => sendJson(response, 200, {}), { tls });
  await assert.rejects(ask({ url: server.url, signal }), /certificate/);
  assert.equal((await ask({ url: server.url, signal, verifyTls: false })).status, 200);
});

test('small words', () => {
  assert.deepEqual(parseObject('{"a":1}'), { a: 1 });
  for (const text of ['[]', 'null', '1', '<html>']) assert.equal(parseObject(text), undefined);
  assert.equal(describeAnswer({ status: 500, text: ' a\n b ' }), 'status 500: a b');
  assert.equal(describeAnswer({ status: 404, text: '' }), 'status 404');
  assert.equal(describeAnswer({ status: 1, text: 'x'.repeat(300) }).length, 'status 1: '.length + 201);
  assert.equal(`${hostPort('10.0.0.1', 80)} ${hostPort('fd00::1', 80)}`, '10.0.0.1:80 [fd00::1]:80');
});
