import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deployment, PolicyRule } from '@turnsole/kube/kinds/core';
import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { chaosExperiment, faultObjects, faultRules, type InstalledFault } from './fault-objects.ts';
import { knownFaults, loadFaults } from './load-faults.ts';
import { otherOperator } from './other-operators.ts';
import { renderInstall } from './render.ts';
import { compileInstallSettings, type InstallOptions, type InstallSettings } from './settings.ts';
import { grants } from './testing/grants.ts';
import { installationOf, isRunning, lossesText, openEntries } from './uninstall-plan.ts';

const KNOWN = { version: '1.2.3', faults: ['pod-delete', 'node-drain'] };

function settings(options: InstallOptions = {}): InstallSettings {
  const { settings: compiled, problems } = compileInstallSettings(options, KNOWN);
  assert.deepEqual(problems, []);
  return compiled;
}

const FAULT: InstalledFault = {
  name: 'node-drain',
  summary: 'Drains a node.',
  tunables: { FORCE: { type: 'boolean', default: false, description: '' } },
  permissions: [
    { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['list'] },
    { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  ],
  targets: 'node',
  shape: 'sustained',
};

test('settings: defaults', () => {
  assert.deepEqual(settings(), {
    namespace: 'litmus',
    image: 'turnsole/turnsole:1.2.3',
    pullPolicy: 'IfNotPresent',
    pullSecrets: [],
    watchNamespace: undefined,
    replicas: 1,
    leaderElect: false,
    priorityClass: undefined,
    webhook: false,
    workflows: true,
    subscriber: false,
    controlPlane: undefined,
    eventTracker: false,
    otlpEndpoint: undefined,
    exporter: false,
    serviceMonitor: false,
    instanceId: undefined,
    faults: [],
    faultNamespaces: ['litmus'],
    faultScope: 'namespaced',
    platform: {},
  });
  assert.equal(settings({ replicas: 2 }).leaderElect, true);
  assert.deepEqual(settings({ watchNamespace: 'shop' }).faultNamespaces, ['shop']);
  assert.deepEqual(settings({ faults: ['all'] }).faults, ['node-drain', 'pod-delete']);
  const known = { ...KNOWN, ofTurnsole: ['pod-delete'] };
  const { settings: own } = compileInstallSettings({ faults: ['all', 'node-drain', 'pod-delete'] }, known);
  assert.deepEqual(
    own.faults,
    ['pod-delete', 'node-drain'],
    'all is Turnsole’s; more may be named beside it',
  );
});

const REFUSED: readonly [string, InstallOptions, RegExp][] = [
  [
    'a collector that cannot be one',
    { otlpEndpoint: 'ftp://a' },
    /^--otlp-endpoint: "ftp:\/\/a": expected HOST:PORT/,
  ],
  ['an empty collector', { otlpEndpoint: '' }, /^--otlp-endpoint: "": expected HOST:PORT/],
  ['a namespace that cannot be one', { namespace: 'My Space' }, /^--namespace: "My Space"/],
  [
    'replicas that would all act',
    { replicas: 2, leaderElect: false },
    /^--replicas: .*leave out --no-leader-elect/,
  ],
  [
    'a monitor of an exporter that is not installed',
    { serviceMonitor: true },
    /^--service-monitor: it is of the exporter; say --exporter/,
  ],
  [
    'a fault there is not',
    { faults: ['pod-delet'] },
    /^--faults: there is no fault pod-delet; known: node-drain/,
  ],
  [
    'faults where the operator does not look',
    { watchNamespace: 'shop', faultNamespace: ['web'] },
    /^--fault-namespace: web: the operator would watch shop only/,
  ],
  ['an instance id that can be no label', { instanceId: 'a b' }, /^--instance-id: "a b"/],
  [
    'an instance id of nothing',
    { instanceId: 'a', workflows: false },
    /^--instance-id: .*leave out --no-workflows/,
  ],
  [
    'a database of no control plane',
    { controlPlaneDatabaseSecret: 'db' },
    /^--control-plane-database-secret: it is of the control plane; say --control-plane/,
  ],
  [
    'a Secret with two keys',
    { controlPlane: true, controlPlaneDatabaseSecret: 'db/a/b' },
    /^--control-plane-database-secret: "db\/a\/b": expected NAME or NAME\/KEY/,
  ],
  [
    'an address in place of a host',
    { controlPlane: true, controlPlaneHost: 'https://chaos.example.org' },
    /^--control-plane-host: .*expected the name of a host/,
  ],
  ['an image with a blank', { image: 'a b' }, /^--image/],
];

for (const [name, options, message] of REFUSED) {
  test(`settings: ${name} is refused`, () => {
    const { problems } = compileInstallSettings(options, KNOWN);
    assert.equal(problems.length, 1);
    assert.match(`${problems[0]?.option}: ${problems[0]?.message}`, message);
  });
}

test("rules: what belongs to no namespace is granted by a ClusterRole, and all of the fault's on request", () => {
  const { local, cluster } = faultRules(FAULT, 'namespaced');
  assert.deepEqual(grants(cluster), [' nodes list']);
  assert.ok(grants(local).includes(' pods/eviction create'));
  assert.ok(!grants(local).includes(' nodes list'));
  const everywhere = grants(faultRules(FAULT, 'cluster').cluster);
  assert.deepEqual(
    grants(FAULT.permissions).filter((grant) => !everywhere.includes(grant)),
    [],
  );
  assert.ok(everywhere.includes('apps replicasets list'), 'the look at the health of an application');
});

test('rules: faults of pods may look whether a workload agrees to chaos', () => {
  const seen = (targets: InstalledFault['targets']): string[] =>
    grants(faultRules({ ...FAULT, targets }, 'namespaced').local).filter((text) =>
      /^apps .* get$/.test(text),
    );
  const workloads = ['daemonsets', 'deployments', 'statefulsets'].map((kind) => `apps ${kind} get`);
  assert.deepEqual(seen('containers'), workloads);
  assert.deepEqual(seen('nodes'), []);
});

test('rules: no installed role grants everything, or secrets', async () => {
  const faults = await loadFaults(knownFaults());
  const objects = renderInstall(settings({ faultNamespace: ['shop'] }), faults);
  for (const { kind, metadata, rules: granted } of objects) {
    for (const rule of (granted ?? []) as PolicyRule[]) {
      const words = [...(rule.apiGroups ?? []), ...(rule.resources ?? []), ...rule.verbs];
      assert.ok(!words.includes('*') && !words.includes('secrets'), `${kind} ${metadata.name}`);
    }
  }
});

test('faults: accounts of two namespaces have cluster roles of their own', () => {
  const objects = faultObjects(FAULT, settings({ faultNamespace: ['litmus', 'shop'] }));
  const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.includes('ClusterRole /node-drain-sa-litmus-litmus'));
  assert.ok(names.includes('ClusterRole /node-drain-sa-shop-litmus'));
});

test('faults: a ChaosExperiment shows the settings with their defaults', () => {
  const object = chaosExperiment(FAULT, 'shop', settings({ image: 'example/turnsole:1' }));
  // The shape is what the function itself wrote.
  const { definition } = object.spec as { definition: Record<string, unknown> };
  assert.equal(definition.image, 'example/turnsole:1');
  assert.deepEqual(definition.args, ['experiment', '-name', 'node-drain']);
  assert.deepEqual(definition.env, [
    { name: 'TOTAL_CHAOS_DURATION', value: '30' },
    { name: 'RAMP_TIME', value: '0' },
    { name: 'SEQUENCE', value: 'parallel' },
    { name: 'FORCE', value: 'false' },
  ]);
});

test('rendering: namespaced, one operator, no election', () => {
  const objects = renderInstall(settings({ watchNamespace: 'shop' }), []);
  const kinds = objects.map(({ kind }) => kind);
  assert.ok(!kinds.includes('ClusterRole') && !kinds.includes('PodDisruptionBudget'));
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  // The shape is what the function itself wrote.
  const { strategy, template } = (deployment?.spec ?? {}) as {
    strategy: { type: string };
    template: { spec: { containers: { env: { name: string; value: string }[] }[] } };
  };
  assert.equal(strategy.type, 'Recreate');
  const [container] = template.spec.containers;
  assert.equal(container?.env.find(({ name }) => name === 'WATCH_NAMESPACE')?.value, 'shop');
});

test('rendering: operator and workflow controller get the collector, no other component does', () => {
  const namesWithCollector = (otlpEndpoint?: string): string[] =>
    renderInstall(settings({ otlpEndpoint, subscriber: true, eventTracker: true }), [])
      .filter((object) => JSON.stringify(object).includes('OTEL_EXPORTER_OTLP_ENDPOINT'))
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  assert.deepEqual(namesWithCollector('otel:4317'), [
    'Deployment turnsole-operator',
    'Deployment turnsole-workflow-controller',
  ]);
  assert.deepEqual(namesWithCollector(), []);
});

function operator(
  labels: Record<string, string>,
  image: string,
  env: Record<string, string> = {},
): Deployment {
  return {
    metadata: { name: 'operator', namespace: 'elsewhere', labels },
    spec: {
      selector: {},
      template: {
        spec: {
          containers: [
            {
              name: 'operator',
              image,
              args: ['operator'],
              env: Object.entries(env).map(([name, value]) => ({ name, value })),
            },
          ],
        },
      },
    },
    status: { readyReplicas: 1 },
  };
}

const OURS = { 'turnsole.io/installation': 'elsewhere', 'app.kubernetes.io/component': 'operator' };
const OTHERS: readonly [string, Deployment, InstallOptions, boolean][] = [
  ["upstream's", operator({}, 'mirror.example/litmuschaos/chaos-operator:3'), {}, true],
  ['another of ours', operator(OURS, 'turnsole/turnsole:1'), {}, true],
  [
    'this very one',
    operator({ ...OURS, 'turnsole.io/installation': 'litmus' }, 'turnsole/turnsole:1'),
    {},
    false,
  ],
  ['an application', operator({}, 'example/web:1'), {}, false],
  [
    'one for another namespace',
    operator(OURS, 'turnsole/turnsole:1', { WATCH_NAMESPACE: 'web' }),
    { watchNamespace: 'shop' },
    false,
  ],
  [
    'one for the same namespace',
    operator(OURS, 'turnsole/turnsole:1', { WATCH_NAMESPACE: 'shop' }),
    { watchNamespace: 'shop' },
    true,
  ],
];

for (const [name, deployment, options, expected] of OTHERS) {
  test(`other operators: ${name} ${expected ? 'acts' : 'does not act'} on the same engines`, () => {
    assert.equal(otherOperator(deployment, settings(options)) !== undefined, expected);
  });
}

test('uninstall: an installation is read from its operator', () => {
  const deployment = operator(OURS, 'turnsole/turnsole:1', { WATCH_NAMESPACE: 'shop' });
  assert.deepEqual(installationOf(deployment), {
    namespace: 'elsewhere',
    watchNamespace: 'shop',
    operatorIsReady: true,
  });
  assert.equal(installationOf(operator({}, 'litmuschaos/chaos-operator:3')), undefined);
});

const ENGINES: readonly [string, ChaosEngine['spec']['engineState'], string | undefined, boolean][] = [
  ['not begun', 'active', undefined, true],
  ['not to begin', 'stop', undefined, false],
  ['under way', 'active', 'initialized', true],
  ['being stopped', 'stop', 'initialized', true],
  ['completed', 'stop', 'completed', false],
  ['stopped', 'stop', 'stopped', false],
];

for (const [name, engineState, engineStatus, expected] of ENGINES) {
  test(`uninstall: an engine that is ${name} is ${expected ? '' : 'not '}waited for`, () => {
    const spec = { engineState, experiments: [] };
    const status = { engineStatus } as ChaosEngine['status'];
    assert.equal(isRunning({ metadata: { name: 'e' }, spec, status } as ChaosEngine), expected);
  });
}

test('uninstall: what would be lost is asked for', () => {
  const none = { engines: 0, running: 0, schedules: 0, results: 0, policies: 0, workflows: 0 };
  assert.equal(lossesText(none, false), undefined);
  assert.equal(lossesText({ ...none, engines: 3, results: 2 }, true), undefined);
  assert.match(
    lossesText({ ...none, running: 1, engines: 3 }, true) ?? '',
    /^1 running ChaosEngine would be stopped/,
  );
  assert.match(
    lossesText({ ...none, results: 2 }, false) ?? '',
    /^2 ChaosResults would be deleted; say --yes/,
  );
  assert.match(lossesText({ ...none, policies: 2 }, false) ?? '', /^2 EventTrackerPolicies would be deleted/);
  assert.match(lossesText({ ...none, workflows: 1 }, false) ?? '', /^1 Workflow would be deleted; say --yes/);
});

test('uninstall: only what may still be in force counts as not reverted', () => {
  const entry = (state: string, instant = false) => ({
    id: state,
    fault: 'pod-network-loss',
    target: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
    parameters: {},
    state,
    instant,
  });
  const result = {
    metadata: { name: 'r', namespace: 'shop' },
    status: { ledger: { a: entry('injected'), b: entry('reverted'), c: entry('planned', true) } },
    // Only what the function reads.
  } as unknown as ChaosResult;
  assert.deepEqual(openEntries([result]), ['shop/r: pod-network-loss on shop/web-1']);
});
