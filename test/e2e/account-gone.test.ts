/** The service account of a run is deleted, or loses its permissions, while the fault is in force: the run ends, and says why. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isolationMissing } from '@turnsole/cluster/node/testing/isolation-missing';
import { createClient } from '@turnsole/kube/client/client';
import { loadKubeconfig } from '@turnsole/kube/client/config/kubeconfig';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { ROLE_BINDINGS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { PATIENCE_MS, until } from '@turnsole/kube/testing/until';
import { CHAOS_ENGINES, type ChaosEngine } from '../../src/api/index.ts';
import { JOURNAL_FOLDER } from '../../src/chaos/journal-folder.ts';
import { MAIN, TurnsoleProcess, temporaryFolder } from '../support/turnsole.ts';
import { output } from '../support/up.ts';

const missing = await isolationMissing();
const ACCOUNT = 'pod-network-loss-sa';
/** Much less than the chaos, which goes on where the run does not end by itself. */
const CHAOS_SECONDS = 600;

const scene = (namespace: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: ${namespace} }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: busybox, command: [sleep, "900"] }] }
---
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: { name: eng, namespace: ${namespace} }
spec:
  engineState: active
  appinfo: { appns: ${namespace}, applabel: app=web, appkind: deployment }
  chaosServiceAccount: ${ACCOUNT}
  experiments:
    - name: pod-network-loss
      spec: { components: { env: [{ name: TOTAL_CHAOS_DURATION, value: "${CHAOS_SECONDS}" }] } }
`;

const deleted = (client: KubeClient, namespace: string): Promise<unknown> =>
  client.delete(SERVICE_ACCOUNTS, ACCOUNT, { namespace });

async function unbound(client: KubeClient, namespace: string): Promise<void> {
  const { items } = await client.list<KubeObject>(ROLE_BINDINGS, { namespace });
  assert.ok(items.length > 0);
  for (const { metadata } of items) await client.delete(ROLE_BINDINGS, metadata.name, { namespace });
}

const CASES = [
  [
    'deleted',
    deleted,
    'ServiceAccountNotFound',
    /the service account was deleted while the run was under way/,
  ],
  ['without its permissions', unbound, 'RunnerRefused', /lacks a permission that the run needs .*403/],
] as const;

describe('the account of a run', { skip: missing ?? false, concurrency: 1 }, () => {
  const stack = new AsyncDisposableStack();
  after(() => stack.disposeAsync());
  let folder = '';
  let kubeconfig = '';
  let client: KubeClient;

  before(async () => {
    folder = stack.use(await temporaryFolder()).path;
    kubeconfig = join(folder, 'kubeconfig');
    const name = `account-${process.pid}`;
    const env = { TMPDIR: folder, XDG_STATE_HOME: join(folder, 'state') };
    stack.use(
      new TurnsoleProcess(['up', '--isolation', 'full', '--name', name, '--kubeconfig', kubeconfig], env),
    );
    await until(() => existsSync(kubeconfig), 'no kubeconfig', PATIENCE_MS);
    client = createClient(await loadKubeconfig({ path: kubeconfig }));
    stack.defer(() => client.close());
  });

  for (const [what, befall, reason, says] of CASES) {
    test(`is ${what} while the fault is in force`, async () => {
      const namespace = `account-${reason.toLowerCase()}`;
      const chart = await output(process.execPath, [
        ...[MAIN, 'faults', 'chart', 'pod-network-loss', '-n', namespace],
      ]);
      const file = join(folder, `${namespace}.yaml`);
      const head = `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${namespace} }\n---\n`;
      writeFileSync(file, `${head}${chart}\n---${scene(namespace)}`);
      await using run = new TurnsoleProcess(['run', file, '--kubeconfig', kubeconfig]);
      await run.line(/hit container web/);
      await befall(client, namespace);
      const { stdout, code } = await run.ended;
      assert.match(stdout, /pod-network-loss\s+Error/);
      assert.match(stdout, says);
      assert.equal(code, 1);
      assert.deepEqual(
        readdirSync(JOURNAL_FOLDER).filter((name) => name.startsWith(`${namespace}_`)),
        [],
        'its helper has reverted',
      );
      const { status } = await client.get<ChaosEngine>(CHAOS_ENGINES, 'eng', { namespace });
      assert.deepEqual(
        status?.experiments?.map(({ verdict }) => verdict),
        ['Error'],
      );
      assert.ok(status?.conditions?.some((condition) => condition.reason === reason));
    });
  }
});
