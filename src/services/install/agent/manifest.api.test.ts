/** The manifests of infrastructures are what kubectl takes, as they are. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { NAMESPACES } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import { parseAllDocuments } from 'yaml';
import type { InstallObject } from '../install-object.ts';
import type { Registration } from './registration.ts';
import { renderManifest } from './render-manifest.ts';

const run = promisify(execFile);
const kubectlMissing = await run('kubectl', ['version', '--client']).then(
  () => false,
  () => 'kubectl is not on PATH',
);

/** Deployments whose WATCH_NAMESPACE is the empty text, which no server keeps: kubectl finds it missing each time. */
const OWN_EMPTY_VARIABLE = /^deployment.apps\/turnsole-(operator|exporter) configured$/;

const REGISTRATION: Registration = {
  infraID: 'd0a3c4d2-0000-4000-8000-000000000001',
  accessKey: 'key: with "signs"',
  isConfirmed: false,
  scope: 'cluster',
  namespace: 'litmus',
  serviceAccount: 'litmus',
  namespaceExists: false,
  serviceAccountExists: false,
  startTime: 1_000,
  serverAddress: 'https://chaos.example.com/query',
  version: '3.31.0',
  skipSsl: false,
  ca: undefined,
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'a', operator: 'Exists' }],
  image: 'turnsole/turnsole:1.0.0',
};

function objectsOf(manifest: string): InstallObject[] {
  return parseAllDocuments(manifest).map((document) => document.toJS());
}

for (const flavour of ['turnsole', 'litmus'] as const) {
  for (const scope of ['cluster', 'namespace'] as const) {
    const name = `the manifest of ${flavour}'s components for a ${scope}`;
    const registration = { ...REGISTRATION, scope };

    test(`${name} is applied by kubectl, and again without a change`, {
      skip: kubectlMissing,
    }, async () => {
      await using api = await startApi(createApiServer);
      const folder = await mkdtemp(join(tmpdir(), 'turnsole-manifest-'));
      try {
        if (scope === 'namespace') await api.client.create(NAMESPACES, { metadata: { name: 'litmus' } });
        const file = join(folder, 'infra.yaml');
        await writeFile(file, renderManifest(registration, flavour));
        const apply = async (): Promise<string[]> => {
          const args = ['--kubeconfig', api.server.kubeconfigPath, 'apply', '-f', file];
          const { stdout } = await run('kubectl', args, { timeout: 120_000 });
          return stdout.trim().split('\n');
        };
        const first = await apply();
        assert.ok(first.length > 20);
        assert.deepEqual(
          first.filter((line) => !line.endsWith(' created')),
          [],
        );
        const again = await apply();
        assert.deepEqual(
          again.filter((line) => !line.endsWith(' unchanged') && !OWN_EMPTY_VARIABLE.test(line)),
          [],
        );
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
}

test('pods run on the nodes that the registration names', () => {
  for (const flavour of ['turnsole', 'litmus'] as const) {
    const deployments = objectsOf(renderManifest(REGISTRATION, flavour)).filter(
      ({ kind }) => kind === 'Deployment',
    );
    assert.ok(deployments.length >= 4);
    for (const { spec } of deployments) {
      const pod = (spec as { template: { spec: object } }).template.spec;
      assert.deepEqual(pod, {
        ...pod,
        nodeSelector: { disk: 'ssd' },
        tolerations: [{ key: 'a', operator: 'Exists' }],
      });
    }
  }
});

test('what is there already is left out, and a namespace gets nothing of the cluster', () => {
  for (const flavour of ['turnsole', 'litmus'] as const) {
    const kinds = (change: Partial<Registration>): Set<string> =>
      new Set(objectsOf(renderManifest({ ...REGISTRATION, ...change }, flavour)).map(({ kind }) => kind));
    assert.ok(kinds({}).has('Namespace'));
    assert.ok(!kinds({ namespaceExists: true }).has('Namespace'));
    const own = objectsOf(renderManifest({ ...REGISTRATION, scope: 'namespace' }, flavour));
    assert.deepEqual(
      own.filter(({ metadata }) => metadata.namespace !== 'litmus'),
      [],
    );
  }
  const accounts = (serviceAccountExists: boolean): number =>
    objectsOf(renderManifest({ ...REGISTRATION, serviceAccountExists }, 'litmus')).filter(
      ({ kind, metadata }) => kind === 'ServiceAccount' && metadata.name === 'litmus',
    ).length;
  assert.deepEqual([accounts(false), accounts(true)], [1, 0]);
});
