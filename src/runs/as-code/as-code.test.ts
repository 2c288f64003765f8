import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import type { ChaosEngine } from '../../api/index.ts';
import { argumentsOf } from './arguments.ts';
import { ChaosError } from './errors.ts';
import { BuiltExperiment } from './experiment.ts';
import { fromManifest } from './from-manifest.ts';
import {
  k6Loadgen,
  nodeCpuHog,
  podAutoscaler,
  podCpuHog,
  podDelete,
  podHttpModifyHeader,
  podMemoryHog,
  podNetworkLatency,
} from './generated/faults.ts';
import { cmdProbe, httpProbe, k8sProbe, loadProbe, promProbe, sloProbe } from './generated/probes.ts';
import { experiment } from './several-faults.ts';
import type { Experiment } from './types.ts';

const WEB = { target: 'deployment/web' } as const;
const GET = { get: { criteria: '==', responseCode: '200' } } as const;

/** The environment of the first fault of an experiment, as its engine has it. */
function environmentOf(built: Experiment): Record<string, string> {
  const engine = parse(built.toManifest()) as ChaosEngine;
  const env = engine.spec.experiments[0]?.spec?.components?.env ?? [];
  return Object.fromEntries(env.map(({ name, value = '' }) => [name, value]));
}

/** The problems that a builder finds, as `field: message`. */
function problemsOf(build: () => unknown): string[] {
  try {
    build();
  } catch (error) {
    assert.ok(error instanceof ChaosError);
    assert.equal(error.code, 'INPUT_REFUSED');
    return error.problems.map(({ field, message }) => `${field}: ${message}`);
  }
  return [];
}

test('settings are written as their variables want them, whatever the unit they are given in', () => {
  const cases: [name: string, built: Experiment, expected: Record<string, string>][] = [
    [
      'seconds',
      podDelete({ ...WEB, duration: '1m30s', interval: '5s', interPodKillInterval: '2s', force: true }),
      {
        TOTAL_CHAOS_DURATION: '90',
        CHAOS_INTERVAL: '5',
        INTER_POD_KILL_INTERVAL_SECONDS: '2',
        FORCE: 'true',
      },
    ],
    [
      'milliseconds and a list',
      podNetworkLatency({ ...WEB, networkLatency: '2s', destinationHosts: ['a.example', 'b.example'] }),
      { NETWORK_LATENCY: '2000', DESTINATION_HOSTS: 'a.example,b.example' },
    ],
    [
      'percentages, and a range of them',
      podDelete({ ...WEB, podsAffected: '30-50%' }),
      { PODS_AFFECTED_PERC: '30-50' },
    ],
    ['a size', podMemoryHog({ ...WEB, memoryConsumption: '1Gi' }), { MEMORY_CONSUMPTION: '1024' }],
    ['a number that has to be given', podAutoscaler({ ...WEB, replicaCount: 5 }), { REPLICA_COUNT: '5' }],
    [
      'a map',
      podHttpModifyHeader({ ...WEB, targetServicePort: 80, headersMap: { 'x-a': '1' } }),
      { TARGET_SERVICE_PORT: '80', HEADERS_MAP: '{"x-a":"1"}' },
    ],
    ['nothing where nothing was given', nodeCpuHog({}), {}],
    ['what is undefined', podDelete({ ...WEB, duration: undefined as never }), {}],
  ];
  for (const [name, built, expected] of cases) assert.deepEqual(environmentOf(built), expected, name);
});

test('what is no setting, of another type or out of bounds is refused with its field', () => {
  const odd =
    (options: object): (() => unknown) =>
    () =>
      podDelete(options as never);
  const cases: [name: string, build: () => unknown, field: string, says: RegExp][] = [
    ['a slip', odd({ ...WEB, durration: '5s' }), 'podDelete.durration', /did you mean duration\?$/],
    [
      'a setting of another fault',
      odd({ ...WEB, cpuCores: 1 }),
      'podDelete.cpuCores',
      /no such setting; there are/,
    ],
    ['a time without a unit', odd({ ...WEB, duration: 15 }), 'podDelete.duration', /'15s'.* found 15$/],
    [
      'a text without a unit',
      odd({ ...WEB, duration: '15' }),
      'podDelete.duration',
      /with its unit.*found "15"$/,
    ],
    [
      'a part of a second',
      odd({ ...WEB, interval: '1500ms' }),
      'podDelete.interval',
      /a whole number of seconds/,
    ],
    ['too little', odd({ ...WEB, duration: '0s' }), 'podDelete.duration', /from 1 to 604800/],
    [
      'a share without its sign',
      odd({ ...WEB, podsAffected: 30 }),
      'podDelete.podsAffected',
      /'30%'.*found 30$/,
    ],
    [
      'a word that is none',
      odd({ ...WEB, sequence: 'both' }),
      'podDelete.sequence',
      /one of parallel, serial/,
    ],
    ['a number as true', odd({ ...WEB, force: 1 }), 'podDelete.force', /true or false, found 1$/],
    ['an empty list', odd({ ...WEB, targetPods: [] }), 'podDelete.targetPods', /not empty/],
    ['no target', odd({}), 'podDelete.target', /'deployment\/web', found nothing$/],
    ['a target of no kind', odd({ target: 'web' }), 'podDelete.target', /'KIND\/NAME'/],
    [
      'labels of a pod',
      odd({ target: { kind: 'pod', labels: 'a=b' } }),
      'podDelete.target',
      /labels are those of workloads/,
    ],
    ['an object that no builder made', odd({ ...WEB, probes: [{}] }), 'podDelete.probes', /made by builders/],
    ['a target of nodes', () => nodeCpuHog(WEB as never), 'nodeCpuHog.target', /no such setting/],
    [
      'what has to be given',
      () => podAutoscaler(WEB as never),
      'podAutoscaler.replicaCount',
      /found nothing: How many replicas/,
    ],
    ['no object at all', () => podDelete('web' as never), 'podDelete', /an object of settings, found "web"$/],
    ['a name that no object can have', odd({ ...WEB, name: 'A_b' }), 'podDelete.name', /name of an object/],
  ];
  for (const [name, build, field, says] of cases) {
    const problems = problemsOf(build);
    assert.equal(problems.length, 1, `${name}: ${problems.join('\n')}`);
    assert.equal(problems[0]?.split(': ')[0], field, name);
    assert.match(problems[0] ?? '', says, name);
  }
  assert.equal(problemsOf(odd({ durration: '5', force: 1 })).length, 3, 'all problems at once');
});

test('each type of probe is written as its manifest has it', () => {
  const comparator = { criteria: '>=', value: '1' } as const;
  const made = [
    httpProbe({ name: 'a', url: 'http://web', method: GET, every: '200ms', attempts: 3, pause: '100ms' }),
    cmdProbe({ name: 'b', mode: 'SOT', command: 'echo 1', comparator: { type: 'int', ...comparator } }),
    k8sProbe({
      name: 'c',
      mode: 'EOT',
      version: 'v1',
      resource: 'pods',
      operation: 'present',
      data: 'kind: Pod',
    }),
    promProbe({ name: 'd', endpoint: 'http://prometheus:9090', query: 'up', comparator, timeout: '2s' }),
    sloProbe({
      name: 'e',
      mode: 'EOT',
      platformEndpoint: 'https://slo',
      sloIdentifier: 'x',
      sloSourceMetadata: {
        apiTokenSecret: 's',
        scope: { accountIdentifier: 'a', orgIdentifier: '', projectIdentifier: '' },
      },
      comparator,
      evaluationTimeout: '1m',
    }),
    loadProbe({
      name: 'f',
      mode: 'OnChaos',
      rate: 50,
      requests: [{ url: 'http://web/' }],
      tolerance: { failed: '1%', outage: '2s' },
    }),
  ];
  const engine = parse(podDelete({ ...WEB, probes: made }).toManifest()) as ChaosEngine;
  const probes = engine.spec.experiments[0]?.spec?.probe ?? [];
  assert.deepEqual(probes[0], {
    name: 'a',
    type: 'httpProbe',
    mode: 'Continuous',
    'httpProbe/inputs': { url: 'http://web', method: GET },
    runProperties: { probeTimeout: '5s', interval: '100ms', attempt: 3, probePollingInterval: '200ms' },
  });
  assert.deepEqual(
    probes.map(({ type, mode, runProperties }) => [type, mode, runProperties.probePollingInterval]),
    [
      ['httpProbe', 'Continuous', '200ms'],
      ['cmdProbe', 'SOT', undefined],
      ['k8sProbe', 'EOT', undefined],
      ['promProbe', 'Continuous', '1s'],
      ['sloProbe', 'EOT', undefined],
      ['loadProbe', 'OnChaos', undefined],
    ],
  );
  assert.equal(probes[2]?.data, 'kind: Pod');
  assert.equal(probes[4]?.runProperties.evaluationTimeout, '1m');
  assert.deepEqual(probes[5]?.tolerance, { failed: '1%', outage: '2s' });
});

test('a probe is refused by the rules of manifests, with the fields of the builder', () => {
  const http =
    (options: object): (() => unknown) =>
    () =>
      httpProbe({ name: 'a', url: 'http://web', method: GET, ...options } as never);
  const cases: [name: string, build: () => unknown, field: string, says: RegExp][] = [
    ['a slip', http({ ur: 'x' }), 'httpProbe.ur', /did you mean url\?/],
    [
      'a slip further in',
      http({ method: { get: { criterias: '==' } } }),
      'httpProbe.method.get.criterias',
      /criteria/,
    ],
    ['another type', http({ url: 1 }), 'httpProbe.url', /must be of type string/],
    ['what cannot be', http({ url: 'nowhere' }), 'httpProbe.url', /Invalid value/],
    [
      'criteria that there are not',
      http({ method: { get: { criteria: '=', responseCode: '200' } } }),
      'httpProbe.method.get.criteria',
      /./,
    ],
    ['a time without a unit', http({ every: '5' }), 'httpProbe.every', /with its unit/],
    ['a mode that there is not', http({ mode: 'Always' }), 'httpProbe.mode', /one of SOT, EOT/],
    ['a limit of another form', http({ tolerance: { failed: 1 } }), 'httpProbe.tolerance.failed', /'1%'/],
    [
      'no name',
      () => httpProbe({ url: 'http://web', method: GET } as never),
      'httpProbe.name',
      /found nothing/,
    ],
    [
      'what a load has not',
      () => loadProbe({ name: 'a', rate: 1, requests: [{ url: 'http://web' }], every: '1s' } as never),
      'loadProbe.every',
      /no such setting/,
    ],
    ['an option of another type', http({ data: 'x' }), 'httpProbe.data', /no such setting/],
  ];
  for (const [name, build, field, says] of cases) {
    const problems = problemsOf(build);
    assert.ok(problems.length >= 1, name);
    assert.equal(problems[0]?.split(': ')[0], field, name);
    assert.match(problems[0] ?? '', says, name);
  }
});

test('targets become the selectors of the engine, in the namespace of the run where they name none', () => {
  const engineOf = (built: Experiment, namespace: string): ChaosEngine =>
    parse(built.toManifest({ namespace })) as ChaosEngine;
  const one = engineOf(podDelete(WEB), 'shop');
  assert.equal(one.metadata.namespace, 'shop');
  assert.deepEqual(one.spec.selectors, {
    workloads: [{ kind: 'deployment', namespace: 'shop', names: 'web' }],
  });
  const several = podDelete({
    target: [
      { kind: 'statefulset', labels: 'app=db', namespace: 'data' },
      { kind: 'deployment', name: ['web', 'api'] },
      'pod/one',
    ],
  });
  assert.deepEqual(engineOf(several, 'shop').spec.selectors, {
    workloads: [
      { kind: 'statefulset', namespace: 'data', labels: 'app=db' },
      { kind: 'deployment', namespace: 'shop', names: 'web,api' },
    ],
    pods: [{ namespace: 'shop', names: 'one' }],
  });
  assert.equal(
    engineOf(k6Loadgen({ scriptSecretName: 's', scriptSecretKey: 'k' }), 'shop').spec.selectors,
    undefined,
  );
});

test('several faults are one engine; what cannot be one is refused', () => {
  const made = experiment({
    name: 'bad-day',
    namespace: 'shop',
    faults: [podDelete({ ...WEB, duration: '5s' }), podCpuHog(WEB), nodeCpuHog({})],
    order: 'parallel',
    iterations: 2,
    minInterval: '1m',
    minimumCoverage: '80%',
    requireEffect: true,
    serviceAccount: 'mine',
  });
  const engine = parse(made.toManifest()) as ChaosEngine;
  assert.deepEqual(
    engine.spec.experiments.map(({ name }) => name),
    ['pod-delete', 'pod-cpu-hog', 'node-cpu-hog'],
  );
  const { execution, minimumCoverage, requireEffect, chaosServiceAccount, dryRun } = engine.spec;
  assert.deepEqual(
    { execution, minimumCoverage, requireEffect, chaosServiceAccount, dryRun },
    {
      execution: { order: 'parallel', iterations: 2, minInterval: '1m' },
      minimumCoverage: 80,
      requireEffect: true,
      chaosServiceAccount: 'mine',
      dryRun: undefined,
    },
  );
  const twice = { name: 'x', faults: [podDelete(WEB), podDelete(WEB)] };
  assert.deepEqual(
    problemsOf(() => experiment(twice)),
    ['experiment.faults[1]: pod-delete is in the list already; make two experiments, or use iterations'],
  );
  const elsewhere = { name: 'x', faults: [podDelete(WEB), podCpuHog({ target: 'deployment/api' })] };
  assert.match(
    problemsOf(() => experiment(elsewhere)).join(),
    /faults\[1\]\.target: pod-cpu-hog hits .*make two experiments$/,
  );
  assert.match(
    problemsOf(() => experiment({ faults: [] } as never)).join('\n'),
    /experiment\.faults: .*\n.*experiment\.name/,
  );
});

test('a manifest says the same as the builder, and can be loaded', () => {
  const built = podDelete({
    ...WEB,
    duration: '5s',
    probes: [httpProbe({ name: 'a', url: 'http://web', method: GET })],
  });
  const kinds = (text: string): string[] => parseAllDocuments(text).map((one) => String(one.get('kind')));
  assert.deepEqual(kinds(built.toManifest()), ['ChaosEngine']);
  const whole = built.toManifest({ account: true, experiments: true });
  assert.deepEqual(kinds(whole), ['ServiceAccount', 'Role', 'RoleBinding', 'ChaosExperiment', 'ChaosEngine']);
  const loaded = fromManifest(whole, 'whole.yaml');
  assert.equal(loaded.toManifest(), whole);
  assert.equal(loaded.name, 'whole.yaml');
  const [, , , , engine] = parseAllDocuments(whole).map((one) => one.toJS() as object);
  assert.ok(loaded instanceof BuiltExperiment);
  const read = loaded.read({ namespace: 'default', allowsStopped: false, beside: [] });
  assert.deepEqual(
    read.engines.map(({ object }) => object),
    [engine],
  );
  assert.deepEqual(
    problemsOf(() => fromManifest('kind: Pod', 'pod.yaml')),
    ['apiVersion: pod.yaml:1: apiVersion: expected a text, found nothing'],
  );
  assert.match(
    problemsOf(() =>
      fromManifest(
        whole.replace('pod-delete\n    spec', 'pod-dlete\n    spec').replace('engineState', 'enginState'),
      ),
    ).join(),
    /enginState.*did you mean/,
  );
});

test('targets of other namespaces get roles of their own; faults of nodes one of the cluster', () => {
  const names = (built: Experiment): string[] =>
    parseAllDocuments(built.toManifest({ namespace: 'chaos', account: true }))
      .map((one) => one.toJS() as { kind: string; metadata: { name: string; namespace?: string } })
      .map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
  assert.deepEqual(names(podDelete({ target: { kind: 'deployment', name: 'web', namespace: 'shop' } })), [
    'ServiceAccount chaos/chaos-pod-delete',
    'Role chaos/chaos-pod-delete',
    'RoleBinding chaos/chaos-pod-delete',
    'Role shop/chaos-pod-delete-chaos',
    'RoleBinding shop/chaos-pod-delete-chaos',
    'ChaosEngine chaos/pod-delete',
  ]);
  assert.ok(names(nodeCpuHog({})).includes('ClusterRole /chaos-node-cpu-hog-chaos'));
});

test('a run is asked for with a cluster, or without; everything else is refused with its field', () => {
  const built = podDelete(WEB);
  const asked = argumentsOf('runChaos', [built, { namespace: 'shop' }]);
  assert.deepEqual(
    [asked.cluster, asked.experiment, asked.options],
    [undefined, built, { namespace: 'shop' }],
  );
  assert.equal(argumentsOf('runChaos', ['/a/kubeconfig', built]).cluster, '/a/kubeconfig');
  const cases: [given: unknown[], field: RegExp][] = [
    [[], /^runChaos\.experiment: /],
    [['/a/kubeconfig'], /^runChaos\.experiment: /],
    [[built, { namspace: 'a' }], /^runChaos\.options\.namspace: .*did you mean namespace\?/],
    [[built, { signal: 'stop' }], /^runChaos\.options\.signal: expected an AbortSignal/],
    [[built, { timeout: 30 }], /^runChaos\.options\.timeout: .*'10m'/],
    [[built, { manifests: [1] }], /^runChaos\.options\.manifests: /],
    [[built, { onStep: true }], /^runChaos\.options\.onStep: expected a function/],
  ];
  for (const [given, field] of cases)
    assert.match(problemsOf(() => argumentsOf('runChaos', given)).join(), field);
});
