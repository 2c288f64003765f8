/** Chaos in a namespace that enforces the level restricted of Pod Security: what runs there, and what a plan refuses beforehand. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Container, PolicyRule, Role, RoleBinding } from '@turnsole/kube/kinds/core';
import { NAMESPACES, ROLE_BINDINGS, ROLES } from '@turnsole/kube/kinds/resources';
import { RESTRICTED_CONTAINER } from '@turnsole/kube/kinds/restricted-container';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { stringify } from 'yaml';
import { workflowOver } from '../support/litmus-run.ts';
import { temporaryFolder } from '../support/turnsole.ts';
import { installArguments } from './support/installation.ts';
import { accountReady, TEST_NAMESPACE } from './support/namespaces.ts';
import { noCluster } from './support/settings.ts';
import { type App, Shop } from './support/shop.ts';

const LEVEL = { 'pod-security.kubernetes.io/enforce': 'restricted' } as const;
const securityContext = {
  ...RESTRICTED_CONTAINER,
  capabilities: { drop: ['ALL'] },
} satisfies Container['securityContext'];

describe('a restricted namespace on a cluster', { skip: noCluster, concurrency: 2 }, () => {
  let shop: Shop;
  let app: App;

  before(async () => {
    const opened = await Shop.open();
    const { client, settings } = opened;
    const name = `${settings.namespace}-restricted`;
    await client.create(NAMESPACES, { metadata: { name, labels: { ...TEST_NAMESPACE, ...LEVEL } } });
    await accountReady(client, name);
    opened.close();
    shop = await Shop.open(name);
    const args = installArguments({ ...settings, shop: `${settings.shop},${name}` });
    const { code, stdout, stderr } = await shop.turnsole(...args);
    assert.equal(code, 0, stdout + stderr);
    // What probes need beyond their fault is granted by the user: a source is a pod, and its command an exec.
    const grant = { name: 'sources' };
    const rules: PolicyRule[] = [
      { apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'list', 'watch', 'delete'] },
      { apiGroups: [''], resources: ['pods/exec'], verbs: ['create', 'get'] },
    ];
    await shop.client.create<Role>(ROLES, { metadata: grant, rules }, shop);
    const binding = {
      metadata: grant,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: grant.name },
      subjects: [{ kind: 'ServiceAccount', name: 'pod-delete-sa', namespace: name }],
    };
    await shop.client.create<RoleBinding>(ROLE_BINDINGS, binding, shop);
    app = await shop.app(2, { securityContext });
  });
  after(async () => {
    await shop?.client.delete(NAMESPACES, shop.namespace);
    shop?.close();
  });

  const cmdProbe = (name: string, source?: object): object => ({
    ...{ name, type: 'cmdProbe', mode: 'SOT' },
    'cmdProbe/inputs': {
      command: 'echo fine',
      comparator: { type: 'string', criteria: 'equal', value: 'fine' },
      ...(source && { source }),
    },
    runProperties: { probeTimeout: '60s', interval: '1s', attempt: 1 },
  });

  it('pod-delete runs and passes, with commands in its own pod and in one of another image', async () => {
    const { image, pullPolicy } = shop.settings;
    const probe = [cmdProbe('inline'), cmdProbe('source', { image, imagePullPolicy: pullPolicy })];
    const run = await shop.run({ app, experiment: { probe } });
    assert.equal(await run.verdict(), 'Pass', JSON.stringify((await run.result()).status));
    const statuses = (await run.result()).status?.probeStatuses ?? [];
    assert.deepEqual(
      statuses.map(({ status }) => status.verdict),
      ['Passed', 'Passed'],
    );
  });

  for (const [fault, env] of [
    ['pod-cpu-hog-exec', { TOTAL_CHAOS_DURATION: '3', CPU_CORES: '1' }],
    ['pod-network-partition', { TOTAL_CHAOS_DURATION: '3' }],
    ['node-cpu-hog', { TOTAL_CHAOS_DURATION: '3', NODE_CPU_CORE: '1', CPU_LOAD: '5' }],
  ] as const) {
    it(`${fault} runs and passes`, async () => {
      const ofNode = fault === 'node-cpu-hog';
      const run = await shop.run({ ...(!ofNode && { app }), fault, env });
      const verdict = await run.verdict();
      assert.equal(verdict, 'Pass', JSON.stringify((await run.result()).status));
    });
  }

  it('a plan refuses faults whose helpers may not run there, with what to allow, and accepts the others', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'engine.yaml');
    const plan = async (fault: string): Promise<{ code: number | null; text: string }> => {
      const engine = {
        apiVersion: 'litmuschaos.io/v1alpha1',
        kind: 'ChaosEngine',
        metadata: { name: `plan-${fault}`, namespace: shop.namespace },
        spec: {
          engineState: 'active',
          chaosServiceAccount: `${fault}-sa`,
          appinfo: { appns: shop.namespace, applabel: app.label, appkind: 'deployment' },
          experiments: [{ name: fault }],
        },
      };
      await writeFile(file, stringify(engine));
      const { code, stdout, stderr } = await shop.turnsole('plan', file);
      return { code, text: stdout + stderr };
    };
    const fine = await plan('pod-delete');
    assert.equal(fine.code, 0, fine.text);
    for (const fault of ['pod-http-status-code', 'container-kill', 'pod-memory-hog']) {
      const { code, text } = await plan(fault);
      assert.equal(code, 2, text);
      assert.match(
        text,
        new RegExp(
          `would refuse the helpers of ${fault} \\(dry run\\): .*violates PodSecurity "restricted:latest"`,
        ),
      );
      assert.match(text, /hostPID[\s\S]*enforce=privileged/);
      assert.match(text, /POD_REFUSED/);
    }
  });

  it('a workflow whose pods comply runs', async () => {
    const { image } = shop.settings;
    const name = `restricted-${app.name}`;
    const step = (template: string) => [{ name: template, template }];
    const container = (...command: string[]) => ({ image, command, securityContext });
    await shop.client.create<Workflow>(
      WORKFLOWS,
      {
        metadata: { name },
        spec: {
          entrypoint: 'main',
          serviceAccountName: 'argo-chaos',
          securityContext: { runAsNonRoot: true, runAsUser: 65_532 },
          templates: [
            { name: 'main', steps: [step('write'), step('look')] },
            {
              name: 'write',
              container: container('node', '-e', "require('fs').writeFileSync('/tmp/a', 'fine')"),
              outputs: { parameters: [{ name: 'a', valueFrom: { path: '/tmp/a' } }] },
            },
            { name: 'look', container: container('node', '-e', '0') },
          ],
        },
      } as never,
      shop,
    );
    const over = await workflowOver(shop.client, name, shop.limited);
    assert.equal(over.status?.phase, 'Succeeded', JSON.stringify(over.status));
  });
});
