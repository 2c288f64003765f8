/** The subscriber as its pod has it: TLS as the ConfigMap says, health checks, metrics. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { freePorts } from '@turnsole/kube/base/free-ports';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { until } from '@turnsole/kube/testing/until';
import { makeAuthority, makeServerCertificate, toPem } from '@turnsole/kube/tls/index';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { defineRunKinds } from './testing/infrastructure.ts';
import { openScene, untilLogged, workflow } from './testing/scene.ts';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
});
after(() => api[Symbol.asyncDispose]());

const LIFE = { now: Date.now(), lifetimeDays: 1 };
const authority = makeAuthority({ commonName: 'chaos-ca', ...LIFE });
const own = makeServerCertificate(authority, { commonName: 'chaos', names: ['127.0.0.1'], ...LIFE });
const tls = {
  cert: toPem('CERTIFICATE', own.certificate),
  key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }),
};
const other = makeAuthority({ commonName: 'other-ca', ...LIFE });
/** CUSTOM_TLS_CERT with the certificates of these. */
const bundleOf = (...authorities: readonly (typeof authority)[]): string =>
  Buffer.from(authorities.map(({ certificate }) => toPem('CERTIFICATE', certificate)).join('')).toString(
    'base64',
  );
const elsewhere = makeServerCertificate(authority, {
  commonName: 'chaos',
  names: ['chaos.example.com'],
  ...LIFE,
});

for (const [name, env] of [
  ['of an authority that is given', { CUSTOM_TLS_CERT: bundleOf(authority) }],
  ['of one of several authorities', { CUSTOM_TLS_CERT: bundleOf(other, authority) }],
  ['that is not to be looked at', { SKIP_SSL_VERIFY: 'true' }],
  ['that is not to be looked at, whatever is given', { SKIP_SSL_VERIFY: 'true', CUSTOM_TLS_CERT: 'none' }],
] as const) {
  test(`a server with a certificate ${name} is spoken to by HTTPS and WSS`, async () => {
    await using world = await openScene(api, { tls, env });
    const { server } = world;
    await server.until(() => server.isSubscribed);
    server.act({ requestType: 'namespace', requestID: 'n' });
    await server.until(() => server.of('kubeNamespace').length === 1);
  });
}

for (const [name, certificate, env] of [
  ['that no authority vouches for', own, {}],
  ['that another authority vouches for', own, { CUSTOM_TLS_CERT: bundleOf(other) }],
  ['for another name', elsewhere, { CUSTOM_TLS_CERT: bundleOf(authority) }],
] as const) {
  test(`a server with a certificate ${name} gets nothing, and the log says why`, async () => {
    const key = certificate.privateKey.export({ type: 'pkcs8', format: 'pem' });
    await using world = await openScene(api, {
      tls: { cert: toPem('CERTIFICATE', certificate.certificate), key },
      env,
    });
    await untilLogged(world, certificate === elsewhere ? 'altnames' : 'certificate');
    assert.deepEqual(world.server.received, []);
  });
}

test('the readiness check says what is wrong, the metrics what has been done, and health stays', async () => {
  const [health = 0, metrics = 0] = await freePorts(2);
  await using world = await openScene(api, {
    flags: [`-health-probe-bind-address=127.0.0.1:${health}`, `-metrics-bind-address=127.0.0.1:${metrics}`],
    reply: () => ({ errors: ['ERROR: INFRA VERSION MISMATCH (need 4.0.0 got 3.31.0)'] }),
  });
  const { server, namespace } = world;
  const get = async (port: number, path: string): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    return answer === undefined ? 'nobody answers' : `${answer.status} ${await answer.text()}`;
  };
  const ready = async (expected: RegExp): Promise<void> => {
    let said = '';
    await until(
      async () => {
        said = await get(health, '/readyz');
        return expected.test(said);
      },
      () => `/readyz says ${said}`,
    );
  };
  await ready(/^503 .*need 4\.0\.0 got 3\.31\.0/s);
  assert.match(await get(health, '/healthz'), /^200/);
  server.reply = () => undefined;
  await ready(/^200/);
  await api.client.create(WORKFLOWS, workflow('run'), { namespace });
  await server.until(() => server.of('chaosExperimentRun').length === 1);
  const page = async (line: string): Promise<void> => {
    let said = '';
    await until(
      async () => {
        said = await get(metrics, '/metrics');
        return said.includes(line);
      },
      () => `/metrics says ${said}`,
    );
  };
  await page('turnsole_subscriber_events_total{outcome="taken"} 1');
  await page('turnsole_subscriber_connected 1');
  server.reply = ({ field }) =>
    field === 'chaosExperimentRun' ? { status: 502, body: '<html>bad gateway' } : undefined;
  await api.client.patch(WORKFLOWS, 'run', 'merge', { status: { phase: 'Running' } }, { namespace });
  await ready(/^503 .*HTTP 502.*bad gateway/s);
  await page('turnsole_subscriber_spool_events 1');
  assert.match(await get(health, '/healthz'), /^200/);
});
