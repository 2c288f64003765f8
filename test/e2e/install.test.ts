import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import type { EmbeddedCluster } from '@turnsole/cluster/cluster/types';
import { createClient, loadKubeconfig } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Deployment, Role, RoleBinding, Service } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, NAMESPACES, ROLE_BINDINGS, ROLES, SERVICES } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CHAOS_ENGINES, CHAOS_RESULTS, type ChaosEngine, type ChaosResult } from '../../src/api/index.ts';
import { startChaosCluster } from '../../src/embedded/index.ts';
import { inventory } from '../support/inventory.ts';
import { webApp } from '../support/manifests.ts';
import { type CommandOutcome, TurnsoleProcess, temporaryFolder, turnsole } from '../support/turnsole.ts';
import { applyText, detachedCluster } from '../support/up.ts';

const LITMUS = { namespace: 'litmus' } as const;
/** As the Helm chart's values have it. */
const PLATFORM = `
labels: { team: sre }
annotations: { example.org/owner: sre@example.org }
tolerations: [{ key: infra, operator: Exists, effect: NoSchedule }]
extraEnv: [{ name: HTTPS_PROXY, value: "http://proxy:3128" }]
`;
const LIMIT_MS = 90_000;
const SHOP = { namespace: 'shop', timeoutMs: LIMIT_MS } as const;

function engine(name: string, seconds: number): string {
  return `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: { name: ${name}, namespace: shop }
spec:
  engineState: active
  chaosServiceAccount: pod-delete-sa
  appinfo: { appns: shop, applabel: app=web, appkind: deployment }
  experiments:
    - name: pod-delete
      spec:
        components:
          env:
            - { name: TOTAL_CHAOS_DURATION, value: "${seconds}" }
            - { name: CHAOS_INTERVAL, value: "3" }
`;
}

describe('printing instead of installing', () => {
  it('gives all of it to a pipe', async () => {
    const { ended } = new TurnsoleProcess(['install', '--faults', 'all', '--webhook', '--output', 'json']);
    const { code, stdout } = await ended;
    assert.equal(code, 0);
    // A list of the API, as kubectl takes it.
    const { items } = JSON.parse(stdout) as { items: readonly unknown[] };
    assert.ok(stdout.length > 65_536 && items.length > 20);
  });
});

describe('install and uninstall on a cluster with RBAC', () => {
  let cluster: EmbeddedCluster;
  let client: KubeClient;
  let untouched: ReadonlySet<string>;
  let installSeconds = 0;

  before(async () => {
    cluster = await startChaosCluster({ isolation: 'none' });
    client = createClient(cluster.adminConfig);
    await client.create(NAMESPACES, { metadata: { name: 'shop' } });
    await applyText(
      client,
      webApp(2).replaceAll('metadata: { name: web', 'metadata: { namespace: shop, name: web'),
    );
    untouched = await inventory(client);
    // As on a cluster where LitmusChaos was used: the installation has to run over its experiment, account and role.
    const chart = await readFile(
      new URL('../../examples/quickstart/2-pod-delete.yaml', import.meta.url),
      'utf8',
    );
    await applyText(
      client,
      chart
        .replaceAll(/^ {2}name: pod-delete(-sa)?$/gm, '$&\n  namespace: shop')
        .replaceAll('default', 'shop'),
    );
  });

  after(async () => {
    client.close();
    await cluster.close();
  });

  const command = async (...args: string[]): Promise<CommandOutcome> =>
    turnsole([...args, '--kubeconfig', cluster.kubeconfigPath]);
  const install = async (...args: string[]): Promise<CommandOutcome> => {
    const all = ['--faults', 'all', '--fault-namespace', 'shop', '--leader-elect', '--webhook', ...args];
    const outcome = await command('install', ...all);
    assert.equal(outcome.code, 0, outcome.stdout + outcome.stderr);
    return outcome;
  };
  const uidOf = async (): Promise<string | undefined> =>
    (await client.get<Deployment>(DEPLOYMENTS, 'turnsole-operator', { namespace: 'litmus' })).metadata.uid;
  const state = (name: string, wanted: (engine: ChaosEngine | undefined) => boolean): Promise<unknown> =>
    waitForObject<ChaosEngine>(client, CHAOS_ENGINES, name, wanted, SHOP);

  it('installs, waits for the operator, and changes nothing when it is done again', async () => {
    const begun = performance.now();
    const first = await install('--exporter');
    installSeconds = (performance.now() - begun) / 1000;
    assert.match(first.stdout, /Deployment litmus\/turnsole-operator ready/);
    assert.match(first.stdout, /Deployment litmus\/turnsole-exporter ready/);
    assert.match(first.stdout, /^Namespace shop kept$/m);
    assert.match(
      first.stdout,
      /^ChaosExperiment shop\/pod-delete changed\n {2}image .*, command \["\/bin\/bash"\], args .* replaced\n {2}env stays as /m,
    );
    const again = await install('--exporter');
    assert.doesNotMatch(again.stdout, / (created|changed)$/m);
  });

  it('gives faults and operator the permissions they need, and an upgrade lets a running engine go on', async () => {
    // It has to be under way still when the upgrade is done, which takes about as long as the first installation.
    const seconds = Math.max(30, Math.ceil(4 * installSeconds));
    await applyText(
      client,
      engine('upgraded', seconds).replace('\nspec:\n', '\nspec:\n  monitoring: true\n'),
    );
    await state('upgraded', (found) => found?.status?.experiments?.[0]?.status === 'Running');
    const uid = await uidOf();
    // Another pull policy is another pod template, as another image would be.
    const upgrade = await install('--image-pull-policy', 'Always');
    assert.match(upgrade.stdout, /Deployment litmus\/turnsole-operator changed/);
    assert.equal(await uidOf(), uid);
    const found = await client.get<ChaosEngine>(CHAOS_ENGINES, 'upgraded', SHOP);
    assert.equal(found.status?.engineStatus, 'initialized', JSON.stringify(found.status?.experiments));
    const attempts = found.status?.runnerAttempts;
    const timeoutMs = 1_000 * seconds + LIMIT_MS;
    const isCompleted = (now: ChaosEngine | undefined): boolean => now?.status?.engineStatus === 'completed';
    await waitForObject(client, CHAOS_ENGINES, 'upgraded', isCompleted, { ...SHOP, timeoutMs });
    const ended = await client.get<ChaosEngine>(CHAOS_ENGINES, 'upgraded', SHOP);
    assert.equal(ended.status?.experiments?.[0]?.verdict, 'Pass');
    assert.equal(ended.status?.runnerAttempts, attempts);
    const { spec } = await client.get<Service>(SERVICES, 'upgraded-monitor', SHOP);
    const page = await (await fetch(`http://${spec?.clusterIP}:8080/metrics`)).text();
    assert.match(page, /^c_engine_passed_experiments\{.*\} 1$/m);
  });

  it('runs workflows, whose steps and engines have the accounts that LitmusChaos gives them', async () => {
    await applyText(
      client,
      `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: chaos, namespace: shop }
spec:
  entrypoint: main
  serviceAccountName: argo-chaos
  templates:
    - name: main
      steps: [[{ name: run, template: run }], [{ name: clean, template: clean }]]
    - name: run
      inputs:
        artifacts:
          - name: pod-delete
            path: /tmp/chaosengine.yaml
            raw:
              data: |
${engine('in-workflow', 3)
  .replace('pod-delete-sa', 'litmus-admin')
  .trim()
  .split('\n')
  .map((line) => `                ${line}`)
  .join('\n')}
      container: { image: litmuschaos/litmus-checker, args: [-file=/tmp/chaosengine.yaml] }
    - name: clean
      container: { image: litmuschaos/k8s, command: [sh, -c], args: [kubectl delete chaosengine in-workflow -n shop] }
`,
    );
    const isOver = (found: Workflow | undefined): boolean => found?.status?.finishedAt !== undefined;
    const ended = await waitForObject<Workflow>(client, WORKFLOWS, 'chaos', isOver, SHOP);
    assert.equal(ended?.status?.phase, 'Succeeded', JSON.stringify(ended?.status?.nodes, null, 1));
    const result = await client.get<ChaosResult>(CHAOS_RESULTS, 'in-workflow-pod-delete', SHOP);
    assert.equal(result.status?.experimentStatus?.verdict, 'Pass');
    assert.equal(await client.find(CHAOS_ENGINES, 'in-workflow', SHOP), undefined);
    await client.delete(WORKFLOWS, 'chaos', SHOP);
  });

  it('asks the webhook: what is not valid, and what its creator may not do, is refused', async () => {
    const config = await loadKubeconfig({ path: cluster.kubeconfigPath });
    const rules = [{ apiGroups: ['litmuschaos.io'], resources: ['chaosengines'], verbs: ['*'] }];
    const api = 'rbac.authorization.k8s.io';
    await client.create<Role>(ROLES, { metadata: { name: 'jane' }, rules }, { namespace: 'shop' });
    await client.create<RoleBinding>(
      ROLE_BINDINGS,
      {
        metadata: { name: 'jane' },
        roleRef: { apiGroup: api, kind: 'Role', name: 'jane' },
        subjects: [{ apiGroup: api, kind: 'User', name: 'jane' }],
      },
      { namespace: 'shop' },
    );
    const jane = createClient({ ...config, impersonate: { user: 'jane' } });
    try {
      await assert.rejects(
        applyText(jane, engine('hers', 3)),
        /admission webhook "create\.turnsole\.io" denied the request: .*delete pods/s,
      );
    } finally {
      jane.close();
      await client.delete(ROLE_BINDINGS, 'jane', { namespace: 'shop' });
      await client.delete(ROLES, 'jane', { namespace: 'shop' });
    }
    await assert.rejects(
      applyText(client, engine('bad', 3).replace('applabel: app=web, ', '')),
      /admission webhook "create\.turnsole\.io" denied the request: .*spec\.appinfo/s,
    );
  });

  it('takes what platform teams ask from a file, and refuses what is no such thing by field and line', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'values.yaml');
    await writeFile(file, PLATFORM);
    const done = await install('--exporter', '--values', file);
    assert.equal(done.code, 0, done.stderr);
    const { metadata, spec } = await client.get<Deployment>(DEPLOYMENTS, 'turnsole-exporter', LITMUS);
    assert.deepEqual(
      [metadata.labels?.['team'], metadata.annotations?.['example.org/owner']],
      ['sre', 'sre@example.org'],
    );
    const { spec: pod } = spec?.template ?? {};
    assert.equal(pod?.tolerations?.[0]?.key, 'infra');
    assert.equal(pod?.containers[0]?.env?.at(-1)?.name, 'HTTPS_PROXY');
    await writeFile(file, 'nodeSelektor: {}\nlabels:\n  app.kubernetes.io/name: x\n');
    const unknown = await command('install', '--values', file);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /values\.yaml:1: nodeSelektor: .*did you mean "?nodeSelector/);
    await writeFile(file, 'labels:\n  app.kubernetes.io/name: x\n');
    const taken = await command('install', '--values', file);
    assert.equal(taken.code, 2);
    assert.match(taken.stderr, /values\.yaml:2: labels\.app\.kubernetes\.io\/name: .*choose another name/);
  });

  it('removes a component that is not wanted any more, and leaves those of which nothing was said', async () => {
    assert.equal((await install('--event-tracker')).code, 0);
    const without = await install('--no-exporter');
    assert.equal(without.code, 0, without.stderr);
    assert.match(without.stdout, /Deployment litmus\/turnsole-exporter deleted/);
    assert.equal(await client.find(DEPLOYMENTS, 'turnsole-exporter', LITMUS), undefined);
    assert.equal(await client.find(SERVICES, 'turnsole-exporter-metrics', LITMUS), undefined);
    assert.ok(await client.find(DEPLOYMENTS, 'turnsole-event-tracker', LITMUS));
    assert.ok(await client.find(DEPLOYMENTS, 'turnsole-operator', LITMUS));
  });

  it('uninstalls only when told that engines may go, and leaves nothing of a running one', async () => {
    await applyText(client, engine('running', 600));
    await state('running', (found) => found?.status?.experiments?.[0]?.status === 'Running');
    const asked = await command('uninstall');
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /2 ChaosEngines.* would be deleted, 1 of them running; say --yes/);

    const done = await command('uninstall', '--yes');
    assert.equal(done.code, 0, done.stdout + done.stderr);
    const isOfTheApp = (name: string): boolean =>
      /^(?:Pod|Event|Lease|ReplicaSet|ControllerRevision|EndpointSlice|Endpoints) /.test(name) &&
      / shop\/web/.test(name);
    const left = [...(await inventory(client))].filter(
      (name) => !untouched.has(name) && !name.startsWith('Event ') && !isOfTheApp(name),
    );
    assert.deepEqual(left, []);
    const again = await command('uninstall');
    assert.equal(again.code, 0, again.stdout + again.stderr);
  });
});

test('an embedded cluster keeps its own kinds when an installation goes, and the next run works', async () => {
  await using cluster = await detachedCluster();
  const { client } = cluster;
  await applyText(client, webApp(1));
  const command = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await turnsole([...args, '--kubeconfig', cluster.kubeconfig]);
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  };
  const fault = ['--fault', 'pod-delete', '--target', 'deployment/web', '--no-probe'];
  const run = ['run', ...fault, '--set', 'TOTAL_CHAOS_DURATION=1'];
  await command(...run);
  await command('install', '--faults', 'pod-delete', '--fault-namespace', 'default');
  const said = await command('uninstall', '--yes');
  assert.match(said, /the definitions of the chaos kinds stay: this embedded cluster has them/);
  assert.deepEqual((await client.list(CHAOS_ENGINES)).items, []);
  assert.deepEqual((await client.list(CHAOS_RESULTS)).items, []);
  assert.match(await command(...run), /pod-delete +Pass/);
});
