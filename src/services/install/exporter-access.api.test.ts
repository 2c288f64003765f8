/** The exporter under the account and with the roles of an installation, and nothing else. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { createClient } from '@turnsole/kube/client/client';
import { isForbidden } from '@turnsole/kube/client/errors';
import type { ClusterConfig } from '@turnsole/kube/client/types';
import { CONFIG_MAPS, NAMESPACES, SECRETS } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { CHAOS_RESULTS } from '../../api/index.ts';
import { HALT_NAME, HALT_NAMESPACE } from '../../chaos/halt.ts';
import { engineOf, resultOf, store, storeEngine } from '../../components/exporter/testing/results.ts';
import { startExporter } from '../../components/exporter/testing/running-exporter.ts';
import { defineRunKinds } from '../../components/subscriber/testing/infrastructure.ts';
import { applyObjects } from './apply-objects.ts';
import { exporterObjects } from './exporter-objects.ts';
import { EXPORTER_NAME } from './names.ts';
import { compileInstallSettings, type InstallOptions } from './settings.ts';

const HOME = 'litmus';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
  for (const name of [HOME, 'shop', 'other']) await api.client.create(NAMESPACES, { metadata: { name } });
  for (const namespace of ['shop', 'other']) {
    await storeEngine(api.client, namespace, engineOf());
    await store(api.client, namespace, resultOf());
  }
  for (const namespace of ['shop', HALT_NAMESPACE]) {
    await api.client.create(CONFIG_MAPS, { metadata: { name: HALT_NAME } }, { namespace });
  }
});
after(() => api[Symbol.asyncDispose]());

/** Applies the objects of an exporter, without its Deployment; gives the credentials that its pod would have. */
async function installed(options: InstallOptions): Promise<ClusterConfig> {
  const { settings } = compileInstallSettings({ ...options, exporter: true }, { version: '1', faults: [] });
  const objects = exporterObjects(settings).filter(({ kind }) => kind !== 'Deployment');
  const { client } = api;
  const signal = new AbortController().signal;
  await applyObjects(objects, { client, kinds: new KindResolver(client), signal, onApplied: () => {} });
  const path = `/api/v1/namespaces/${HOME}/serviceaccounts/${EXPORTER_NAME}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = await client.raw<{ status: { token: string } }>('POST', path, request);
  return { ...api.server.adminConfig, namespace: HOME, token: () => status.token };
}

const SCOPES: readonly (readonly [name: string, options: InstallOptions, results: number, levers: number])[] =
  [
    ['one namespace', { watchNamespace: 'shop' }, 1, 2],
    ['the cluster', {}, 2, 2],
  ];

for (const [name, options, results, levers] of SCOPES) {
  test(`the roles of ${name} let the exporter follow everything that it shows`, async () => {
    const config = await installed(options);
    const client = createClient(config);
    const beyond = options.watchNamespace === undefined ? SECRETS : CHAOS_RESULTS;
    await assert.rejects(client.list(beyond, { namespace: 'other' }), isForbidden, 'and nothing else');
    client.close();
    await using exporter = await startExporter(config, options.watchNamespace ?? '');
    const page = await exporter.scrapeUntil(
      (now) => now.of('turnsole_exporter_following').every((value) => value === 1),
      'everything is followed',
    );
    assert.equal(page.of('turnsole_exporter_following').length, 4);
    assert.equal(page.of('litmuschaos_awaited_experiments', 'workflow_name="nightly"').length, results);
    assert.equal(page.of('turnsole_halted_since_timestamp_seconds').length, levers);
  });
}
