/** Manifests as upstream gives them out, applied by kubectl to the cluster of `turnsole up`: its programs are Turnsole's, by their names. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { CoreEvent, Deployment, Lease, Node, Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, EVENTS, LEASES, NODES, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS, until } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { parse, parseAllDocuments } from 'yaml';
import { CHAOS_ENGINES, type ChaosEngine } from '../../src/api/index.ts';
import { controlPlane } from '../support/control-plane.ts';
import { studioWorkflow } from '../support/litmus-workflows.ts';
import { chaosAccount, webApp } from '../support/manifests.ts';
import { turnsole } from '../support/turnsole.ts';
import { applyText, type DetachedCluster, detachedCluster, output } from '../support/up.ts';
import { argoController, chaosCenterInfra, operatorAlone } from '../support/upstream-installations.ts';

const skip = await output('kubectl', ['version', '--client']).then(
  () => false,
  () => 'kubectl is not on PATH',
);
const LIMITS = { skip, timeout: 3 * PATIENCE_MS };
/** Writes a file and applies it, as its readers do. */
async function apply(cluster: DetachedCluster, text: string): Promise<void> {
  const file = `${cluster.folder}/manifest.yaml`;
  await writeFile(file, text);
  await kubectl(cluster, 'apply', '-f', file);
}

function kubectl(cluster: DetachedCluster, ...args: readonly string[]): Promise<string> {
  return output('kubectl', ['--kubeconfig', cluster.kubeconfig, ...args]);
}

async function available(
  cluster: DetachedCluster,
  namespace: string,
  ...names: readonly string[]
): Promise<void> {
  await Promise.all(
    names.map((name) =>
      waitForObject<Deployment>(
        cluster.client,
        DEPLOYMENTS,
        name,
        (found) => (found?.status?.readyReplicas ?? 0) > 0,
        { namespace, timeoutMs: PATIENCE_MS },
      ),
    ),
  );
}

async function told(cluster: DetachedCluster, namespace: string, reason: string): Promise<string> {
  let message = '';
  await waitForList<CoreEvent>(
    cluster.client,
    EVENTS,
    (events) => {
      message = events.find((event) => event.reason === reason)?.message ?? '';
      return message !== '';
    },
    { namespace, timeoutMs: PATIENCE_MS },
  );
  return message;
}

for (const [what, form, scope, args] of [
  ['registerInfra(flavour: litmus)', 'ours', 'cluster', []],
  ['ChaosCenter, of the cluster', 'theirs', 'cluster', []],
  ['ChaosCenter, of a namespace, without isolation', 'theirs', 'namespace', ['--isolation', 'none']],
] as const) {
  test(
    `an infrastructure as of ${what}: it connects, and runs an experiment to its end`,
    LIMITS,
    async (t) => {
      await using cluster = await detachedCluster(args);
      const [node] = (await cluster.client.list<Node>(NODES)).items;
      // Isolated pods reach their node, and not the loopback of the machine.
      const host = node?.status?.addresses?.[0]?.address ?? '';
      await using plane = await controlPlane(`${host}:0`, cluster.folder);
      const infra = await register(plane, scope, form);
      const startedAt = performance.now();
      if (scope === 'namespace') await kubectl(cluster, 'create', 'namespace', 'litmus');
      await apply(cluster, infra.manifest);
      await until(() => isActive(plane, infra.infraID), 'the infrastructure connects');
      const connectedAt = performance.now();
      await kubectl(cluster, 'config', 'set-context', '--current', '--namespace=litmus');
      await apply(cluster, webApp(2));
      const id = 'studio';
      const manifest = JSON.stringify(
        parse(studioWorkflow(id, { namespace: 'litmus', app: 'web', instanceId: infra.infraID })),
      );
      const experiment = {
        id,
        name: id,
        description: 'as the page saves it',
        manifest,
        infraID: infra.infraID,
        tags: [],
      };
      await plane.graphql(
        'mutation ($p: ID!, $r: SaveChaosExperimentRequest!) { saveChaosExperiment(projectID: $p, request: $r) }',
        { p: plane.project, r: experiment },
      );
      const run = await turnsole(['remote', 'experiment', 'run', id, '--wait'], plane.env);
      assert.equal(run.code, 0, `${run.stdout}\n${run.stderr}\n${await logsOf(cluster)}`);
      assert.match(run.stdout, /^Completed .*\n(.*\n)*score .*, 1 of 1 faults passed$/m);
      const seconds = (from: number, to: number): string => ((to - from) / 1000).toFixed(1);
      const now = performance.now();
      t.diagnostic(
        `connected after ${seconds(startedAt, connectedAt)} s, completed after ${seconds(startedAt, now)} s`,
      );
      // It was the infrastructure's own controller, which the built-in one left it to.
      assert.match(await told(cluster, 'litmus', 'BuiltInStandsAside'), /to this pod$/);
    },
  );
}

type Plane = Awaited<ReturnType<typeof controlPlane>>;

async function register(
  plane: Plane,
  scope: 'cluster' | 'namespace',
  form: 'ours' | 'theirs',
): Promise<{ readonly infraID: string; readonly manifest: string }> {
  const p = plane.project;
  await plane.graphql(
    'mutation ($p: ID!, $r: CreateEnvironmentRequest) { createEnvironment(projectID: $p, request: $r) { environmentID } }',
    { p, r: { name: 'e', environmentID: 'e', type: 'NON_PROD' } },
  );
  const request = {
    ...{
      name: 'i',
      environmentID: 'e',
      platformName: 'any',
      infrastructureType: 'Kubernetes',
      skipSsl: false,
    },
    ...{ infraScope: scope, infraNamespace: 'litmus', serviceAccount: 'litmus' },
    ...{ infraNsExists: scope === 'namespace', infraSaExists: false },
  };
  const { registerInfra } = await plane.graphql(
    `mutation ($p: ID!, $r: RegisterInfraRequest!) {
      registerInfra(projectID: $p, request: $r, flavour: litmus) { infraID manifest }
    }`,
    { p, r: request },
  );
  const made = registerInfra as { readonly infraID: string; readonly manifest: string };
  if (form === 'ours') return made;
  const secret = parseAllDocuments(made.manifest)
    .map((document) => document.toJS())
    .find(({ kind, metadata }) => kind === 'Secret' && metadata.name === 'subscriber-secret');
  const accessKey = Buffer.from(secret.data.ACCESS_KEY, 'base64').toString();
  const { infraID } = made;
  const serverAddress = `${plane.url}/query`;
  return {
    infraID,
    manifest: chaosCenterInfra({ infraID, accessKey, serverAddress, scope, namespace: 'litmus' }),
  };
}

async function isActive(plane: Plane, infraID: string): Promise<boolean> {
  const { getInfra } = await plane.graphql(
    'query ($p: ID!, $i: String!) { getInfra(projectID: $p, infraID: $i) { isActive } }',
    { p: plane.project, i: infraID },
  );
  return (getInfra as { readonly isActive: boolean }).isActive;
}

/** For the message of a failure. */
async function logsOf(cluster: DetachedCluster): Promise<string> {
  const names = ['subscriber', 'workflow-controller', 'chaos-operator-ce'];
  const logs = names.map((name) => kubectl(cluster, 'logs', '-n', 'litmus', `deploy/${name}`, '--tail=20'));
  return (await Promise.all(logs)).join('\n');
}

const ENGINE = `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: { name: web-chaos, namespace: default }
spec:
  engineState: active
  appinfo: { appns: default, applabel: app=web, appkind: deployment }
  chaosServiceAccount: chaos-sa
  experiments:
    - name: pod-delete
      spec: { components: { env: [{ name: TOTAL_CHAOS_DURATION, value: '2' }, { name: CHAOS_INTERVAL, value: '2' }] } }
---
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosExperiment
metadata: { name: pod-delete, namespace: default }
spec:
  definition:
    scope: Namespaced
    image: litmuschaos.docker.scarf.sh/litmuschaos/go-runner:latest
    args: [-c, ./experiments -name pod-delete]
    command: [/bin/bash]
    env: [{ name: FORCE, value: 'true' }]
    labels: { name: pod-delete }
`;

test(
  "the operator's own manifest, with its exporter: it leads, runs an engine, and serves metrics",
  LIMITS,
  async () => {
    await using cluster = await detachedCluster();
    await apply(cluster, operatorAlone('litmus'));
    await available(cluster, 'litmus', 'litmus', 'chaos-monitor');
    await waitForObject<Lease>(
      cluster.client,
      LEASES,
      'chaos-operator.lock',
      (found) => (found?.spec?.holderIdentity ?? '') !== '',
      { namespace: 'litmus', timeoutMs: PATIENCE_MS },
    );
    assert.match(await told(cluster, 'litmus', 'BuiltInStandsAside'), /the engines of all namespaces/);
    await applyText(cluster.client, `${webApp(2)}\n---\n${chaosAccount()}`);
    await apply(cluster, ENGINE);
    await waitForObject<ChaosEngine>(
      cluster.client,
      CHAOS_ENGINES,
      'web-chaos',
      (found) => found?.status?.engineStatus === 'completed',
      { namespace: 'default', timeoutMs: PATIENCE_MS },
    );
    const log = await kubectl(cluster, 'logs', '-n', 'litmus', 'deploy/litmus');
    assert.match(log, /"engine":"default\/web-chaos".*"engine completed"/);
  },
);

test("Argo's own manifests: the controller of the cluster, and that of a namespace", LIMITS, async () => {
  await using cluster = await detachedCluster();
  const submit = async (namespace: string, name: string): Promise<void> => {
    const text = `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  entrypoint: main
  templates: [{ name: main, container: { image: busybox, command: [echo], args: [hello] } }]
`;
    await applyText(cluster.client, text);
    await waitForObject<Workflow>(
      cluster.client,
      WORKFLOWS,
      name,
      (found) => found?.status?.phase === 'Succeeded',
      { namespace, timeoutMs: PATIENCE_MS },
    );
  };
  await apply(cluster, argoController('argo', true));
  await available(cluster, 'argo', 'workflow-controller');
  await submit('argo', 'inside');
  await submit('default', 'outside');
  assert.match(
    await told(cluster, 'argo', 'BuiltInStandsAside'),
    /without an instance id of namespace argo to/,
  );
  await kubectl(cluster, 'delete', 'namespace', 'argo');
  await apply(cluster, argoController('argo-all', false));
  await available(cluster, 'argo-all', 'workflow-controller');
  assert.match(await told(cluster, 'argo-all', 'BuiltInStandsAside'), /of all namespaces to/);
  await submit('default', 'anywhere');
});

/** Programs by name and by place, and as a shell finds them. */
const PROGRAMS: readonly (readonly [image: string, command: readonly string[], says: RegExp])[] = [
  [
    'litmuschaos/chaos-operator:3.31.0',
    ['chaos-operator', '-no-such-flag'],
    /-no-such-flag.*turnsole operator/,
  ],
  ['litmuschaos/chaos-operator:ci', ['/usr/local/bin/chaos-operator', '-x'], /-x.*turnsole operator/],
  ['litmuschaos/chaos-operator', ['sh', '-c', 'chaos-operator -x'], /-x.*turnsole operator/],
  ['litmuschaos/chaos-runner', ['chaos-runner'], /EXPERIMENT_LIST is not set/],
  ['litmuschaos/chaos-exporter', ['./chaos-exporter', '-x'], /-x.*turnsole exporter/],
  ['litmuschaos/litmusportal-subscriber', ['/litmus/subscriber', '-x'], /-x.*turnsole subscriber/],
  ['litmuschaos/litmusportal-event-tracker', ['./event-tracker', '-x'], /-x.*turnsole event-tracker/],
  [
    'quay.io/argoproj/workflow-controller:v3.7.1',
    ['workflow-controller', '-x'],
    /-x.*turnsole workflow-controller/,
  ],
  ['quay.io/argoproj/argoexec:v3.7.1', ['argoexec', 'emissary'], /not \\"emissary\\"|not "emissary"/],
  ['turnsole/turnsole', ['sh', '-c', './experiments -x'], /-x.*turnsole experiment/],
];

for (const args of [[], ['--isolation', 'none']] as const) {
  test(
    `programs of upstream's images run by their names and places, as any user ${args.join(' ')}`,
    LIMITS,
    async (t) => {
      await using cluster = await detachedCluster(args);
      await Promise.all(
        PROGRAMS.flatMap((program, index) =>
          [0, 2000].map((user) => runs(cluster, program, `p${index}-${user}`, user)),
        ),
      );
      t.diagnostic(`${PROGRAMS.length} programs`);
    },
  );
}

async function runs(
  cluster: DetachedCluster,
  [image, command, says]: (typeof PROGRAMS)[number],
  name: string,
  runAsUser: number,
): Promise<void> {
  const container = { name: 'main', image, command: [...command], securityContext: { runAsUser } };
  const pod = { metadata: { name }, spec: { restartPolicy: 'Never' as const, containers: [container] } };
  await cluster.client.create<Pod>(PODS, pod, { namespace: 'default' });
  await waitForObject<Pod>(
    cluster.client,
    PODS,
    name,
    (found) => ['Succeeded', 'Failed'].includes(found?.status?.phase ?? ''),
    { namespace: 'default', timeoutMs: PATIENCE_MS },
  );
  assert.match(await kubectl(cluster, 'logs', name), says, `${image}: ${command.join(' ')}`);
}
