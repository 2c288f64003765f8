/** The experiments of the default hub, as they are in the package, on a cluster of `turnsole up`. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosResult } from '../../src/api/index.ts';
import { parseManifests } from '../../src/services/manifests/load.ts';
import { workflowOver } from '../support/litmus-run.ts';
import { webApp } from '../support/manifests.ts';
import { applyText, type DetachedCluster, detachedCluster } from '../support/up.ts';

const HUB = join(import.meta.dirname, '..', '..', 'deploy', 'hub');
const PLACE = { namespace: 'litmus', timeoutMs: PATIENCE_MS } as const;

const LITMUS = `
apiVersion: v1
kind: Namespace
metadata: { name: litmus }
${['argo-chaos', 'litmus-admin']
  .map(
    (name) => `
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: ${name}, namespace: litmus }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: ${name} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
subjects: [{ kind: ServiceAccount, name: ${name}, namespace: litmus }]
`,
  )
  .join('')}`;

async function sample(name: string): Promise<string> {
  return readFile(join(HUB, 'experiments', name, 'experiment.yaml'), 'utf8');
}

describe('the default hub', () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await detachedCluster();
    await applyText(cluster.client, `${webApp(3)}\n---\n${LITMUS}`);
  });
  after(() => cluster?.[Symbol.asyncDispose]());

  it('has manifests that the API accepts, all of them', async () => {
    const kinds = new KindResolver(cluster.client);
    const paths = (await readdir(HUB, { recursive: true })).filter((path) =>
      /\/(fault|engine|experiment)\.yaml$/.test(path),
    );
    assert.ok(paths.length > 80);
    for (const path of paths) {
      const text = await readFile(join(HUB, path), 'utf8');
      for (const { object } of parseManifests(path, text, [])) {
        const resource = await kinds.resolve(object.apiVersion ?? '', object.kind ?? '');
        assert.ok(typeof resource !== 'string', `${path}: ${String(resource)}`);
        const { namespace = 'default' } = object.metadata;
        await cluster.client.create(resource, object, { namespace, dryRun: true });
      }
    }
  });

  it('its experiment pods-die passes while the application is asked, and leaves no engine', async () => {
    await applyText(cluster.client, (await sample('pods-die')).replace('value: "15"', 'value: "6"'));
    const workflow = await workflowOver(cluster.client, 'pods-die', PLACE);
    assert.equal(workflow.status?.phase, 'Succeeded', JSON.stringify(workflow.status));
    const { items } = await cluster.client.list<ChaosResult>(CHAOS_RESULTS, PLACE);
    assert.deepEqual(
      items.map(({ status }) => [
        status?.experimentStatus?.verdict,
        status?.experimentStatus?.probeSuccessPercentage,
      ]),
      [['Pass', '100']],
    );
    assert.deepEqual((await cluster.client.list(CHAOS_ENGINES, PLACE)).items, []);
  });
});
