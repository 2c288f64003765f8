import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESTRICTED_CONTAINER } from '@turnsole/kube/kinds/restricted-container';
import type { ChaosEngine, ChaosExperiment, RunnerComponent } from '../../api/index.ts';
import { engineSpanId } from '../../chaos/run-trace.ts';
import { handOnTrace, traceIdOf } from '../../tracing/trace-context.ts';
import { buildRunnerPod } from './runner-pod.ts';

function engine(runner: RunnerComponent = {}, rest: Partial<ChaosEngine['spec']> = {}): ChaosEngine {
  return {
    metadata: { name: 'nginx-chaos', namespace: 'shop', uid: 'u1' },
    spec: {
      chaosServiceAccount: 'pod-delete-sa',
      experiments: [{ name: 'pod-delete' }, { name: 'container-kill' }],
      appinfo: { applabel: 'app=nginx', appkind: 'deployment' },
      components: { runner },
      ...rest,
    },
    status: { engineStatus: 'initialized', runId: 'r1' },
  };
}

const DEFAULTS = { image: 'turnsole/runner:1' };

test('runner pod: everything the reference says, nothing else', () => {
  assert.deepEqual(buildRunnerPod(engine(), undefined, DEFAULTS), {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'nginx-chaos-runner',
      namespace: 'shop',
      labels: {
        app: 'nginx-chaos',
        chaosUID: 'u1',
        'app.kubernetes.io/component': 'chaos-runner',
        'app.kubernetes.io/part-of': 'litmus',
        'turnsole.io/run-id': 'r1',
      },
      ownerReferences: [
        {
          apiVersion: 'litmuschaos.io/v1alpha1',
          kind: 'ChaosEngine',
          name: 'nginx-chaos',
          uid: 'u1',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      restartPolicy: 'OnFailure',
      serviceAccountName: 'pod-delete-sa',
      containers: [
        {
          name: 'chaos-runner',
          image: 'turnsole/runner:1',
          imagePullPolicy: 'IfNotPresent',
          env: [
            { name: 'CHAOSENGINE', value: 'nginx-chaos' },
            { name: 'TARGETS', value: 'deployment:shop:[app=nginx]' },
            { name: 'EXPERIMENT_LIST', value: 'pod-delete,container-kill' },
            { name: 'CHAOS_SVC_ACC', value: 'pod-delete-sa' },
            { name: 'CHAOS_NAMESPACE', value: 'shop' },
            { name: 'RUN_ID', value: 'r1' },
          ],
        },
      ],
    },
  });
});

test('runner pod: the engine changes image, command, labels, placement and resources', () => {
  const pod = buildRunnerPod(
    engine({
      image: 'mine:2',
      imagePullPolicy: 'Always',
      command: ['/run'],
      args: ['-v'],
      imagePullSecrets: [{ name: 'pull' }],
      runnerAnnotations: { note: 'x' },
      runnerLabels: { team: 'a', app: 'other', chaosUID: 'mine' },
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ operator: 'Exists' }],
      resources: { limits: { memory: '64Mi' } },
    }),
    undefined,
    {
      ...DEFAULTS,
      otel: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4317' },
      protectedNamespaces: 'kube-system,db',
    },
  );
  const container = pod.spec?.containers[0];
  assert.equal(container?.image, 'mine:2');
  assert.equal(container?.imagePullPolicy, 'Always');
  assert.deepEqual([container?.command, container?.args], [['/run'], ['-v']]);
  assert.deepEqual(container?.resources, { limits: { memory: '64Mi' } });
  assert.deepEqual(container?.env?.slice(-3), [
    { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://otel:4317' },
    {
      name: 'TRACE_PARENT',
      value: handOnTrace({ traceId: traceIdOf('r1'), spanId: engineSpanId('r1'), isSampled: true }),
    },
    { name: 'PROTECTED_NAMESPACES', value: 'kube-system,db' },
  ]);
  assert.deepEqual(pod.metadata.annotations, { note: 'x' });
  assert.equal(pod.metadata.labels?.team, 'a');
  assert.equal(pod.metadata.labels?.app, 'other', 'as upstream, the label of the user wins');
  assert.equal(pod.metadata.labels?.chaosUID, 'u1', 'but not over the one an abort goes by');
  assert.deepEqual(pod.spec?.nodeSelector, { disk: 'ssd' });
  assert.deepEqual(pod.spec?.tolerations, [{ operator: 'Exists' }]);
  assert.deepEqual(pod.spec?.imagePullSecrets, [{ name: 'pull' }]);
});

test('runner pod: config maps and secrets are mounted, incomplete entries are not', () => {
  const pod = buildRunnerPod(
    engine({
      configMaps: [{ name: 'settings.v1', mountPath: '/settings' }, { name: 'no-path' }],
      secrets: [{ name: 'keys', mountPath: '/keys' }],
    }),
    undefined,
    DEFAULTS,
  );
  assert.deepEqual(pod.spec?.volumes, [
    { name: 'config-map-0', configMap: { name: 'settings.v1' } },
    { name: 'secret-0', secret: { secretName: 'keys' } },
  ]);
  assert.deepEqual(pod.spec?.containers[0]?.volumeMounts, [
    { name: 'config-map-0', mountPath: '/settings' },
    { name: 'secret-0', mountPath: '/keys' },
  ]);
});

test('runner pod: security contexts are those of the first experiment', () => {
  const first: ChaosExperiment = {
    metadata: { name: 'pod-delete' },
    spec: {
      definition: {
        securityContext: {
          podSecurityContext: { runAsUser: 2000 },
          containerSecurityContext: { allowPrivilegeEscalation: false },
        },
      },
    },
  };
  const pod = buildRunnerPod(engine(), first, DEFAULTS);
  assert.deepEqual(pod.spec?.securityContext, { runAsUser: 2000 });
  assert.deepEqual(pod.spec?.containers[0]?.securityContext, { allowPrivilegeEscalation: false });
});

test('runner pod: auxiliary applications are handed on', () => {
  const pod = buildRunnerPod(engine({}, { auxiliaryAppInfo: 'shop:app=db' }), undefined, DEFAULTS);
  const names = pod.spec?.containers[0]?.env?.map(({ name, value }) => `${name}=${value}`) ?? [];
  assert.ok(names.includes('AUXILIARY_APPINFO=shop:app=db'));
});

test('runner pod: the annotation by which applications agree is handed on to engines that ask for it', () => {
  const defaults = { ...DEFAULTS, annotationKey: 'shop.example/chaos' };
  const names = (annotationCheck: string): string[] =>
    (buildRunnerPod(engine({}, { annotationCheck }), undefined, defaults).spec?.containers[0]?.env ?? [])
      .map(({ name, value }) => `${name}=${value}`)
      .filter((text) => text.startsWith('ANNOTATION'));
  assert.deepEqual(names('true'), ['ANNOTATION_KEY=shop.example/chaos']);
  assert.deepEqual(names('false'), []);
});

test("runner pod: our image stands in for upstream's, and the runner gets its name", () => {
  const defaults = {
    image: 'example/turnsole:1',
    ownImage: { name: 'example/turnsole:1', pullPolicy: 'Never' },
  };
  const asked = engine({ image: 'litmuschaos/chaos-runner:3.20.0', imagePullPolicy: 'Always' });
  const [container] = buildRunnerPod(asked, undefined, defaults).spec?.containers ?? [];
  assert.equal(container?.image, 'example/turnsole:1');
  assert.equal(container?.imagePullPolicy, 'Never');
  const variables = (container?.env ?? []).filter(({ name }) => name.startsWith('TURNSOLE_'));
  assert.deepEqual(variables, [
    { name: 'TURNSOLE_IMAGE', value: 'example/turnsole:1' },
    { name: 'TURNSOLE_IMAGE_PULL_POLICY', value: 'Never' },
  ]);
});

test("runner pod: Turnsole's own image is restricted, beside what the first experiment says; another image is left alone", () => {
  const first: ChaosExperiment = {
    metadata: { name: 'pod-delete' },
    spec: { definition: { securityContext: { containerSecurityContext: { runAsUser: 2000 } } } },
  };
  const contextOf = (knownImages: string[], experiment?: ChaosExperiment) =>
    buildRunnerPod(engine(), experiment, { ...DEFAULTS, knownImages }).spec?.containers[0]?.securityContext;
  assert.deepEqual(contextOf([DEFAULTS.image]), RESTRICTED_CONTAINER);
  assert.deepEqual(contextOf([DEFAULTS.image], first), { ...RESTRICTED_CONTAINER, runAsUser: 2000 });
  assert.equal(contextOf([]), undefined);
  assert.deepEqual(contextOf([], first), { runAsUser: 2000 });
});
