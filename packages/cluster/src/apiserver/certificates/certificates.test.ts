/** Requests for certificates over HTTP, and what the issued ones are good for. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { asJson, asObjects, asString, type Json, valueAt } from '../object.ts';
import { dnsName, makeRequest, signingRequest, uriName } from '../testing/certificate-request.ts';
import { type Answer, startTestServer, type TestServer } from '../testing/test-server.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const NODE = { commonName: 'system:node:n1', organizations: ['system:nodes'] };

async function create(
  server: TestServer,
  object: Json,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return server.overHttps('POST', REQUESTS, { body: object, headers });
}

/** Adds a condition as `kubectl certificate` does. */
async function decide(
  server: TestServer,
  name: string,
  type: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { body } = await server.overHttps('GET', `${REQUESTS}/${name}`);
  const conditions = [
    ...asObjects(valueAt(body, 'status', 'conditions')),
    { type, status: 'True', reason: 'Test' },
  ];
  const object = { ...body, status: { ...asJson(body.status), conditions } };
  return server.overHttps('PUT', `${REQUESTS}/${name}/approval`, { body: object, headers });
}

/** The certificate as PEM, or what the conditions say. */
async function outcome(server: TestServer, name: string): Promise<string> {
  const { body } = await server.overHttps('GET', `${REQUESTS}/${name}`);
  const { certificate, conditions } = asJson(body.status);
  if (certificate !== undefined) return Buffer.from(asString(certificate), 'base64').toString();
  return asObjects(conditions)
    .map(({ type, message }) => `${type} ${message ?? ''}`.trim())
    .join('; ');
}

async function issued(server: TestServer, name: string, pem: string, spec: Json = {}): Promise<string> {
  const made = await create(server, signingRequest(name, pem, spec));
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const approved = await decide(server, name, 'Approved');
  assert.equal(approved.status, 200, JSON.stringify(approved.body));
  return outcome(server, name);
}

/** A request by certificate over a connection of an agent, without a token. */
function asClient(
  server: TestServer,
  agent: Agent,
  client: { readonly cert: string; readonly key: string },
  path: string,
  method = 'GET',
): Promise<{ readonly status: number; readonly isResumed: boolean; readonly body: Json }> {
  return new Promise((resolve, reject) => {
    const ca = readFileSync(join(server.dataDir, 'ca.crt'));
    const sent = request(`${server.api.server}${path}`, { ca, agent, method, ...client }, (response) => {
      const chunks: Buffer[] = [];
      // The connection is one over TLS.
      const isResumed = (response.socket as TLSSocket).isSessionReused();
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body: Json = JSON.parse(Buffer.concat(chunks).toString());
        resolve({ status: response.statusCode ?? 0, isResumed, body });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

test('an approved request gives a certificate that signs in as its subject, and RBAC judges by that', async (t) => {
  const server = await startTestServer(t, { listen: true });
  const { pem, key } = makeRequest({ commonName: 'jane', organizations: ['dev', 'ops'] });
  const cert = await issued(server, 'jane', pem);
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const client = { cert, key };
  const before = await asClient(server, agent, client, '/api/v1/namespaces');
  assert.equal(before.status, 403);
  assert.match(asString(before.body.message), /User "jane" cannot list resource "namespaces"/);
  await server.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    body: {
      metadata: { name: 'ops' },
      roleRef: { kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'Group', name: 'ops' }],
    },
  });
  assert.equal((await asClient(server, agent, client, '/api/v1/namespaces')).status, 200);
  const secrets = await asClient(server, agent, client, '/api/v1/secrets');
  assert.equal(secrets.status, 403);
});

test('a connection that resumes a session signs in, too', async (t) => {
  const server = await startTestServer(t, { listen: true });
  const { pem, key } = makeRequest();
  const cert = await issued(server, 'jane', pem);
  const agent = new Agent({ keepAlive: false });
  t.after(() => agent.destroy());
  const first = await asClient(server, agent, { cert, key }, '/api/v1/pods');
  const second = await asClient(server, agent, { cert, key }, '/api/v1/pods');
  assert.deepEqual([first.status, second.status], [403, 403]);
  assert.deepEqual([first.isResumed, second.isResumed], [false, true]);
  assert.match(asString(second.body.message), /User "jane"/);
});

test('certificates of others, of servers and without a user do not sign in', async (t) => {
  const server = await startTestServer(t, { listen: true });
  const other = await startTestServer(t, { listen: true });
  const { pem, key } = makeRequest();
  const foreign = await issued(other, 'jane', pem);
  const serving = makeRequest({ ...NODE, names: [dnsName('n1')] });
  const servingCert = await issued(server, 'n1', serving.pem, {
    signerName: 'kubernetes.io/kubelet-serving',
    usages: ['digital signature', 'server auth'],
  });
  const nameless = makeRequest({ commonName: '' });
  const own = {
    cert: readFileSync(join(server.dataDir, 'apiserver.crt'), 'utf8'),
    key: readFileSync(join(server.dataDir, 'apiserver.key'), 'utf8'),
  };
  const cases = {
    'another cluster': { cert: foreign, key },
    'a kubelet that serves': { cert: servingCert, key: serving.key },
    'without a name': { cert: await issued(server, 'nameless', nameless.pem), key: nameless.key },
    'the server itself': own,
  };
  for (const [name, client] of Object.entries(cases)) {
    const agent = new Agent({ keepAlive: false });
    const answer = await asClient(server, agent, client, '/api/v1/pods');
    assert.equal(answer.status, 401, name);
    const post = await asClient(server, agent, client, WHO, 'POST');
    assert.equal(post.status, 401, name);
    agent.destroy();
  }
});

test('a certificate ends when it was asked to, also on a connection that stays', async (t) => {
  const clock = new FakeClock(Date.now());
  const server = await startTestServer(t, { listen: true, clock });
  const { pem, key } = makeRequest();
  const cert = await issued(server, 'short', pem, { expirationSeconds: 600 });
  const { validFrom, validTo } = new X509Certificate(cert);
  const second = (ms: number): number => Math.floor(ms / 1000);
  assert.equal(second(Date.parse(validTo)), second(clock.now()) + 600);
  assert.equal(second(Date.parse(validFrom)), second(clock.now()) - 300);
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  assert.equal((await asClient(server, agent, { cert, key }, '/api/v1/pods')).status, 403);
  await clock.advance(601_000);
  assert.equal((await asClient(server, agent, { cert, key }, '/api/v1/pods')).status, 401);
  const year = await issued(server, 'long', pem, { expirationSeconds: 2_000_000_000 });
  assert.ok(Date.parse(new X509Certificate(year).validTo) <= clock.now() + 365 * 86_400_000);
});

describe('what the signers sign', () => {
  const kubelet = { signerName: 'kubernetes.io/kube-apiserver-client-kubelet' };
  const serving = {
    signerName: 'kubernetes.io/kubelet-serving',
    usages: ['key encipherment', 'digital signature', 'server auth'],
  };
  const cases: readonly (readonly [string, Parameters<typeof makeRequest>[0], Json, RegExp])[] = [
    ['a client', { keyType: 'rsa' }, {}, /BEGIN CERTIFICATE/],
    ['a client with a key of Ed25519', { keyType: 'ed25519' }, {}, /BEGIN CERTIFICATE/],
    ['a client that wants to serve', {}, { usages: ['client auth', 'server auth'] }, /Failed invalid usage/],
    ['a client without client auth', {}, { usages: ['digital signature'] }, /Failed missing required usage/],
    ['a kubelet', NODE, kubelet, /BEGIN CERTIFICATE/],
    [
      'a kubelet of another group',
      { ...NODE, organizations: ['x'] },
      kubelet,
      /organization is not system:nodes/,
    ],
    ['a kubelet of another name', { ...NODE, commonName: 'n1' }, kubelet, /does not begin with system:node:/],
    [
      'a kubelet with names',
      { ...NODE, names: [dnsName('n1')] },
      kubelet,
      /DNS subjectAltNames are not allowed/,
    ],
    ['a kubelet that serves', { ...NODE, names: [dnsName('n1')] }, serving, /BEGIN CERTIFICATE/],
    ['one without a name to serve', NODE, serving, /DNS or IP subjectAltName is required/],
    [
      'one with a URI',
      { ...NODE, names: [dnsName('n1'), uriName('https://n1')] },
      serving,
      /URI subjectAltNames are not allowed/,
    ],
    [
      'one that wants to sign in',
      { ...NODE, names: [dnsName('n1')] },
      { ...serving, usages: ['digital signature', 'client auth'] },
      /usages of a kubelet serving certificate/,
    ],
    ['another signer', {}, { signerName: 'example.com/own' }, /^Approved$/],
  ];
  for (const [name, options, spec, expected] of cases) {
    test(name, async (t) => {
      const server = await startTestServer(t, { listen: true });
      assert.match(await issued(server, 'one', makeRequest(options).pem, spec), expected);
    });
  }
});

test('names to serve and usages of the key are in the certificate', async (t) => {
  const server = await startTestServer(t, { listen: true });
  const { pem } = makeRequest({ ...NODE, names: [dnsName('n1.example'), dnsName('n1')] });
  const text = await issued(server, 'n1', pem, {
    signerName: 'kubernetes.io/kubelet-serving',
    usages: ['key encipherment', 'digital signature', 'server auth'],
  });
  const certificate = new X509Certificate(text);
  assert.equal(certificate.subjectAltName, 'DNS:n1.example, DNS:n1');
  assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  assert.equal(certificate.ca, false);
  assert.match(certificate.subject, /O=system:nodes\nCN=system:node:n1/);
});

test('a request says who asks, whatever the sender writes, and stays as it is', async (t) => {
  const server = await startTestServer(t, { listen: true });
  const spec = { username: 'root', groups: ['system:masters'], uid: 'x', extra: { a: ['b'] } };
  const object = signingRequest('one', makeRequest().pem, spec);
  const headers = { 'impersonate-user': 'jane', 'impersonate-group': 'dev' };
  const refused = await create(server, object, headers);
  assert.equal(refused.status, 403);
  const made = await create(server, object);
  const { username, groups, uid, extra } = asJson(made.body.spec);
  assert.deepEqual([username, uid, extra], ['kubernetes-admin', undefined, undefined]);
  assert.deepEqual(groups, ['system:masters', 'system:authenticated']);
  const changed = { ...made.body, spec: { ...asJson(made.body.spec), username: 'root' } };
  const written = await server.overHttps('PUT', `${REQUESTS}/one`, { body: changed });
  assert.equal(written.status, 200);
  assert.deepEqual(written.body.spec, made.body.spec);
});

test('what is no request is refused with the field', async (t) => {
  const server = await startTestServer(t, { listen: true });
  const { pem } = makeRequest();
  const cut = pem.replace(/\n[^\n]+\n-----END/, '\n-----END');
  const cases: readonly (readonly [Json, string, RegExp])[] = [
    [signingRequest('a', 'nothing'), 'spec.request', /PEM block type must be CERTIFICATE REQUEST/],
    [signingRequest('a', cut), 'spec.request', /ends in the middle|was found/],
    [signingRequest('a', makeRequest({ isForged: true }).pem), 'spec.request', /signature was not made with/],
    [signingRequest('a', pem, { usages: [] }), 'spec.usages', /Required value/],
    [signingRequest('a', pem, { usages: ['fly'] }), 'spec.usages[0]', /Unsupported value: "fly"/],
    [signingRequest('a', pem, { usages: ['any', 'any'] }), 'spec.usages[1]', /Duplicate value: "any"/],
    [signingRequest('a', pem, { signerName: '' }), 'spec.signerName', /Required value/],
    [signingRequest('a', pem, { signerName: 'own' }), 'spec.signerName', /fully qualified domain and path/],
    [signingRequest('a', pem, { signerName: 'own/x' }), 'spec.signerName', /at least two segments/],
    [signingRequest('a', pem, { signerName: 'A.b/x' }), 'spec.signerName', /validating label "A"/],
    [signingRequest('a', pem, { signerName: 'kubernetes.io/legacy-unknown' }), 'spec.signerName', /legacy/],
    [signingRequest('a', pem, { expirationSeconds: 599 }), 'spec.expirationSeconds', /less than 600 seconds/],
  ];
  for (const [object, field, words] of cases) {
    const { status, body } = await create(server, object);
    assert.equal(status, 422, JSON.stringify(body));
    const [cause] = asObjects(valueAt(body, 'details', 'causes'));
    assert.equal(cause?.field, field);
    assert.match(asString(cause?.message), words);
  }
  const masters = makeRequest({ organizations: ['system:masters'] });
  const refused = await create(server, signingRequest('m', masters.pem));
  assert.equal(refused.status, 403);
  assert.match(asString(refused.body.message), /system:masters group is not allowed/);
});

test('a request is approved or denied once, by its own path only', async (t) => {
  const server = await startTestServer(t, { listen: true });
  const made = await create(server, signingRequest('one', makeRequest().pem));
  // Only the path for approvals decides.
  const approval = [{ type: 'Approved', status: 'True' }];
  const bystatus = await server.overHttps('PUT', `${REQUESTS}/one/status`, {
    body: { ...made.body, status: { conditions: approval } },
  });
  assert.equal(bystatus.status, 422);
  assert.match(asString(bystatus.body.message), /updates may not add a condition of type "Approved"/);
  const direct = await server.overHttps('PUT', `${REQUESTS}/one`, {
    body: { ...made.body, status: { conditions: approval } },
  });
  assert.deepEqual([direct.status, direct.body.status], [200, {}]);
  const denied = await decide(server, 'one', 'Denied');
  const [condition] = asObjects(valueAt(denied.body, 'status', 'conditions'));
  assert.ok(asString(condition?.lastTransitionTime) !== '' && asString(condition?.lastUpdateTime) !== '');
  const both = await decide(server, 'one', 'Approved');
  assert.equal(both.status, 422);
  assert.match(asString(both.body.message), /Approved and Denied conditions are mutually exclusive/);
  const without = await server.overHttps('PUT', `${REQUESTS}/one/approval`, {
    body: { ...denied.body, status: {} },
  });
  assert.match(asString(without.body.message), /updates may not remove a condition of type "Denied"/);
  assert.equal(await outcome(server, 'one'), 'Denied');
});

test('who may not approve for a signer, or sign for it, does neither', async (t) => {
  const server = await startTestServer(t, { listen: true });
  const { call } = server;
  await create(server, signingRequest('one', makeRequest().pem));
  await create(server, signingRequest('own', makeRequest().pem, { signerName: 'example.com/own' }));
  const group = ['certificates.k8s.io'];
  const parts = ['certificatesigningrequests/approval', 'certificatesigningrequests/status'];
  await call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
    body: {
      metadata: { name: 'approver' },
      rules: [
        { apiGroups: group, resources: parts, verbs: ['update'] },
        { apiGroups: group, resources: ['signers'], resourceNames: ['example.com/*'], verbs: ['approve'] },
      ],
    },
  });
  await call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    body: {
      metadata: { name: 'approver' },
      roleRef: { kind: 'ClusterRole', name: 'approver' },
      subjects: [{ kind: 'User', name: 'jane' }],
    },
  });
  const jane = { 'impersonate-user': 'jane' };
  const refused = await decide(server, 'one', 'Approved', jane);
  assert.equal(refused.status, 403);
  assert.match(asString(refused.body.message), /user not permitted to approve requests with signerName/);
  const approved = await decide(server, 'own', 'Approved', jane);
  assert.equal(approved.status, 200);
  const certificate = Buffer.from(readFileSync(join(server.dataDir, 'ca.crt'))).toString('base64');
  const body = { ...approved.body, status: { ...asJson(approved.body.status), certificate } };
  const signed = await server.overHttps('PUT', `${REQUESTS}/own/status`, { body, headers: jane });
  assert.equal(signed.status, 403);
  assert.match(asString(signed.body.message), /user not permitted to sign requests with signerName/);
  const garbage = { ...body, status: { ...body.status, certificate: 'AAAA' } };
  const refusedGarbage = await server.overHttps('PUT', `${REQUESTS}/own/status`, { body: garbage });
  assert.equal(refusedGarbage.status, 422);
  const byAdmin = await server.overHttps('PUT', `${REQUESTS}/own/status`, { body });
  assert.equal(byAdmin.status, 200);
  const again = { ...byAdmin.body, status: { ...asJson(byAdmin.body.status), certificate: '' } };
  const changed = await server.overHttps('PUT', `${REQUESTS}/own/status`, { body: again });
  assert.match(asString(changed.body.message), /updates may not modify existing certificate content/);
});
