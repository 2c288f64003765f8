import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { after, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { startTestServer } from '@turnsole/cluster/apiserver/testing/test-server';
import { makeAuthority, makeServerCertificate, toPem } from '@turnsole/kube/tls/index';
import { post } from '../../src/controlplane/notification/post.ts';
import { allowedAddresses } from '../../src/controlplane/remote/addresses.ts';

const DAY_MS = 24 * 3600 * 1000;
const NOW = Date.now();
const HOOK = 'hook.example';
const OURS = makeAuthority({ commonName: 'ours', now: NOW, lifetimeDays: 2 });
/** Of the same name, with another key. */
const THEIRS = makeAuthority({ commonName: 'ours', now: NOW, lifetimeDays: 2 });

/** Who stands in for a webhook, and with which certificate. */
interface Impostor {
  readonly authority?: typeof OURS;
  readonly names?: readonly string[];
  /** When its certificate was made; it holds for two days. */
  readonly made?: number;
}

const IMPOSTORS: Readonly<Record<string, readonly [impostor: Impostor, why: RegExp]>> = {
  'another authority of the same name': [
    { authority: THEIRS },
    /self.signed|unable to verify|UNABLE_TO|signature/i,
  ],
  'a certificate that has expired': [{ made: NOW - 10 * DAY_MS }, /expired/i],
  'a certificate that is not valid yet': [{ made: NOW + 10 * DAY_MS }, /not.yet.valid/i],
  'a certificate for another host': [{ names: ['other.example', '127.0.0.2'] }, /ALTNAME|does not match/i],
  'a certificate for a host below': [{ names: [`x.${HOOK}`] }, /ALTNAME|does not match/i],
  'a certificate for all hosts of a top level': [
    { names: ['*.example.com', '*'] },
    /ALTNAME|does not match/i,
  ],
};

/** A server that says yes to everything, and counts what it was told. */
async function listening(
  answer: RequestListener,
  impostor?: Impostor,
): Promise<{ port: number; told: () => number }> {
  let told = 0;
  const listener: RequestListener = (request, response) => {
    told += 1;
    answer(request, response);
  };
  const server =
    impostor === undefined ? createServer(listener) : createSecureServer(certificateOf(impostor), listener);
  await opened(server);
  return { port: (server.address() as AddressInfo).port, told: () => told };
}

function certificateOf({ authority = OURS, names = ['127.0.0.1', HOOK], made = NOW }: Impostor) {
  const pair = makeServerCertificate(authority, { commonName: HOOK, now: made, lifetimeDays: 2, names });
  return {
    key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: toPem('CERTIFICATE', pair.certificate),
  };
}

async function opened(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
}

const allowing: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const review = JSON.parse(Buffer.concat(chunks).toString());
    response.end(JSON.stringify({ ...review, response: { uid: review.request.uid, allowed: true } }));
  });
};

/** Answers that would send the question, with the object in it, elsewhere. */
const REDIRECTS = [301, 302, 303, 307, 308];

test('an admission webhook is asked only as the server that its configuration names', async (t) => {
  const server = await startTestServer(t);
  let made = 0;
  /** Creates a ConfigMap about which the webhook at this address has to be asked. */
  const createAskedOf = async (url: string) => {
    const name = `asked-${made++}`;
    const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const caBundle = Buffer.from(toPem('CERTIFICATE', OURS.certificate)).toString('base64');
    const configured = await server.call('POST', configurations, {
      body: {
        metadata: { name },
        webhooks: [
          {
            name: 'hook.example.com',
            clientConfig: { url, caBundle },
            rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
            ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Fail' },
          },
        ],
      },
    });
    assert.equal(configured.status, 201, JSON.stringify(configured.body));
    const answer = await server.call('POST', '/api/v1/namespaces/default/configmaps', {
      body: { metadata: { name } },
    });
    await server.call('DELETE', `${configurations}/${name}`);
    const found = await server.call('GET', `/api/v1/namespaces/default/configmaps/${name}`);
    return { answer, isStored: found.status === 200 };
  };

  await t.test('itself', async () => {
    const hook = await listening(allowing, {});
    const { answer, isStored } = await createAskedOf(`https://127.0.0.1:${hook.port}/`);
    assert.deepEqual([answer.status, isStored, hook.told()], [201, true, 1], JSON.stringify(answer.body));
  });
  for (const [who, [impostor, why]] of Object.entries(IMPOSTORS)) {
    await t.test(`not ${who}`, async () => {
      const hook = await listening(allowing, impostor);
      const { answer, isStored } = await createAskedOf(`https://127.0.0.1:${hook.port}/`);
      assert.deepEqual([answer.status, isStored, hook.told()], [500, false, 0]);
      assert.match(String(answer.body.message), /failed calling webhook "hook\.example\.com"/);
      assert.match(String(answer.body.message), why);
    });
  }
  await t.test('not a server without TLS', async () => {
    const hook = await listening(allowing);
    const { answer, isStored } = await createAskedOf(`https://127.0.0.1:${hook.port}/`);
    assert.deepEqual([answer.status, isStored, hook.told()], [500, false, 0]);
  });
  for (const status of REDIRECTS) {
    await t.test(`not where it sends the question, ${status}`, async () => {
      const elsewhere = await listening(allowing, {});
      const location = `https://127.0.0.1:${elsewhere.port}/`;
      const hook = await listening(
        (_request, response) => response.writeHead(status, { location }).end(),
        {},
      );
      const { answer, isStored } = await createAskedOf(`https://127.0.0.1:${hook.port}/`);
      assert.deepEqual([answer.status, isStored, hook.told(), elsewhere.told()], [500, false, 1, 0]);
    });
  }
});

test('a notice is sent only to the server that its address names', async (t) => {
  const before = getCACertificates('default');
  setDefaultCACertificates([toPem('CERTIFICATE', OURS.certificate)]);
  t.after(() => setDefaultCACertificates(before));
  const reach = {
    allowed: allowedAddresses(HOOK),
    lookUp: async () => [{ address: '127.0.0.1', family: 4 }],
  };
  const send = (port: number) =>
    post(
      `https://${HOOK}:${port}/`,
      '{"text":"secret"}',
      { 'x-turnsole-signature': 'x' },
      reach,
      new AbortController().signal,
    );
  const taking: RequestListener = (_request, response) => response.end();

  await t.test('itself', async () => {
    const hook = await listening(taking, {});
    await send(hook.port);
    assert.equal(hook.told(), 1);
  });
  for (const [who, [impostor]] of Object.entries(IMPOSTORS)) {
    await t.test(`not ${who}`, async () => {
      const hook = await listening(taking, impostor);
      await assert.rejects(
        send(hook.port),
        /hook\.example:\d+ could not be reached: (CERT_|ERR_TLS_|UNABLE_|SELF_|DEPTH_)/,
      );
      assert.equal(hook.told(), 0);
    });
  }
  await t.test('not a server without TLS', async () => {
    const hook = await listening(taking);
    await assert.rejects(send(hook.port), /could not be reached/);
    assert.equal(hook.told(), 0);
  });
  for (const status of REDIRECTS) {
    await t.test(`not where it sends the notice, ${status}`, async () => {
      const elsewhere = await listening(taking, {});
      const location = `https://${HOOK}:${elsewhere.port}/`;
      const hook = await listening(
        (_request, response) => response.writeHead(status, { location }).end(),
        {},
      );
      await assert.rejects(send(hook.port), new RegExp(`answered with status ${status}`));
      assert.deepEqual([hook.told(), elsewhere.told()], [1, 0]);
    });
  }
});
