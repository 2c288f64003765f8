import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { createLogger, systemClock } from '@turnsole/kube/runtime/index';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { until } from '@turnsole/kube/testing/until';
import { readFlags } from '../../../process/flags.ts';
import { FLAGS, helperImage, readComponentSettings } from '../component-settings.ts';
import { defaultSettings } from '../settings.ts';
import { withConfiguration } from './apply-configuration.ts';
import type { Configuration } from './configuration.ts';
import { readEnvironment } from './environment.ts';
import { FollowedConfiguration } from './followed-configuration.ts';
import { readConfiguration } from './read-configuration.ts';

const READ: readonly (readonly [key: string, yaml: string, expected: Configuration])[] = [
  ['instanceID', 'a1b2', { instanceId: 'a1b2' }],
  ['instanceID', '"17"', { instanceId: '17' }],
  ['namespace', 'shop', { namespace: 'shop' }],
  ['initialDelay', '5s', { initialDelayMs: 5000 }],
  ['workflowDefaults', 'spec: {parallelism: 3}', { workflowDefaults: { spec: { parallelism: 3 } } }],
  ['parallelism', '"10"', { parallelism: 10 }],
  ['namespaceParallelism', '4', { namespaceParallelism: 4 }],
  ['resourceRateLimit', '{limit: 2.5, burst: 10}', { podRate: { limit: 2.5, burst: 10 } }],
  ['resourceRateLimit', 'limit: 10', { podRate: { limit: 10, burst: 1 } }],
  [
    'images',
    'my/api: {entrypoint: [node], cmd: [server.js]}',
    { images: { 'my/api': { entrypoint: ['node'], args: ['server.js'] } } },
  ],
  [
    'mainContainer',
    'resources: {limits: {cpu: 1}}',
    { mainContainer: { resources: { limits: { cpu: 1 as never } } } },
  ],
  ['executor', 'imagePullPolicy: IfNotPresent', { executor: { imagePullPolicy: 'IfNotPresent' } }],
  ['artifactRepository', 's3: {bucket: b}', { artifactRepository: { s3: { bucket: 'b' } } }],
  [
    'plugins',
    'hello: {url: "http://hello.argo:4355", tokenFile: /var/run/token}',
    { plugins: { hello: { url: 'http://hello.argo:4355', tokenFile: '/var/run/token' } } },
  ],
  ['podGCGracePeriodSeconds', '0', { podGcGraceSeconds: 0 }],
  ['podGCDeleteDelayDuration', '30s', { podGcDeleteDelay: '30s' }],
  ['retentionPolicy', '{completed: 10, errored: 3}', { retention: { completed: 10, errored: 3 } }],
  ['nodeEvents', '{enabled: false, sendAsPod: true}', { nodeEvents: { nodes: false, asPod: true } }],
  ['workflowEvents', 'enabled: false', { workflowEvents: { workflows: false } }],
  ['podSpecLogStrategy', 'failedPod: true', { podSpecLog: { failedPod: true } }],
  [
    'metricsConfig',
    '{port: 8080, path: /m, metricsTTL: 10m, secure: false, disableLegacy: true}',
    { metrics: { port: 8080, path: '/m', ttlMs: 600_000, withoutLegacy: true } },
  ],
];
for (const [key, yaml, expected] of READ) {
  test(`configuration: ${key}: ${yaml}`, () => {
    assert.deepEqual(readConfiguration({ [key]: yaml }), { configuration: expected, keys: [key], notes: [] });
    // The same inside of the key that may hold all others.
    const inside = readConfiguration({ config: `${key}:\n  ${yaml}` });
    assert.deepEqual(inside.configuration, expected);
  });
}

const SILENT = ['containerRuntimeExecutor', 'links', 'sso'];
test('keys of other programs, and those of old ones, are left alone', () => {
  for (const key of SILENT) assert.deepEqual(readConfiguration({ [key]: 'k8sapi' }).notes, [], key);
});

const NOTED: readonly (readonly [data: Record<string, string>, note: string, isRefusal: boolean])[] = [
  [{ paralellism: '3' }, 'paralellism: the key is not known, and has no effect', false],
  [
    { initlessPod: 'true' },
    'initlessPod: has no effect: pods have no init container of the engine where they need none',
    false,
  ],
  [{ parallelism: 'many' }, 'parallelism: expected a whole number of at least 0, found "many"', true],
  [{ resourceRateLimit: 'limit: 0' }, 'resourceRateLimit: expected a number above 0, found 0', true],
  [
    { resourceRateLimit: '{limit: 1, burst: 0}' },
    'resourceRateLimit: expected a whole number of at least 1, found 0',
    true,
  ],
  [{ parallelism: '-1' }, 'parallelism: expected a whole number of at least 0, found -1', true],
  [
    { retentionPolicy: '{done: 3}' },
    'retentionPolicy: the field done cannot be honoured; known are completed, failed, errored',
    true,
  ],
  [
    { podGCDeleteDelayDuration: 'soon' },
    'podGCDeleteDelayDuration: expected a duration such as 30s, found "soon": ',
    true,
  ],
  [
    { executor: 'image: other' },
    'executor: the image of helpers is set by the flag -executor-image, not here',
    true,
  ],
  [
    { executor: 'env: []' },
    'executor: the field env cannot be honoured; known are name, image, imagePullPolicy, resources',
    true,
  ],
  [
    { metricsConfig: 'secure: true' },
    'metricsConfig: secure: metrics are served without TLS; set it to false',
    true,
  ],
  [
    { kubeConfig: '{secretName: s}' },
    'kubeConfig: the controller works in the cluster of its own credentials; start it with -kubeconfig FILE',
    true,
  ],
  [
    { persistence: 'archive: true' },
    'persistence: there is no archive and no storage of nodes in a database; remove the key',
    true,
  ],
  [
    { failedPodRestart: 'enabled: true' },
    'failedPodRestart: pods are not restarted by themselves; use retryStrategy',
    true,
  ],
  [{ nodeEvents: '{enabled' }, 'nodeEvents: is no YAML: ', true],
];
for (const [data, note, isRefusal] of NOTED) {
  test(`configuration: ${note}`, () => {
    const [found, ...others] = readConfiguration(data).notes;
    assert.deepEqual([others, found?.isRefusal], [[], isRefusal]);
    assert.ok(`${found?.key}: ${found?.text}`.startsWith(note), found?.text);
  });
}

test('what is refused only when it asks for something', () => {
  const data = {
    persistence: 'archive: false',
    failedPodRestart: 'enabled: false',
    kubeConfig: '{}',
    artifactDrivers: '[]',
  };
  assert.deepEqual(readConfiguration(data).notes, []);
});

test('all problems are reported at once', () => {
  assert.equal(readConfiguration({ parallelism: 'x', kubeConfig: 'a: b', zz: '1' }).notes.length, 3);
});

test('what is configured stands over the settings; a flag for the pull policy wins', () => {
  const base = defaultSettings('turnsole:1');
  const { configuration } = readConfiguration({
    executor: '{imagePullPolicy: Always, resources: {limits: {cpu: 150m}}}',
    nodeEvents: 'enabled: false',
    artifactRepository: '{archiveLogs: true, s3: {bucket: b}}',
    podGCDeleteDelayDuration: '1s',
  });
  const settings = withConfiguration(base, configuration);
  assert.deepEqual(settings.events, { nodes: false });
  assert.deepEqual(settings.artifactRepository, { archiveLogs: true, s3: { bucket: 'b' } });
  const { helper, archiveLogs, podGcDeleteDelay } = settings.pods;
  assert.deepEqual(
    [helper.image, helper.imagePullPolicy, archiveLogs, podGcDeleteDelay],
    ['turnsole:1', 'Always', true, '1s'],
  );
  const flagged = {
    ...base,
    pods: { ...base.pods, helper: { ...base.pods.helper, imagePullPolicy: 'Never' } },
  };
  assert.equal(withConfiguration(flagged, configuration).pods.helper.imagePullPolicy, 'Never');
});

test('environment: what is honoured, what has no effect, what is refused', () => {
  const { podNames, withoutElection, withoutEstimates, lease, propagationPolicy, withoutEffect } =
    readEnvironment({
      POD_NAMES: 'v1',
      SKIP_WORKFLOW_DURATION_ESTIMATION: 'true',
      LEADER_ELECTION_DISABLE: 'true',
      LEADER_ELECTION_LEASE_DURATION: '30s',
      WF_DEL_PROPAGATION_POLICY: 'Foreground',
      DEFAULT_REQUEUE_TIME: '10s',
    });
  assert.deepEqual(
    [podNames, withoutElection, withoutEstimates, lease, propagationPolicy],
    ['v1', true, true, { leaseDurationMs: 30_000 }, 'Foreground'],
  );
  assert.deepEqual(
    withoutEffect.map(([variable]) => variable),
    ['DEFAULT_REQUEUE_TIME'],
  );
  assert.equal(
    readEnvironment({ EXPRESSION_TEMPLATES: 'true', ALWAYS_OFFLOAD_NODE_STATUS: 'false' }).podNames,
    undefined,
  );
  for (const [variable, value] of [
    ['POD_NAMES', 'v3'],
    ['SKIP_WORKFLOW_DURATION_ESTIMATION', 'maybe'],
    ['EXPRESSION_TEMPLATES', 'false'],
    ['ALWAYS_OFFLOAD_NODE_STATUS', 'true'],
    ['LEADER_ELECTION_RETRY_PERIOD', 'soon'],
    ['WF_DEL_PROPAGATION_POLICY', 'Never'],
  ] as const)
    assert.throws(
      () => readEnvironment({ [variable]: value }),
      new RegExp(`environment variable ${variable} is "${value}"`),
    );
});

test('the image of helpers is never a program of Argo, wherever it comes from', () => {
  const argo = 'quay.io/argoproj/argoexec:v3.5.0';
  const litmus = 'litmuschaos.docker.scarf.sh/litmuschaos/argoexec:v3.3.1';
  const own = { name: 'example.com/turnsole:1' };
  const known = ['litmuschaos/argoexec', 'argoproj/argoexec'];
  assert.deepEqual(helperImage(undefined, own, []), { image: own.name });
  assert.deepEqual(helperImage(undefined, undefined, []), { image: 'turnsole' });
  assert.deepEqual(helperImage('example.com/tools:1', own, []), { image: 'example.com/tools:1' });
  for (const image of [argo, litmus]) {
    assert.deepEqual(helperImage(image, undefined, known), { image });
    const replaced = helperImage(image, own, []);
    assert.equal(replaced.image, own.name);
    assert.match(replaced.note?.join() ?? '', /^-executor-image,.*argoexec.* is Argo's program/);
    assert.throws(
      () => helperImage(image, undefined, []),
      /^UsageError: flag -executor-image: .*TURNSOLE_IMAGE/,
    );
  }
});

test("a controller stands for election as Argo's Deployment asks for it: by naming the candidate", () => {
  const electionOf = (argv: string[], env: Record<string, string>): boolean =>
    readComponentSettings(readFlags('workflow-controller', argv, FLAGS), env).leaderElect;
  assert.equal(electionOf([], {}), false);
  assert.equal(electionOf(['-leader-elect'], {}), true);
  assert.equal(electionOf([], { LEADER_ELECTION_IDENTITY: 'pod' }), true);
  assert.equal(electionOf([], { LEADER_ELECTION_IDENTITY: 'pod', LEADER_ELECTION_DISABLE: 'true' }), false);
});

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
});
after(() => api[Symbol.asyncDispose]());

function follow(name: string, lines: string[]): FollowedConfiguration {
  const logger = createLogger({ component: 'configuration', write: (line) => lines.push(line) });
  return new FollowedConfiguration({
    client: api.client,
    clock: systemClock,
    logger,
    namespace: 'default',
    name,
  });
}

async function configMap(name: string, data: Record<string, string>): Promise<void> {
  await api.client.create<ConfigMap>(CONFIG_MAPS, { metadata: { name }, data }, { namespace: 'default' });
}

test('changes count at once; one that cannot be used changes nothing', async (t) => {
  const lines: string[] = [];
  await configMap('followed', { parallelism: '3', zz: '1' });
  const followed = follow('followed', lines);
  await followed.start();
  t.after(() => followed.stop());
  assert.deepEqual(followed.current, { parallelism: 3 });
  const change = (data: object): Promise<unknown> =>
    api.client.patch(CONFIG_MAPS, 'followed', 'merge', { data }, { namespace: 'default' });
  await change({ parallelism: '5' });
  await until(() => followed.current.parallelism === 5, 'the change was not followed');
  await change({ parallelism: 'x' });
  await until(() => lines.some((line) => line.includes('the one before holds')), 'the refusal was not told');
  assert.equal(followed.current.parallelism, 5);
  await api.client.delete(CONFIG_MAPS, 'followed', { namespace: 'default' });
  await until(() => followed.current.parallelism === undefined, 'the deletion was not followed');
  assert.equal(lines.filter((line) => line.includes('"key":"zz"')).length, 1);
});

test('without a ConfigMap all has its default; one that cannot be used is no start', async (t) => {
  const absent = follow('absent', []);
  await absent.start();
  t.after(() => absent.stop());
  assert.deepEqual(absent.current, {});
  await configMap('refused', { kubeConfig: 'secretName: s', parallelism: 'x' });
  await assert.rejects(() => follow('refused', []).start(), {
    name: 'ConfigurationError',
    message:
      'ConfigMap default/refused cannot be used: kubeConfig: the controller works in the cluster of its own credentials; ' +
      'start it with -kubeconfig FILE; parallelism: expected a whole number of at least 0, found "x"',
  });
});
