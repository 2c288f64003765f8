import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@turnsole/kube/client/client';
import type { KubeClient } from '@turnsole/kube/client/types';
import { POD_DISRUPTION_BUDGETS, PODS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { stringify } from 'yaml';
import { type ExperimentCluster, shareExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import { planManifest } from './plan-manifest.ts';
import type { PlanSummary } from './plan-summary.ts';

let cluster: ExperimentCluster;
shareExperimentCluster((started) => {
  cluster = started;
});

const EXPERIMENT = {
  apiVersion: 'litmuschaos.io/v1alpha1',
  kind: 'ChaosExperiment',
  metadata: { name: 'pod-delete' },
  spec: {
    definition: {
      scope: 'Namespaced',
      image: 'litmuschaos/go-runner:latest',
      command: ['/bin/bash'],
      args: ['-c', './experiments -name pod-delete'],
      env: [
        { name: 'TOTAL_CHAOS_DURATION', value: '15' },
        { name: 'CHAOS_INTERVAL', value: '5' },
      ],
    },
  },
};

function engine(namespace: string, label = 'app=web'): object {
  const env = [{ name: 'PODS_AFFECTED_PERC', value: '67' }];
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { generateName: 'delete-web' },
    spec: {
      engineState: 'active',
      appinfo: { appns: namespace, applabel: label, appkind: 'deployment' },
      chaosServiceAccount: 'chaos-sa',
      experiments: [{ name: 'pod-delete', spec: { components: { env } } }],
    },
  };
}

/** As the page makes it: a step that installs the fault, and one that makes the engine. */
function workflow(namespace: string, label?: string): string {
  const artifact = (name: string, object: object) => ({
    ...{ name, path: `/tmp/${name}.yaml`, raw: { data: stringify(object) } },
  });
  const container = { image: 'litmuschaos/k8s:2.11.0', command: ['sh', '-c'] };
  return JSON.stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'shop', namespace },
    spec: {
      entrypoint: 'shop',
      templates: [
        { name: 'shop', steps: ['install', 'hit'].map((name) => [{ name, template: name }]) },
        {
          name: 'install',
          inputs: { artifacts: [artifact('pod-delete', EXPERIMENT)] },
          container: { ...container, args: ['kubectl apply -f /tmp/pod-delete.yaml'] },
        },
        {
          name: 'hit',
          inputs: { artifacts: [artifact('engine', engine(namespace, label))] },
          container: {
            image: 'litmuschaos/litmus-checker:2.11.0',
            args: ['-file=/tmp/engine.yaml', '-saveName=/tmp/engine-name'],
          },
        },
      ],
    },
  });
}

function plan(text: string, namespace: string, client: KubeClient = cluster.client): Promise<PlanSummary> {
  return planManifest(text, { client, namespace, signal: new AbortController().signal });
}

const severities = ({ findings }: PlanSummary): string[] =>
  findings.map(({ severity, code, text }) => `${severity} ${code ?? text}`);

test('settings that nothing reads are warnings, those that choose another target than was written are problems', async () => {
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 1);
  await cluster.client.create(SERVICE_ACCOUNTS, { metadata: { name: 'chaos-sa' } }, { namespace });
  const findings = async (name: string): Promise<string[]> => {
    const text = workflow(namespace).replaceAll('name: PODS_AFFECTED_PERC', `name: ${name}`);
    return (await plan(text, namespace)).findings
      .filter(({ text: words }) => words.includes(name))
      .map(({ severity, text: words }) => `${severity} ${words}`);
  };
  assert.deepEqual(await findings('LIVENESS_CHECK'), [
    'Warning spec.experiments[0].spec.components.env[0]: LIVENESS_CHECK is no setting of pod-delete, and its ChaosExperiment does not declare it: it changes nothing',
  ]);
  assert.match((await findings('TARGET_POD')).join(), /^Doubt TARGET_POD is "67"; expected .* TARGET_PODS/);
});

test('fields that nothing reads are warnings, once each: of engines, of other manifests, and of what steps bring along', async () => {
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 1);
  await cluster.client.create(SERVICE_ACCOUNTS, { metadata: { name: 'chaos-sa' } }, { namespace });
  const warnings = async (text: string): Promise<string[]> =>
    (await plan(text, namespace)).findings
      .filter(({ field, text: words }) => `${field} ${words}`.includes('ofOthers'))
      .map(({ severity, object, field, text: words }) => `${severity} ${object} ${field}: ${words}`);
  const { spec } = engine(namespace) as { spec: object };
  const written = {
    ...(engine(namespace) as object),
    metadata: { name: 'alone', namespace },
    spec: { ...spec, ofOthers: 1 },
  };
  const definition = { ...EXPERIMENT.spec.definition, ofOthers: { deep: 1 } };
  const experiment = { ...EXPERIMENT, metadata: { ...EXPERIMENT.metadata, namespace }, spec: { definition } };
  assert.deepEqual(await warnings([written, experiment].map((one) => stringify(one)).join('---\n')), [
    `Warning ChaosEngine ${namespace}/alone spec.ofOthers: unknown field, ignored`,
    `Warning ChaosExperiment ${namespace}/pod-delete spec.definition.ofOthers: unknown field, ignored`,
  ]);
  const inside = workflow(namespace).replace('engineState: active', 'engineState: active\\n  ofOthers: 1');
  assert.deepEqual(await warnings(inside), [
    'Warning Workflow shop null: step hit: ChaosEngine delete-web in artifact engine: spec.ofOthers: unknown field, ignored',
  ]);
});

test('what a plan of a single engine says of its state, its namespace, and the arguments of its experiment', async (t) => {
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 1);
  await cluster.client.create(SERVICE_ACCOUNTS, { metadata: { name: 'chaos-sa' } }, { namespace });
  const made = async (change: { engine?: object; spec?: object; definition?: object }): Promise<string[]> => {
    const base = engine(namespace) as { spec: object };
    const metadata = { name: 'alone', namespace, ...change.engine };
    const written = { ...base, metadata, spec: { ...base.spec, ...change.spec } };
    const definition = { ...EXPERIMENT.spec.definition, ...change.definition };
    const experiment = {
      ...EXPERIMENT,
      metadata: { ...EXPERIMENT.metadata, namespace },
      spec: { definition },
    };
    const found = await plan([written, experiment].map((one) => stringify(one)).join('---\n'), namespace);
    return found.findings.map(({ severity, code, text }) => `${severity} ${code ?? ''} ${text}`);
  };
  await t.test('an engine that is stopped is planned, and the plan says that it is', async () => {
    const texts = await made({ spec: { engineState: 'stop' } });
    assert.ok(
      texts.some((text) => text.startsWith('Note  spec.engineState is stop: nothing starts')),
      texts.join('\n'),
    );
    assert.ok(!texts.some((text) => text.includes('NOTHING_TO_RUN')));
  });
  await t.test('a namespace that is missing is told once, not by what is missing in it', async () => {
    const texts = await made({ engine: { namespace: 'not-there' } });
    const problems = texts.filter((text) => text.startsWith('Problem'));
    assert.equal(problems.length, 1, texts.join('\n'));
    assert.match(problems[0] ?? '', /NAMESPACE_MISSING namespace not-there does not exist in this cluster/);
  });
  await t.test('arguments of a shell without a command', async () => {
    const texts = await made({ definition: { command: [] } });
    assert.ok(
      texts.some((text) => /^Problem GENERIC_ERROR ChaosExperiment pod-delete: .*write command: /.test(text)),
      texts.join('\n'),
    );
  });
});

test('an application that is not healthy now is a warning in the words of the check; where health is not checked it is none', async () => {
  const namespace = await cluster.namespace();
  const [pod] = await cluster.deployment(namespace, 'web', 1);
  await cluster.client.create(SERVICE_ACCOUNTS, { metadata: { name: 'chaos-sa' } }, { namespace });
  const state = { waiting: { reason: 'CrashLoopBackOff' } };
  const status = { phase: 'Running', containerStatuses: [{ name: 'app', ready: false, state }] };
  const place = { namespace, subresource: 'status' };
  await cluster.client.patch(PODS, pod?.metadata.name ?? '', 'merge', { status }, place);
  const warnings = async (text: string): Promise<string[]> =>
    (await plan(text, namespace)).findings
      .filter(({ severity, text: words }) => severity === 'Warning' && words.includes('healthy'))
      .map(({ text: words }) => words);
  const [told = '', ...rest] = await warnings(workflow(namespace));
  assert.match(
    told,
    /^pod-delete: the application is not healthy now: .*container app of pod .* is not ready \(CrashLoopBackOff\); a run ends/,
  );
  assert.deepEqual(rest, []);
  const unchecked = workflow(namespace).replace('engineState: active', 'defaultHealthCheck: false');
  assert.deepEqual(await warnings(unchecked), []);
});

test('the workflow of a page: rounds, pods of each workload, budgets, permissions', async () => {
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 3);
  const spec = { minAvailable: 2, selector: { matchLabels: { app: 'web' } } };
  await cluster.client.create(POD_DISRUPTION_BUDGETS, { metadata: { name: 'web' }, spec } as never, {
    namespace,
  });
  await cluster.client.create(SERVICE_ACCOUNTS, { metadata: { name: 'chaos-sa' } }, { namespace });
  const made = await plan(workflow(namespace), namespace);
  const [shown] = made.experiments;
  assert.deepEqual(
    [shown?.step, shown?.fault, shown?.rounds, shown?.intervalSeconds, shown?.durationSeconds],
    ['hit', 'pod-delete', 3, [5, 5], 15],
  );
  assert.deepEqual(shown?.workloads, [
    { kind: 'deployment', namespace, name: 'web', hit: 2, of: 3, percent: 67, isThere: true },
  ]);
  assert.deepEqual([shown?.targetCount, shown?.targets.length], [2, 2]);
  assert.deepEqual(
    shown?.budgets.map(({ name, violated }) => [name, violated]),
    [['web', true]],
  );
  // The account is there and may nothing.
  assert.ok(made.permissionsMissing.some(({ resource, verb }) => resource === 'pods' && verb === 'delete'));
  assert.ok(severities(made).includes('Doubt PERMISSION'), severities(made).join('\n'));
  assert.ok(made.findings.some(({ severity, text }) => severity === 'Warning' && text.includes('violated')));
  assert.equal(made.wouldRun, true);
  assert.equal((await cluster.client.list({ ...POD_DISRUPTION_BUDGETS }, { namespace })).items.length, 1);
});

test('no target is a doubt in a workflow, and a problem of an engine by itself, with what to do', async () => {
  const namespace = await cluster.namespace();
  const inside = await plan(workflow(namespace, 'app=nothing'), namespace);
  assert.ok(severities(inside).includes('Doubt TARGET_SELECTION_ERROR'), severities(inside).join('\n'));
  const alone = stringify({
    ...engine(namespace, 'app=nothing'),
    metadata: { name: 'delete-web', namespace },
  });
  const outside = await plan(
    `${alone}---\n${stringify({ ...EXPERIMENT, metadata: { name: 'pod-delete', namespace } })}`,
    namespace,
  );
  const finding = outside.findings.find(({ code }) => code === 'TARGET_SELECTION_ERROR');
  assert.deepEqual([finding?.severity, finding?.field, outside.wouldRun], ['Problem', 'spec.appinfo', false]);
  assert.match(finding?.advice ?? '', /compare appinfo/);
});

test('what the client may not look at is named, and the rest is planned', async () => {
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 3);
  await using allowed = await accountThatMay(namespace, [
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
    { apiGroups: ['apps'], resources: ['deployments', 'replicasets'], verbs: ['get', 'list'] },
  ]);
  const made = await plan(workflow(namespace), namespace, allowed.client);
  assert.equal(made.experiments[0]?.workloads[0]?.hit, 2);
  const notes = made.findings.filter(({ severity }) => severity === 'Note').map(({ text }) => text);
  for (const part of [
    `service account ${namespace}/chaos-sa`,
    'poddisruptionbudgets',
    'what the service account may do could not be checked',
  ])
    assert.ok(
      notes.some((text) => text.includes(part)),
      `${part}: ${notes.join('\n')}`,
    );
  const unread = await plan(
    stringify({ ...engine(namespace), metadata: { name: 'alone', namespace } }),
    namespace,
    allowed.client,
  );
  assert.ok(
    severities(unread).includes(`Note could not look at ChaosExperiment ${namespace}/pod-delete`),
    severities(unread).join('\n'),
  );
});

const UNREADABLE: readonly (readonly [what: string, text: string, code: string])[] = [
  ['no YAML', '{{{', 'MANIFEST_UNREADABLE'],
  ['nothing to run', stringify(EXPERIMENT), 'NOTHING_TO_RUN'],
  [
    'an unknown field',
    stringify({ ...engine('default'), metadata: { name: 'x' }, spec: { experiments: [], engineState: 3 } }),
    'FIELD_INVALID',
  ],
];
for (const [what, text, code] of UNREADABLE) {
  test(`a manifest with ${what} is a plan that says so`, async () => {
    const made = await plan(text, 'default');
    assert.deepEqual(
      [made.wouldRun, made.findings[0]?.severity, made.findings[0]?.code],
      [false, 'Problem', code],
    );
  });
}

test('a plan of very much is cut, and says how much is left out', async () => {
  const engines = Array.from({ length: 200 }, (_, index) =>
    stringify({ ...engine('nowhere'), metadata: { name: `engine-${index}`, namespace: 'nowhere' } }),
  );
  const made = await plan(engines.join('---\n'), 'nowhere');
  assert.equal(made.findings.length, 100);
  assert.ok(made.leftOut >= 100, String(made.leftOut));
  assert.ok(JSON.stringify(made).length < 200_000);
});

/** A client that acts as an account with these rules in a namespace. */
async function accountThatMay(
  namespace: string,
  rules: readonly object[],
): Promise<{ readonly client: KubeClient } & AsyncDisposable> {
  const { client, config } = cluster;
  const name = 'limited';
  await client.create(SERVICE_ACCOUNTS, { metadata: { name } }, { namespace });
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await client.raw('POST', `${rbac}/roles`, { apiVersion, kind: 'Role', metadata: { name }, rules });
  await client.raw('POST', `${rbac}/rolebindings`, {
    ...{ apiVersion, kind: 'RoleBinding', metadata: { name } },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
  });
  const { status } = await client.raw<{ readonly status: { readonly token: string } }>(
    'POST',
    `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  );
  const { clientCertificate, clientKey, ...rest } = config;
  const own = createClient({ ...rest, token: () => Promise.resolve(status.token) });
  return { client: own, [Symbol.asyncDispose]: async () => own.close() };
}
