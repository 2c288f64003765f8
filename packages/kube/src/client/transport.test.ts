import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { PODS } from '../kinds/resources.ts';
import { failureOf, setUpClient } from '../testing/client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { sendJson, startTestServer } from '../testing/http-server.ts';
import { makeAuthority, makeServerCertificate } from '../tls/certificate.ts';
import { createClient } from './client.ts';
import { ConnectionError } from './errors.ts';
import type { ClusterConfig } from './types.ts';

const web = { metadata: { name: 'web', namespace: 'shop' } };

test('keeps its connection from request to request', async () => {
  const ports = new Set<number | undefined>();
  await using cluster = await setUpClient((_, response, raw) => {
    ports.add(raw.socket.remotePort);
    sendJson(response, 200, web);
  });
  for (let count = 0; count < 5; count++) await cluster.client.get(PODS, 'web', { namespace: 'shop' });
  assert.equal(ports.size, 1);
});

test('keeps the prefix of the server’s path', async () => {
  await using server = await startTestServer((_, response) => sendJson(response, 200, web));
  const client = createClient({ server: `${server.url}/k8s/clusters/c1/`, namespace: 'shop' });
  await client.get(PODS, 'web', { namespace: 'shop' });
  client.close();
  assert.equal(server.seen[0]?.url, '/k8s/clusters/c1/api/v1/namespaces/shop/pods/web');
});

test('no server at the address: tried until the limit, then reported plainly', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const address = closed.address();
  const port = typeof address === 'object' ? address?.port : 0;
  closed.close();
  const clock = new FakeClock();
  const client = createClient(
    { server: `http://127.0.0.1:${port}`, namespace: 'shop' },
    { clock, random: () => 0.999 },
  );
  const failed = failureOf(client.create(PODS, web, { timeoutMs: 1_000 }));
  // 50 + 100 + 200 + 400 ms of waiting fit into a second, 800 more do not.
  for (let tries = 0; tries < 4; tries++) {
    await clock.untilPending(2);
    clock.runNext();
  }
  const failure = await failed;
  assert.ok(failure instanceof ConnectionError);
  assert.match(
    failure.message,
    /cannot reach http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED.*; check the address/,
  );
  client.close();
});

test('a Unix socket takes the place of host and port', { skip: process.platform === 'win32' }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-client-'));
  try {
    const socketPath = join(folder, 'api.sock');
    await using server = await startTestServer((_, response) => sendJson(response, 200, web), { socketPath });
    const client = createClient({ server: 'http://localhost', socketPath, namespace: 'shop' });
    assert.deepEqual(await client.get(PODS, 'web', { namespace: 'shop' }), web);
    assert.equal(server.seen.length, 1);
    client.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;

test('TLS: the authority is checked, the client certificate shown, the server name can be set', async () => {
  const options = { commonName: 'turnsole-test', now: Date.now(), lifetimeDays: 1 };
  const authority = makeAuthority(options);
  const identity = makeServerCertificate(authority, { ...options, names: ['api.example'] });
  const person = makeAuthority({ ...options, commonName: 'jane' });
  const keyOf = (entry: typeof authority): string =>
    entry.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const shown: (string | string[] | undefined)[] = [];
  await using server = await startTestServer(
    (_, response, raw) => {
      // The test server is a TLS server.
      shown.push((raw.socket as TLSSocket).getPeerCertificate().subject?.CN);
      sendJson(response, 200, web);
    },
    {
      tls: {
        key: keyOf(identity),
        cert: pem('CERTIFICATE', identity.certificate),
        requestCert: true,
        rejectUnauthorized: false,
      },
    },
  );
  const base = { server: server.url, namespace: 'shop' };
  const certificateAuthority = pem('CERTIFICATE', authority.certificate);
  const get = async (config: Partial<ClusterConfig>): Promise<unknown> => {
    const client = createClient({ ...base, ...config });
    try {
      return await client.get(PODS, 'web', { namespace: 'shop' });
    } finally {
      client.close();
    }
  };
  const trusted = { certificateAuthority, tlsServerName: 'api.example' };
  assert.deepEqual(await get(trusted), web);
  const mine = { certificate: pem('CERTIFICATE', person.certificate), key: keyOf(person) };
  await get({ ...trusted, clientCertificate: mine.certificate, clientKey: mine.key });
  await get({ ...trusted, clientIdentity: async () => mine });
  await get({ insecureSkipTlsVerify: true });
  assert.deepEqual(shown, [undefined, 'jane', 'jane', undefined]);

  const wrongName = await failureOf(get({ certificateAuthority }));
  assert.ok(wrongName instanceof ConnectionError);
  assert.match(wrongName.message, /does not match certificate's altnames/);
  assert.match((await failureOf(get({}))).message, /unable to verify|self-signed/i);
});
