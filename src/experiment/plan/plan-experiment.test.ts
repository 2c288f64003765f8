import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import type { NewObject } from '@turnsole/kube/client/types';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { EVENTS, POD_DISRUPTION_BUDGETS, PODS, SERVICES } from '@turnsole/kube/kinds/resources';
import { type ExperimentCluster, shareExperimentCluster } from '../../../test/support/experiment-cluster.ts';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosExperiment,
  type ChaosResult,
  type EngineExperiment,
} from '../../api/index.ts';
import { LACKS_NOTHING } from '../../chaos/testing/lacks-nothing.ts';
import { faultRegistry } from '../../faults/index.ts';
import { fault } from '../injection/testing/builders.ts';
import { NodeError } from '../node/node-error.ts';
import type { ExperimentPlan, PlanExperimentInput } from './experiment-plan.ts';
import { expectedSeconds, planExperiment } from './plan-experiment.ts';

let cluster: ExperimentCluster;
shareExperimentCluster((started) => {
  cluster = started;
});
const definition: ChaosExperiment = {
  metadata: { name: 'pod-delete' },
  spec: {
    definition: {
      args: ['-c', './experiments -name pod-delete'],
      env: [
        { name: 'TOTAL_CHAOS_DURATION', value: '15' },
        { name: 'CHAOS_INTERVAL', value: '5' },
        { name: 'PODS_AFFECTED_PERC', value: '67' },
        { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      ],
    },
  },
};

async function plan(
  entry: Partial<NonNullable<EngineExperiment['spec']>> = {},
  label = 'app=web',
  experiment = definition,
  more: Partial<PlanExperimentInput> = {},
): Promise<ExperimentPlan & { namespace: string }> {
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 3);
  const engineExperiment = { name: 'pod-delete', spec: entry };
  const engine = await cluster.engine(namespace, 'pod-delete', {
    chaosServiceAccount: 'chaos-sa',
    appinfo: { appns: namespace, applabel: label, appkind: 'deployment' },
    experiments: [engineExperiment],
  });
  const made = await planExperiment({
    client: cluster.client,
    engine,
    experiment,
    engineExperiment,
    registry: faultRegistry,
    clock: systemClock,
    random: () => 0,
    ...more,
  });
  return { ...made, namespace };
}

test('a plan says what would be hit, how often, and injects nothing', async () => {
  const made = await plan();
  const { engine, experiment, fault, durationSeconds, intervalSeconds, sequence, rounds, unknownVariables } =
    made;
  assert.deepEqual(
    { engine, experiment, fault, durationSeconds, intervalSeconds, sequence, rounds, unknownVariables },
    {
      engine: 'eng',
      experiment: 'pod-delete',
      fault: 'pod-delete',
      durationSeconds: 15,
      intervalSeconds: [5, 5],
      sequence: 'parallel',
      rounds: 3,
      unknownVariables: ['TOKEN'],
    },
  );
  assert.deepEqual(
    made.targets.map(({ kind, owner }) => `${kind} of ${owner?.kind} ${owner?.name}`),
    ['pod of deployment web', 'pod of deployment web'],
  );
  assert.equal(made.injections.length, 2);
  const { namespace } = made;
  assert.equal((await cluster.client.list<Pod>(PODS, { namespace })).items.length, 3);
  for (const resource of [CHAOS_RESULTS, EVENTS]) {
    const { items } = await cluster.client.list(resource, { namespace });
    assert.equal(items.filter(({ kind }) => kind === 'ChaosResult').length, 0);
  }
  assert.ok(made.permissions.some(({ resource, verb }) => resource === 'pods' && verb === 'delete'));
});

test('everything that is wrong comes at once', async () => {
  const made = await plan(
    {
      components: { env: [{ name: 'CHAOS_INTERVAL', value: 'often' }] },
      probe: [
        {
          name: 'p',
          type: 'k8sProbe',
          mode: 'SOT',
          runProperties: { probeTimeout: 'soon', interval: '1s' },
          'k8sProbe/inputs': { version: 'v1', resource: 'pods', operation: 'present' },
        },
      ],
    },
    'app=nothing',
  );
  const problems = made.problems.filter(({ code }) => code !== 'PERMISSION');
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['GENERIC_ERROR', 'GENERIC_ERROR', 'TARGET_SELECTION_ERROR'],
  );
  assert.match(problems[0]?.message ?? '', /CHAOS_INTERVAL is "often"/);
  assert.match(problems[2]?.message ?? '', /no pods found for deployment:.*:\[app=nothing\]/);
  assert.match(
    problems[1]?.message ?? '',
    /spec\.experiments\[0\]\.spec\.probe\[0\]\.runProperties\.probeTimeout/,
  );
  for (const { code, message } of made.problems) {
    if (code === 'PERMISSION') assert.match(message, /service account .*\/chaos-sa may not \w+ /);
  }
});

test('a fault that does not exist is the only problem', async () => {
  const messages = async (name: string) => {
    const unknown = { metadata: { name: 'x' }, spec: { definition: { args: ['-name', name] } } };
    return (await plan({}, 'app=web', unknown)).problems.map(({ message }) => message);
  };
  assert.deepEqual(await messages('pod-explode'), [
    'there is no fault named pod-explode; `turnsole faults list` shows all',
  ]);
  assert.deepEqual(await messages('pod-deletes'), [
    'there is no fault named pod-deletes; did you mean pod-delete? `turnsole faults list` shows all',
  ]);
});

test('a plan says of commands in containers that their images have no shell, where the images are known', async () => {
  const registry = new Map([
    [
      'pod-delete',
      () => Promise.resolve(fault({ targets: 'containers', needs: { targetShell: { instead: 'x' } } })),
    ],
  ]);
  const messages = async (has: boolean | undefined) => {
    const hasShell = (): Promise<boolean | undefined> => Promise.resolve(has);
    const localNode = { isHere: false, lacks: LACKS_NOTHING, hasShell };
    const { problems } = await plan({}, 'app=web', definition, { registry, localNode });
    return problems.map(({ message }) => message).filter((message) => message.includes('/bin/sh'));
  };
  const [message = '', ...others] = await messages(false);
  assert.deepEqual(others, [], 'its other pods have the same image');
  assert.match(
    message,
    /^cannot run commands in container \S+ of pod \S+\/web-\S+: its image has no \/bin\/sh; x does the same from the node /,
  );
  for (const known of [true, undefined]) assert.deepEqual(await messages(known), []);
});

test('a plan lists what this machine does not allow, where it is the node', async () => {
  const needy = fault({
    where: 'node',
    needs: { isolatedPods: true },
    checkNode: (tunables) =>
      tunables.TOTAL_CHAOS_DURATION === 15
        ? Promise.resolve()
        : Promise.reject(new NodeError('the kernel has no netem; load sch_netem')),
  });
  const registry = new Map([['pod-delete', () => Promise.resolve(needy)]]);
  const messages = async (more: Partial<PlanExperimentInput>, seconds = '15') => {
    const entry = { components: { env: [{ name: 'TOTAL_CHAOS_DURATION', value: seconds }] } };
    const { problems } = await plan(entry, 'app=web', definition, { registry, ...more });
    return problems.filter(({ code }) => code === 'NODE').map(({ message }) => message);
  };
  assert.deepEqual(await messages({}), [], 'the nodes are elsewhere');
  const node = (isHere: boolean, isolation?: string) => ({
    localNode: { isHere, lacks: { ...LACKS_NOTHING, ...(isolation === undefined ? {} : { isolation }) } },
  });
  assert.deepEqual(await messages(node(true)), []);
  assert.deepEqual(await messages(node(true), '20'), ['the kernel has no netem; load sch_netem']);
  assert.deepEqual(await messages(node(false), '20'), [], 'elsewhere it cannot be tried');
  for (const seconds of ['15', '20', 'often']) {
    const [message = '', ...others] = await messages(node(seconds === '15', 'not root'), seconds);
    assert.deepEqual(others, []);
    assert.match(
      message,
      /^cannot inject test-fault: pods share networks, processes and files here \(not root\); start turnsole as root on Linux/,
    );
  }
});

test('with impact: shares, disruption budgets, and other chaos on the same targets', async () => {
  const { client } = cluster;
  const namespace = await cluster.namespace();
  const pods = await cluster.deployment(namespace, 'web', 3);
  // The plan begins with the first pod of the list, which has them by name.
  const [first] = [...pods].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  assert.ok(first);
  const engineExperiment = { name: 'pod-delete' };
  const appinfo = { appns: namespace, applabel: 'app=web', appkind: 'deployment' } as const;
  const engine = await cluster.engine(namespace, 'pod-delete', { appinfo, experiments: [engineExperiment] });
  const budget = await client.create(
    POD_DISRUPTION_BUDGETS,
    {
      metadata: { name: 'keep' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    } as NewObject<KubeObject>,
    { namespace },
  );
  await cluster.until(POD_DISRUPTION_BUDGETS, namespace, (budgets) =>
    budgets.some((one) => (one as typeof budget & { status?: object }).status !== undefined),
  );
  const other = await client.create<ChaosEngine>(
    CHAOS_ENGINES,
    { metadata: { name: 'other' }, spec: { engineState: 'active', appinfo, experiments: [] } },
    { namespace },
  );
  await client.patch(
    CHAOS_ENGINES,
    other.metadata.name,
    'merge',
    { status: { engineStatus: 'initialized' } },
    { namespace },
  );
  const target = { kind: 'pod', namespace, name: first.metadata.name, uid: first.metadata.uid ?? '' };
  const entry = { id: 'e1', fault: 'pod-network-loss', target, parameters: {}, state: 'injected' } as const;
  await client.create<ChaosResult>(
    CHAOS_RESULTS,
    {
      metadata: { name: 'third-loss' },
      spec: { engine: 'third', experiment: 'loss' },
      status: { ledger: { e1: entry } },
    },
    { namespace },
  );
  const made = await planExperiment({
    client,
    engine,
    experiment: definition,
    engineExperiment,
    registry: faultRegistry,
    clock: systemClock,
    random: () => 0,
    withImpact: true,
  });
  assert.deepEqual(made.blastRadius.workloads, [
    { kind: 'deployment', namespace, name: 'web', hit: 2, of: 3, percent: 67 },
  ]);
  const [impact] = made.blastRadius.disruptionBudgets;
  assert.deepEqual([impact?.name, impact?.hitAtOnce, impact?.violated], ['keep', 2, true]);
  assert.deepEqual(made.blastRadius.nodes, { hit: ['node-1'], of: 1, percent: 100 });
  assert.deepEqual(made.blastRadius.notSeen, []);
  const seen = made.conflicts
    .map((one) => `${one.kind === 'autoscaled' ? one.autoscaler : one.engine} ${one.kind}`)
    .sort();
  assert.deepEqual(seen, [
    `${namespace}/other selected`,
    `${namespace}/other selected`,
    `${namespace}/third in-force`,
  ]);
  assert.deepEqual(
    made.problems.filter(({ code }) => code !== 'PERMISSION'),
    [],
  );
});

test('how long a run takes at least', () => {
  const seconds = (shape: 'pulse' | 'sustained', where: 'api' | 'node', sequence: 'serial' | 'parallel') =>
    expectedSeconds({ shape, where }, { durationMs: 30_000, rampMs: 5_000, sequence }, 3);
  assert.deepEqual(
    [
      seconds('pulse', 'api', 'parallel'),
      seconds('pulse', 'api', 'serial'),
      seconds('sustained', 'node', 'parallel'),
      seconds('sustained', 'node', 'serial'),
      seconds('pulse', 'node', 'serial'),
    ],
    [40, 40, 40, 100, 100],
  );
});

test('a port that neither containers nor services declare is doubted before the run', async () => {
  const namespace = await cluster.namespace();
  await cluster.deployment(namespace, 'web', 1);
  await cluster.client.create(
    SERVICES,
    {
      metadata: { name: 'front' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8000 }] },
    } as NewObject<KubeObject>,
    { namespace },
  );
  const name = 'pod-http-latency';
  const rows: [string | undefined, number][] = [
    [undefined, 1],
    ['9999', 1],
    ['8000', 0],
  ];
  for (const [port, expected] of rows) {
    const env = port === undefined ? [] : [{ name: 'TARGET_SERVICE_PORT', value: port }];
    const engineExperiment = { name, spec: { components: { env } } };
    const engine: ChaosEngine = {
      metadata: { name: 'eng', namespace },
      spec: {
        chaosServiceAccount: 'chaos-sa',
        appinfo: { appns: namespace, applabel: 'app=web', appkind: 'deployment' },
        experiments: [engineExperiment],
      },
    };
    const { doubts, problems } = await planExperiment({
      client: cluster.client,
      engine,
      experiment: {
        metadata: { name },
        spec: { definition: { args: ['-c', `./experiments -name ${name}`] } },
      },
      engineExperiment,
      registry: faultRegistry,
      clock: systemClock,
      random: () => 0,
    });
    assert.equal(doubts.length, expected, JSON.stringify({ port, doubts, problems }));
    if (expected > 0)
      assert.match(doubts[0] ?? '', new RegExp(`is ${port ?? 80}, but pod .* declares 8000 and`));
  }
});
