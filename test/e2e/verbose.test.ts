/** `turnsole run --verbose` by users who may run engines, but may not read everything that it would show. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadKubeconfig } from '@turnsole/kube/client/index';
import { chaosAccount, documents, engine, experiment, webApp } from '../support/manifests.ts';
import { turnsole } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

/** May run engines, and do with pods what the rule allows. */
function user(name: string, podRule = ''): string {
  return `
apiVersion: v1
kind: ServiceAccount
metadata: { name: ${name} }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: ${name} }
rules:
  - { apiGroups: [litmuschaos.io, apps, rbac.authorization.k8s.io, authorization.k8s.io], resources: ['*'], verbs: ['*'] }
  - { apiGroups: [''], resources: [serviceaccounts, configmaps, secrets, events, namespaces], verbs: [get, list, watch] }
${podRule}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: ${name} }
subjects: [{ kind: ServiceAccount, name: ${name}, namespace: default }]
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${name} }
`;
}

const MAY_LIST_PODS = `  - { apiGroups: [''], resources: [pods], verbs: [get, list, watch] }`;

describe('a verbose run', () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await detachedCluster();
    const users = [user('runs-engines'), user('lists-pods', MAY_LIST_PODS)];
    await applyText(cluster.client, documents(webApp(), chaosAccount(), experiment('pod-delete'), ...users));
  });
  after(() => cluster[Symbol.asyncDispose]());

  /** Runs the engine as a user. Whatever nobody catches ends the command. */
  async function runAs(name: string): Promise<string> {
    const path = `/api/v1/namespaces/default/serviceaccounts/${name}/token`;
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { status } = await cluster.client.raw<{ readonly status: { readonly token: string } }>(
      'POST',
      path,
      request,
    );
    const { server, certificateAuthority = '' } = await loadKubeconfig({ path: cluster.kubeconfig });
    const authority = { 'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64') };
    const kubeconfig = join(cluster.folder, `${name}.kubeconfig`);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server, ...authority } }],
      users: [{ name: 'u', user: { token: status.token } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    const file = join(cluster.folder, `${name}.yaml`);
    await Promise.all([writeFile(kubeconfig, JSON.stringify(config)), writeFile(file, engine())]);
    const { code, stdout, stderr } = await turnsole(['run', file, '--kubeconfig', kubeconfig, '--verbose']);
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  }

  it('ends with its verdict although its user may not list pods, and says that logs are missing', async () => {
    assert.match(
      await runAs('runs-engines'),
      /warning: logs of chaos in namespace default are not shown: .*pods is forbidden/,
    );
  });

  it('passes over pods whose logs its user may not read', async () => {
    assert.doesNotMatch(await runAs('lists-pods'), /are not shown/);
  });
});
