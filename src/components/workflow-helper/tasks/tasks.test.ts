/** Tasks against real servers; rights are judged by an embedded API server. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import { silentLogger } from '@turnsole/kube/base/log';
import type { Role, RoleBinding, Secret } from '@turnsole/kube/kinds/core';
import { ROLE_BINDINGS, ROLES, SECRETS } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { type Answer, startTestServer, type TestServer } from '@turnsole/kube/testing/http-server';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { HttpTemplate, Template } from '@turnsole/workflows/kinds/template';
import type { TaskAnswer } from './answer.ts';
import { type HttpFacts, judgeHttp } from './judge-http.ts';
import { HttpAndPluginTasks, type TaskSettings } from './task-runner.ts';

const namespace = 'default';

describe('the end of an HTTP node', () => {
  const facts: HttpFacts = {
    method: 'POST',
    url: 'http://x',
    requestHeaders: {},
    requestBody: 'sent',
    status: 201,
    headers: { server: 'nginx', 'set-cookie': ['a', 'b'] },
    body: '{"ok": true}',
  };
  const rows: readonly [name: string, facts: Partial<HttpFacts>, condition: string, expected: TaskAnswer][] =
    [
      ['a good status', {}, '', { phase: 'Succeeded' }],
      [
        'a bad status',
        { status: 404 },
        '',
        { phase: 'Failed', message: 'received non-2xx response code: 404' },
      ],
      [
        'a condition beats a bad status',
        { status: 404 },
        'response.statusCode == 404',
        { phase: 'Succeeded' },
      ],
      ['a body', {}, 'response.body contains "ok"', { phase: 'Succeeded' }],
      [
        'a header under its canonical name',
        {},
        'response.headers["Set-Cookie"][1] == "b"',
        { phase: 'Succeeded' },
      ],
      ['the request', {}, 'request.method == "POST" && request.body == "sent"', { phase: 'Succeeded' }],
      ['functions of workflows', {}, 'jsonpath(response.body, "$.ok") == true', { phase: 'Succeeded' }],
      [
        'false',
        {},
        'response.statusCode == 200',
        { phase: 'Failed', message: "successCondition 'response.statusCode == 200' evaluated false" },
      ],
      [
        'no bool',
        {},
        'response.statusCode',
        {
          phase: 'Error',
          message: "successCondition 'response.statusCode' gives int, and has to give a bool",
        },
      ],
    ];
  for (const [name, changed, condition, expected] of rows)
    test(name, () => {
      const outputs = { result: facts.body };
      assert.deepEqual(judgeHttp({ ...facts, ...changed }, condition), { ...expected, outputs });
    });
  test('no expression', () => {
    assert.match(judgeHttp(facts, 'response.').message ?? '', /cannot be evaluated/);
  });
});

describe('tasks', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi(createApiServer);
  });
  after(() => api[Symbol.asyncDispose]());

  function runner(options: TaskSettings = {}): HttpAndPluginTasks {
    const settings = { mayReachLoopback: true, ...options };
    const { client } = api;
    return new HttpAndPluginTasks({
      client,
      clock: systemClock,
      logger: silentLogger,
      settings: () => settings,
    });
  }

  /** All answers to a task, the last one of which is final. */
  async function answersTo(
    template: Template,
    tasks = runner(),
    signal = AbortSignal.timeout(PATIENCE_MS),
  ): Promise<TaskAnswer[]> {
    const workflow = { metadata: { name: 'w', namespace, uid: 'u' }, spec: {} };
    const answers: TaskAnswer[] = [];
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      tasks.run(
        { workflow, spec: {}, template },
        (answer) => {
          answers.push(answer);
          if (answer.phase !== 'Pending') resolve();
        },
        signal,
      );
    });
    return answers;
  }

  async function http(http: HttpTemplate, tasks = runner()): Promise<TaskAnswer | undefined> {
    return (await answersTo({ http }, tasks)).at(-1);
  }

  async function serving(t: TestContext, answer: Answer): Promise<TestServer> {
    const server = await startTestServer(answer);
    t.after(() => server[Symbol.asyncDispose]());
    return server;
  }

  test('method, headers and body are sent, and the answer is the result', async (t) => {
    const server = await serving(t, ({ method, headers, body }, response) => {
      response.end(`${method} ${headers['x-a']} ${body}`);
    });
    const common = { url: server.url, method: 'PUT', headers: [{ name: 'x-a', value: '1' }] };
    assert.deepEqual(await http({ ...common, body: 'text' }), {
      phase: 'Succeeded',
      outputs: { result: 'PUT 1 text' },
    });
    const bytes = Buffer.from('bytes').toString('base64');
    assert.equal((await http({ ...common, bodyFrom: { bytes } }))?.outputs?.result, 'PUT 1 bytes');
  });

  test('a Secret for a header is read with the rights of the workflow', async (t) => {
    const server = await serving(t, ({ headers }, response) => response.end(headers.authorization));
    const { client } = api;
    const data = { token: Buffer.from('secret').toString('base64') };
    await client.create<Secret>(SECRETS, { metadata: { name: 's' }, data }, { namespace });
    const secretKeyRef = { name: 's', key: 'token' };
    const template = { url: server.url, headers: [{ name: 'authorization', valueFrom: { secretKeyRef } }] };
    const refused = await http(template);
    assert.equal(refused?.phase, 'Error');
    assert.match(
      refused.message ?? '',
      /service account default\/default of the workflow may not get Secret s/,
    );
    assert.equal(server.seen.length, 0);
    const rules = [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['s'], verbs: ['get'] }];
    await client.create<Role>(ROLES, { metadata: { name: 'r' }, rules }, { namespace });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' };
    const subjects = [{ kind: 'ServiceAccount', name: 'default', namespace }];
    await client.create<RoleBinding>(
      ROLE_BINDINGS,
      { metadata: { name: 'r' }, roleRef, subjects },
      { namespace },
    );
    assert.equal((await http(template))?.outputs?.result, 'secret');
  });

  test('what may not be reached is not, by number, by name or by a redirect', async (t) => {
    const server = await serving(t, (_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    });
    const metadata = 'http://169.254.169.254/latest';
    assert.match(
      (await http({ url: metadata }))?.message ?? '',
      /^Get "http:\S+": 169\.254\.169\.254 .* link-local/,
    );
    assert.match((await http({ url: server.url }))?.message ?? '', /169\.254\.169\.254 .* link-local/);
    const onCluster = runner({ mayReachLoopback: false });
    const { port } = new URL(server.url);
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const answer = await http({ url: `http://${host}:${port}` }, onCluster);
      assert.equal(answer?.phase, 'Failed');
      assert.match(answer.message ?? '', /is of the controller itself/, host);
    }
  });

  test('time limits and answers that are too large say so', async (t) => {
    const server = await serving(t, ({ url }, response) => {
      if (url === '/large') response.end('x'.repeat(300_000));
    });
    const late = await http({ url: server.url, timeoutSeconds: 0.05 });
    assert.match(late?.message ?? '', /^Get "\S+": no answer within 0\.05 s/);
    assert.match((await http({ url: `${server.url}/large` }))?.message ?? '', /more than 262144 bytes/);
  });

  test('a time limit is rounded to milliseconds, and refused when it is none or too long for a timer', async (t) => {
    const server = await serving(t, (_request, response) => response.end('in time'));
    for (const timeoutSeconds of [2.3, 0.9999, 2_147_483]) {
      const answer = await http({ url: server.url, timeoutSeconds });
      assert.equal(answer?.outputs?.result, 'in time', `${timeoutSeconds}: ${answer?.message}`);
    }
    for (const timeoutSeconds of ['x', 0, -1, 2_147_484, 4_294_968, 1e300]) {
      assert.deepEqual(await http({ url: server.url, timeoutSeconds }), {
        phase: 'Error',
        message: `http.timeoutSeconds: ${timeoutSeconds} was found; a number of seconds above 0 and up to 2147483 is expected`,
      });
    }
  });

  test('an abort ends the request, and nothing is answered', async (t) => {
    const stop = new AbortController();
    const server = await serving(t, (_request, _response, raw) => {
      raw.on('close', () => {});
      stop.abort(new Error('over'));
    });
    await assert.rejects(answersTo({ http: { url: server.url } }, runner(), stop.signal), /over/);
  });

  test('a plugin is asked with its token until it is done', async (t) => {
    const replies = [
      { node: { phase: 'Running', message: 'at work', progress: '1/2' }, requeue: '1ms' },
      { node: { phase: 'Succeeded', outputs: { parameters: [{ name: 'p', value: '1' }] } } },
    ];
    const server = await serving(t, (_request, response) => response.end(JSON.stringify(replies.shift())));
    const folder = mkdtempSync(join(tmpdir(), 'turnsole-plugin-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'let me in\n');
    const tasks = runner({ plugins: { hello: { url: server.url, tokenFile } } });
    const template = { plugin: { hello: { x: 1 } } };
    assert.deepEqual(await answersTo(template, tasks), [
      { phase: 'Pending', message: 'at work', progress: '1/2' },
      { phase: 'Succeeded', outputs: { parameters: [{ name: 'p', value: '1' }] } },
    ]);
    const [first] = server.seen;
    assert.equal(first?.url, '/api/v1/template.execute');
    assert.equal(first.headers.authorization, 'Bearer let me in');
    const workflow = { metadata: { namespace, name: 'w', uid: 'u' } };
    assert.deepEqual(JSON.parse(first.body), { workflow, template });
  });

  test('plugins that want to be asked again later do not hold up other tasks', async (t) => {
    const plugin = await serving(t, (_request, response) =>
      response.end(JSON.stringify({ node: { phase: 'Running' }, requeue: '1h' })),
    );
    const server = await serving(t, (_request, response) => response.end('done'));
    const tasks = runner({ plugins: { slow: { url: plugin.url } } });
    const workflow = { metadata: { name: 'w', namespace, uid: 'u' }, spec: {} };
    const task = { workflow, spec: {}, template: { plugin: { slow: {} } } };
    const stop = new AbortController();
    t.after(() => stop.abort(new Error('over')));
    await Promise.all(
      Array.from({ length: 64 }, () => new Promise((resolve) => tasks.run(task, resolve, stop.signal))),
    );
    assert.equal((await http({ url: server.url }, tasks))?.outputs?.result, 'done');
  });

  test('a plugin that is not there, does not know, or refuses', async (t) => {
    const server = await serving(t, ({ body }, response) => {
      response.writeHead(body.includes('"known"') ? 400 : 404).end('no');
    });
    const tasks = runner({ plugins: { known: { url: server.url }, other: { url: server.url } } });
    const message = async (plugin: string): Promise<string | undefined> =>
      (await answersTo({ plugin: { [plugin]: {} } }, tasks)).at(-1)?.message;
    assert.match((await message('none')) ?? '', /no plugin none is configured \(there are known, other\)/);
    assert.equal(await message('other'), 'plugin other does not know the template');
    assert.match((await message('known')) ?? '', /plugin known: POST \S+ was answered with 400: no/);
  });
});
