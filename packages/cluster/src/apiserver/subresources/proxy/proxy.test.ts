import assert from 'node:assert/strict';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { freePorts } from '@turnsole/kube/base/free-ports';
import { WebSocket, WebSocketServer } from 'ws';
import { type Json, valueAt } from '../../object.ts';
import {
  type Answer,
  podOf,
  startTestServer,
  type TestServer,
  withDefaultAccount,
} from '../../testing/test-server.ts';
import { readProxyUrl } from './handle.ts';
import { forwardedHeaders, returnedLocation } from './headers.ts';
import { readProxyId } from './target.ts';

const NAMESPACE = '/api/v1/namespaces/default';

describe('proxies', () => {
  for (const [text, expected] of [
    ['web', { scheme: '', name: 'web', port: '' }],
    ['web:80', { scheme: '', name: 'web', port: '80' }],
    ['web:http', { scheme: '', name: 'web', port: 'http' }],
    ['https:web:', { scheme: 'https', name: 'web', port: '' }],
    ['https:web:443', { scheme: 'https', name: 'web', port: '443' }],
    ['ftp:web:21', undefined],
    ['https::443', undefined],
    ['a:b:c:d', undefined],
  ] as const) {
    it(`read ${text}`, () => assert.deepEqual(readProxyId(text), expected));
  }

  for (const [url, expected] of [
    ['/api/v1/namespaces/a/pods/b:1/proxy', ['/api/v1/namespaces/a/pods/b:1/proxy', '', '']],
    [
      '/api/v1/namespaces/a/services/b/proxy/x%2Fy/?q=1',
      ['/api/v1/namespaces/a/services/b/proxy', '/x%2Fy/', '?q=1'],
    ],
    ['/api/v1/nodes/n/proxy?q', ['/api/v1/nodes/n/proxy', '', '?q']],
    ['/api/v1/namespaces/a/pods/b/log', undefined],
  ] as const) {
    it(`split ${url}`, () => {
      const parts = readProxyUrl(url);
      assert.deepEqual(parts && [parts.prefix, parts.rest, parts.query], expected);
    });
  }

  for (const [location, expected] of [
    ['/login', '/p/proxy/login'],
    ['/p/proxy/login', '/p/proxy/login'],
    ['login', 'login'],
    ['http://10.0.0.1:80/login?x=1', '/p/proxy/login?x=1'],
    ['https://api:6443/login', '/p/proxy/login'],
    ['https://example.com/login', 'https://example.com/login'],
  ] as const) {
    it(`lead ${location} to ${expected}`, () => {
      const source = { prefix: '/p/proxy', hosts: ['10.0.0.1:80', 'api:6443'] };
      assert.equal(returnedLocation(location, source), expected);
    });
  }

  it('do not pass on what the client has signed in with', () => {
    const headers = {
      authorization: 'Bearer secret',
      'impersonate-user': 'eve',
      connection: 'close, x-hop',
      'x-hop': '1',
      'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.c2VjcmV0, chat',
      accept: 'text/plain',
    };
    assert.deepEqual(forwardedHeaders(headers, '/p'), {
      accept: 'text/plain',
      'sec-websocket-protocol': 'chat',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-uri': '/p',
    });
  });
});

/** A server in the place of a pod's; its answer repeats the request. */
async function startApplication(t: TestContext): Promise<number> {
  const server = createServer(
    (request, response) =>
      void answer(request).then((reply) => {
        response.writeHead(reply.status, reply.headers);
        response.end(reply.body);
      }),
  );
  const sockets = new WebSocketServer({ server, path: '/socket' });
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => socket.send(`echo ${String(data)}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const client of sockets.clients) client.terminate();
    sockets.close();
    server.closeAllConnections();
    server.close();
  });
  // Not a path, so it has a port.
  return (server.address() as AddressInfo).port;
}

async function answer(
  request: IncomingMessage,
): Promise<{ readonly status: number; readonly headers: Record<string, string>; readonly body: string }> {
  let body = '';
  for await (const piece of request) body += String(piece);
  const { method, url, headers } = request;
  if (url === '/moved') return { status: 302, headers: { location: '/new/' }, body: '' };
  if (url === '/missing')
    return { status: 404, headers: { 'content-type': 'text/plain' }, body: 'no such page' };
  const echo = { method, url, body, authorization: headers.authorization, uri: headers['x-forwarded-uri'] };
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'access-control-allow-origin': '*' },
    body: JSON.stringify(echo),
  };
}

/** A cluster with pod `web`, and service `web` before it, whose port 80 is called http. */
async function withWeb(t: TestContext): Promise<{ readonly server: TestServer; readonly port: number }> {
  const port = await startApplication(t);
  const server = await startTestServer(t, { listen: true });
  await withDefaultAccount(server);
  const pod = podOf('web');
  const spec = valueAt(pod, 'spec') as Json;
  spec.containers = [{ name: 'main', image: 'app:1', ports: [{ containerPort: port }] }];
  await server.call('POST', `${NAMESPACE}/pods`, { body: pod });
  const ip = '127.0.0.1';
  await server.call('PATCH', `${NAMESPACE}/pods/web/status`, {
    type: 'application/merge-patch+json',
    body: { status: { podIP: ip, podIPs: [{ ip }] } },
  });
  const ports = [
    { name: 'http', port: 80 },
    { name: 'dead', port: 81 },
  ];
  await server.call('POST', `${NAMESPACE}/services`, {
    body: { metadata: { name: 'web' }, spec: { ports } },
  });
  const targetRef = { kind: 'Pod', name: 'web', namespace: 'default' };
  const made = await server.call('POST', `${NAMESPACE}/endpoints`, {
    body: {
      metadata: { name: 'web' },
      subsets: [
        { addresses: [{ ip, targetRef }], ports: [{ name: 'http', port }] },
        { addresses: [{ ip }], ports: [{ name: 'dead', port }] },
      ],
    },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return { server, port };
}

describe('proxies of an API server', () => {
  it('pass requests on to pods and services, by number and name of the port', async (t) => {
    const { server, port } = await withWeb(t);
    for (const target of [
      'pods/web',
      `pods/web:${port}`,
      `pods/http:web:${port}`,
      'services/web:80',
      'services/web:http',
    ]) {
      const prefix = `${NAMESPACE}/${target}/proxy`;
      const { status, body, headers } = await server.overHttps('GET', `${prefix}/a%20b?x=1`);
      assert.equal(status, 200, `${target}: ${JSON.stringify(body)}`);
      assert.deepEqual(body, { method: 'GET', url: '/a%20b?x=1', body: '', uri: `${prefix}/a%20b` });
      assert.equal(headers['access-control-allow-origin'], undefined);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { body } = await server.overHttps(method, `${NAMESPACE}/services/web:80/proxy/`, {
        body: { a: 1 },
      });
      assert.deepEqual([body.method, body.body, body.url], [method, '{"a":1}', '/']);
    }
    const head = await server.overHttps('HEAD', `${NAMESPACE}/services/web:80/proxy/`);
    assert.deepEqual([head.status, head.headers['content-type']], [200, 'application/json']);
  });

  it('bring back errors and redirections of the application', async (t) => {
    const { server } = await withWeb(t);
    const prefix = `${NAMESPACE}/services/web:80/proxy`;
    const bare = await server.overHttps('GET', `${prefix}?x=1`);
    assert.deepEqual([bare.status, bare.headers.location], [301, `${prefix}/?x=1`]);
    const moved = await server.overHttps('GET', `${prefix}/moved`);
    assert.deepEqual([moved.status, moved.headers.location], [302, `${prefix}/new/`]);
    const missing = await server.overHttps('GET', `${prefix}/missing`);
    assert.deepEqual([missing.status, missing.body.text], [404, 'no such page']);
  });

  it('say why they reach nothing', async (t) => {
    const { server, port } = await withWeb(t);
    await server.call('POST', `${NAMESPACE}/pods`, { body: podOf('pending') });
    const [free = 0] = await freePorts(1);
    const cases: readonly (readonly [string, number, string])[] = [
      ['pods/none/proxy/', 404, 'pods "none" not found'],
      ['pods/pending/proxy/', 400, 'address not allowed'],
      ['pods/ftp:web:1/proxy/', 400, 'invalid pod request "ftp:web:1"'],
      [
        `pods/web:${free}/proxy/`,
        503,
        `error trying to reach service: dial tcp 127.0.0.1:${free}: connect: connection refused`,
      ],
      ['services/none/proxy/', 404, 'endpoints "none" not found'],
      ['services/web:82/proxy/', 503, 'no service port 82 found for service "web"'],
      ['services/web:other/proxy/', 503, 'no endpoints available for service "web:other"'],
      // An address that a user wrote by hand is none of a pod.
      ['services/web:81/proxy/', 503, 'no endpoints available for service "web:81"'],
      [`pods/https:web:${port}/proxy/`, 503, 'error trying to reach service: dial tcp 127.0.0.1'],
    ];
    for (const [path, status, message] of cases) {
      const answered: Answer = await server.overHttps('GET', `${NAMESPACE}/${path}`);
      assert.equal(answered.status, status, path);
      assert.ok(String(answered.body.message).startsWith(message), String(answered.body.message));
    }
  });

  it('ask for permission on the proxy, by the method', async (t) => {
    const { server } = await withWeb(t);
    const rules = [{ apiGroups: [''], resources: ['services/proxy'], verbs: ['get'] }];
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    await server.call('POST', `${rbac}/roles`, { body: { metadata: { name: 'r' }, rules } });
    await server.call('POST', `${rbac}/rolebindings`, {
      body: {
        metadata: { name: 'r' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
        subjects: [{ kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' }],
      },
    });
    const headers = { 'impersonate-user': 'eve' };
    const path = `${NAMESPACE}/services/web:80/proxy/`;
    assert.equal((await server.overHttps('GET', path, { headers })).status, 200);
    const refused = await server.overHttps('POST', path, { headers, body: {} });
    assert.equal(refused.status, 403);
    assert.match(String(refused.body.message), /cannot create resource "services\/proxy"/);
    const pod = await server.overHttps('GET', `${NAMESPACE}/pods/web/proxy/`, { headers });
    assert.match(String(pod.body.message), /cannot get resource "pods\/proxy"/);
  });

  it('carry WebSockets, and the refusal of one', async (t) => {
    const { server } = await withWeb(t);
    const open = (path: string): WebSocket =>
      new WebSocket(
        `ws+unix://${join(server.dataDir, 'apiserver.sock')}:${NAMESPACE}/services/web:80/proxy${path}`,
        {
          headers: { authorization: `Bearer ${server.api.adminToken}` },
        },
      );
    const socket = open('/socket');
    const answered = new Promise((resolve, reject) => {
      socket.once('message', (data) => resolve(String(data)));
      socket.once('error', reject);
    });
    socket.once('open', () => socket.send('hello'));
    assert.equal(await answered, 'echo hello');
    socket.terminate();
    const other = open('/elsewhere');
    other.on('error', () => undefined);
    const code = await new Promise((resolve) => {
      other.once('unexpected-response', (_request, response) => resolve(response.statusCode));
    });
    assert.equal(code, 400);
    other.terminate();
  });

  it('end the request behind them when the client goes', async (t) => {
    const { server } = await withWeb(t);
    const asked = Promise.withResolvers<IncomingMessage>();
    const silent = createServer((request) => asked.resolve(request));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    t.after(() => silent.close());
    // Not a path, so it has a port.
    const { port } = silent.address() as AddressInfo;
    const client = httpRequest({
      socketPath: join(server.dataDir, 'apiserver.sock'),
      path: `${NAMESPACE}/pods/web:${port}/proxy/`,
      headers: { authorization: `Bearer ${server.api.adminToken}` },
    });
    client.on('error', () => undefined);
    client.end();
    const { socket } = await asked.promise;
    const gone = new Promise((resolve) => socket.once('close', resolve));
    client.destroy();
    await gone;
  });

  it('of a node tell whether its kubelet is well', async (t) => {
    const { server } = await withWeb(t);
    const addresses = [{ type: 'InternalIP', address: '127.0.0.9' }];
    await server.call('POST', '/api/v1/nodes', { body: { metadata: { name: 'n' }, status: { addresses } } });
    const well = await server.overHttps('GET', '/api/v1/nodes/n/proxy/healthz');
    assert.deepEqual([well.status, well.body.text], [200, 'ok']);
    assert.equal((await server.overHttps('GET', '/api/v1/nodes/n/proxy/metrics')).status, 404);
    server.api.setNodeReach(() => 'connect: connection refused');
    const dead = await server.overHttps('GET', '/api/v1/nodes/n/proxy/healthz');
    assert.equal(dead.status, 503);
    assert.match(String(dead.body.message), /dial tcp 127\.0\.0\.9:10250: connect: connection refused$/);
  });
});
