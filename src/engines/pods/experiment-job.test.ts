import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESTRICTED_CONTAINER } from '@turnsole/kube/kinds/restricted-container';
import fc from 'fast-check';
import type {
  ChaosEngine,
  ChaosExperiment,
  EngineExperiment,
  ExperimentDefinition,
} from '../../api/index.ts';
import { SkipError } from '../../chaos/experiments/skip-error.ts';
import { buildExperimentJob } from './experiment-job.ts';
import { type JobSettings, jobNameOf, planJob } from './job-plan.ts';

const SETTINGS: JobSettings = {
  namespace: 'shop',
  targets: 'deployment:shop:[app=nginx]',
  serviceAccount: 'pod-delete-sa',
  auxiliaryAppInfo: '',
  runId: 'r1',
  otel: {},
  protectedNamespaces: '',
  annotationKey: '',
  knownImages: [],
  traceParent: '',
};

interface Parts {
  readonly definition?: ExperimentDefinition;
  readonly entry?: Omit<EngineExperiment, 'name'>;
  readonly spec?: Partial<ChaosEngine['spec']>;
  readonly metadata?: Partial<ChaosEngine['metadata']>;
  readonly settings?: Partial<JobSettings>;
}

function plan({ definition = {}, entry = {}, spec = {}, metadata = {}, settings = {} }: Parts = {}) {
  const engine: ChaosEngine = {
    metadata: { name: 'nginx', namespace: 'shop', uid: 'u1', ...metadata },
    spec: { experiments: [{ name: 'pod-delete', ...entry }], ...spec },
  };
  const experiment: ChaosExperiment = {
    metadata: { name: 'pod-delete' },
    spec: { definition: { image: 'go-runner:latest', ...definition } },
  };
  return planJob({
    engine,
    experiment,
    item: { name: 'pod-delete', position: 0, iteration: 1 },
    index: 0,
    settings: { ...SETTINGS, ...settings },
    runId: 'r1',
  });
}

const job = (parts?: Parts) => buildExperimentJob(plan(parts));
const container = (parts?: Parts) => job(parts).spec?.template.spec?.containers[0];
const env = (parts?: Parts): string[] =>
  (container(parts)?.env ?? []).map(
    ({ name, value, valueFrom }) => `${name}=${value ?? JSON.stringify(valueFrom)}`,
  );

test('job: the whole of a chart-like experiment', () => {
  const built = job({
    definition: {
      image: 'go-runner:latest',
      imagePullPolicy: 'Always',
      labels: { name: 'pod-delete', 'app.kubernetes.io/part-of': 'litmus' },
      command: ['/bin/bash'],
      args: ['-c', './experiments -name pod-delete'],
      env: [{ name: 'TOTAL_CHAOS_DURATION', value: '15' }],
    },
    metadata: { labels: { team: 'a' } },
  });
  const name = jobNameOf('pod-delete', 0, 'r1');
  const labels = {
    name: 'pod-delete',
    'app.kubernetes.io/part-of': 'litmus',
    team: 'a',
    chaosUID: 'u1',
    'turnsole.io/run-id': 'r1',
  };
  assert.match(name, /^pod-delete-[a-z0-9]{6}$/);
  assert.deepEqual(built, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: 'shop',
      labels,
      ownerReferences: [
        { apiVersion: 'litmuschaos.io/v1alpha1', kind: 'ChaosEngine', name: 'nginx', uid: 'u1' },
      ],
    },
    spec: {
      backoffLimit: 0,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          serviceAccountName: 'pod-delete-sa',
          containers: [
            {
              name,
              image: 'go-runner:latest',
              imagePullPolicy: 'Always',
              command: ['/bin/bash'],
              args: ['-c', './experiments -name pod-delete'],
              env: [
                { name: 'CHAOSENGINE', value: 'nginx' },
                { name: 'TARGETS', value: 'deployment:shop:[app=nginx]' },
                { name: 'CHAOS_NAMESPACE', value: 'shop' },
                { name: 'CHAOS_UID', value: 'u1' },
                { name: 'EXPERIMENT_NAME', value: 'pod-delete' },
                { name: 'LIB_IMAGE_PULL_POLICY', value: 'Always' },
                { name: 'CHAOS_SERVICE_ACCOUNT', value: 'pod-delete-sa' },
                { name: 'TOTAL_CHAOS_DURATION', value: '15' },
                { name: 'STATUS_CHECK_DELAY', value: '2' },
                { name: 'STATUS_CHECK_TIMEOUT', value: '180' },
                { name: 'JOB_CLEANUP_POLICY', value: 'retain' },
                { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                { name: 'RUN_ID', value: 'r1' },
              ],
              terminationMessagePolicy: 'FallbackToLogsOnError',
            },
          ],
        },
      },
    },
  });
});

test('job: keeps away from the node that is hit, if there is another', () => {
  const env = [{ name: 'TARGET_NODE', value: 'node-7' }];
  const { spec } = buildExperimentJob(plan({ entry: { spec: { components: { env } } } }));
  assert.deepEqual(spec?.template.spec?.affinity, {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          preference: { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['node-7'] }] },
        },
      ],
    },
  });
  assert.equal(buildExperimentJob(plan()).spec?.template.spec?.affinity, undefined);
});

test('job: the engine changes image, placement, resources, annotations and grace', () => {
  const spec = job({
    entry: {
      spec: {
        components: {
          experimentImage: 'mine:1',
          experimentImagePullSecrets: [{ name: 'pull' }],
          experimentAnnotations: { note: 'engine' },
          nodeSelector: { disk: 'ssd' },
          tolerations: [{ operator: 'Exists' }],
          resources: { limits: { cpu: '1' } },
        },
      },
    },
    definition: {
      experimentAnnotations: { note: 'definition', other: 'x' },
      hostPID: true,
      securityContext: {
        podSecurityContext: { runAsUser: 0 },
        containerSecurityContext: { privileged: true },
      },
    },
    spec: { terminationGracePeriodSeconds: 60 },
  });
  const pod = spec.spec?.template.spec;
  assert.equal(pod?.containers[0]?.image, 'mine:1');
  assert.deepEqual(pod?.containers[0]?.resources, { limits: { cpu: '1' } });
  assert.deepEqual(pod?.containers[0]?.securityContext, { privileged: true });
  assert.deepEqual(pod?.securityContext, { runAsUser: 0 });
  assert.deepEqual(pod?.nodeSelector, { disk: 'ssd' });
  assert.deepEqual(pod?.tolerations, [{ operator: 'Exists' }]);
  assert.deepEqual(pod?.imagePullSecrets, [{ name: 'pull' }]);
  assert.equal(pod?.hostPID, true);
  assert.equal(pod?.terminationGracePeriodSeconds, 60);
  assert.deepEqual(spec.metadata.annotations, { note: 'engine', other: 'x' });
  assert.deepEqual(spec.spec?.template.metadata?.annotations, { note: 'engine', other: 'x' });
});

test('env: derived < definition < engine < forced; valueFrom passes through', () => {
  const secret = { secretKeyRef: { name: 's', key: 'k' } };
  const variables = env({
    definition: {
      env: [
        { name: 'FORCE', value: 'true' },
        { name: 'CHAOS_INTERVAL', value: '5' },
        { name: 'TARGETS', value: 'from definition' },
        { name: 'JOB_CLEANUP_POLICY', value: 'mine' },
      ],
    },
    entry: {
      spec: {
        components: {
          env: [
            { name: 'FORCE', value: 'false' },
            { name: 'TOKEN', valueFrom: secret },
            { name: 'POD_NAME', value: 'mine' },
            { name: 'RUN_ID', value: 'mine' },
            { name: 'PROTECTED_NAMESPACES', value: 'none' },
          ],
          statusCheckTimeouts: { delay: 1, timeout: 30 },
        },
      },
    },
    spec: { jobCleanUpPolicy: 'delete', defaultHealthCheck: false, terminationGracePeriodSeconds: 9 },
    settings: {
      auxiliaryAppInfo: 'shop:app=db',
      otel: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel' },
      traceParent: '{}',
      protectedNamespaces: 'kube-system,db',
    },
  });
  for (const expected of [
    'FORCE=false',
    'CHAOS_INTERVAL=5',
    'TARGETS=from definition',
    'JOB_CLEANUP_POLICY=delete',
    `TOKEN=${JSON.stringify(secret)}`,
    'POD_NAME={"fieldRef":{"fieldPath":"metadata.name"}}',
    'RUN_ID=r1',
    'PROTECTED_NAMESPACES=kube-system,db',
    'STATUS_CHECK_DELAY=1',
    'STATUS_CHECK_TIMEOUT=30',
    'DEFAULT_HEALTH_CHECK=false',
    'TERMINATION_GRACE_PERIOD_SECONDS=9',
    'AUXILIARY_APPINFO=shop:app=db',
    'OTEL_EXPORTER_OTLP_ENDPOINT=http://otel',
    'TRACE_PARENT={}',
  ]) {
    assert.ok(variables.includes(expected), `${expected} in ${variables.join(' ')}`);
  }
  const names = variables.map((text) => text.split('=')[0]);
  assert.equal(new Set(names).size, names.length, 'no variable twice');
});

test('env: annotationCheck "true" is handed on, whatever charts say; the key is that of the operator', () => {
  const definition = { env: [{ name: 'ANNOTATION_CHECK', value: 'false' }] };
  const settings = { annotationKey: 'shop.example/chaos' };
  const of = (annotationCheck: string): string[] =>
    env({ definition, settings, spec: { annotationCheck } }).filter((text) => text.startsWith('ANNOTATION_'));
  assert.deepEqual(of('true'), ['ANNOTATION_CHECK=true', 'ANNOTATION_KEY=shop.example/chaos']);
  assert.deepEqual(of('false'), ['ANNOTATION_CHECK=false']);
});

test('result name: INSTANCE_ID is its last part', () => {
  assert.equal(plan().resultName, 'nginx-pod-delete');
  const entry = { spec: { components: { env: [{ name: 'INSTANCE_ID', value: 'a1' }] } } };
  assert.equal(plan({ entry }).resultName, 'nginx-pod-delete-a1');
});

test('volumes: the engine decides where a config map of the definition is mounted, others are added', () => {
  const built = job({
    definition: {
      configMaps: [
        { name: 'a', mountPath: '/a' },
        { name: 'b', mountPath: '/b', data: { k: 'v' } },
      ],
      secrets: [{ name: 's', mountPath: '/s' }],
      hostFileVolumes: [{ name: 'sock', mountPath: '/run/x.sock', nodePath: '/run/x.sock', type: 'Socket' }],
    },
    entry: {
      spec: {
        components: {
          configMaps: [
            { name: 'a', mountPath: '/other' },
            { name: 'c', mountPath: '/c' },
          ],
        },
      },
    },
  });
  const spec = built.spec?.template.spec;
  assert.deepEqual(spec?.volumes, [
    { name: 'config-map-0', configMap: { name: 'a' } },
    { name: 'config-map-1', configMap: { name: 'b' } },
    { name: 'config-map-2', configMap: { name: 'c' } },
    { name: 'secret-0', secret: { secretName: 's' } },
    { name: 'host-file-0', hostPath: { path: '/run/x.sock', type: 'Socket' } },
  ]);
  assert.deepEqual(
    spec?.containers[0]?.volumeMounts?.map(({ mountPath }) => mountPath),
    ['/other', '/b', '/c', '/s', '/run/x.sock'],
  );
});

test('sidecars: only with the annotation, with what they need to find the experiment', () => {
  const spec: Partial<ChaosEngine['spec']> = {
    components: {
      sidecar: [
        {
          image: 'side:1',
          env: [{ name: 'MODE', value: 'x' }],
          envFrom: [{ configMapRef: { name: 'm' } }],
          secrets: [{ name: 's', mountPath: '/s' }],
        },
      ],
    },
  };
  const containers = (annotation?: string) =>
    job({
      spec,
      metadata: annotation === undefined ? {} : { annotations: { 'sidecar/enabled': annotation } },
    }).spec?.template.spec;
  assert.equal(containers()?.containers.length, 1);
  assert.equal(containers('false')?.containers.length, 1);
  const pod = containers('true');
  const name = jobNameOf('pod-delete', 0, 'r1');
  assert.deepEqual(pod?.containers[1], {
    name: `${name}-sidecar-1`,
    image: 'side:1',
    imagePullPolicy: 'IfNotPresent',
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'MAIN_CONTAINER', value: name },
      { name: 'MODE', value: 'x' },
    ],
    envFrom: [{ configMapRef: { name: 'm' } }],
    volumeMounts: [{ name: 'sidecar-0-secret-0', mountPath: '/s' }],
  });
  assert.deepEqual(pod?.volumes, [{ name: 'sidecar-0-secret-0', secret: { secretName: 's' } }]);
});

const ENABLED = { annotations: { 'sidecar/enabled': 'true' } };
/** A value that the types forbid and a lax CRD lets through. */
const untyped = <T>(value: unknown): T => value as T;

const BAD: readonly [name: string, parts: Parts, reason: string, message: RegExp][] = [
  [
    'no image',
    { definition: { image: '' } },
    'ExperimentDependencyCheck',
    /spec\.definition\.image: Required/,
  ],
  [
    'config map without mountPath',
    { definition: { configMaps: [{ name: 'a' }] } },
    'ExperimentDependencyCheck',
    /^ChaosExperiment pod-delete: spec\.definition\.configMaps\[0\]\.mountPath: Required value$/,
  ],
  [
    'secret of the engine without a name',
    { entry: { spec: { components: { secrets: [{ mountPath: '/s' }] } } } },
    'ExperimentDependencyCheck',
    /^spec\.experiments\[0\]\.spec\.components\.secrets\[0\]\.name: Required value$/,
  ],
  [
    'host file without nodePath',
    { definition: { hostFileVolumes: [{ name: 'h', mountPath: '/h' }] } },
    'ExperimentDependencyCheck',
    /hostFileVolumes\[0\]\.nodePath: Required value$/,
  ],
  [
    'env with a number',
    { entry: { spec: { components: { env: [{ name: 'A', value: untyped<string>(5) }] } } } },
    'EnvParseError',
    /spec\.experiments\[0\]\.spec\.components\.env\[0\]\.value: Invalid value: 5: variable A must be text/,
  ],
  [
    'env without a name',
    { definition: { env: [{ name: '' }] } },
    'EnvParseError',
    /env\[0\]\.name: Required/,
  ],
  [
    'sidecar without image',
    { spec: { components: { sidecar: [{}] } }, metadata: ENABLED },
    'SidecarPatchError',
    /^spec\.components\.sidecar\[0\]\.image: Required value$/,
  ],
  [
    'sidecar secret without mountPath',
    { spec: { components: { sidecar: [{ image: 'i', secrets: [{ name: 's' }] }] } }, metadata: ENABLED },
    'SidecarPatchError',
    /sidecar\[0\]\.secrets\[0\]\.mountPath/,
  ],
];

for (const [name, parts, reason, message] of BAD) {
  test(`plan: ${name} skips the experiment with the path of the field`, () => {
    assert.throws(
      () => plan(parts),
      (error) => error instanceof SkipError && error.reason === reason && message.test(error.message),
    );
  });
}

test('job name: a DNS label that belongs to the run, whatever the experiment is called', () => {
  const word = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,80}[a-z0-9])?$/);
  fc.assert(
    fc.property(word, fc.nat(20), fc.string(), (experiment, index, runId) => {
      const name = jobNameOf(experiment, index, runId);
      assert.match(name, /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
      assert.equal(jobNameOf(experiment, index, runId), name);
      assert.notEqual(jobNameOf(experiment, index + 1, runId), name);
    }),
  );
});

test("job: our image stands in for upstream's, with its own pull policy, and helpers get both", () => {
  const parts: Parts = {
    definition: { image: 'mirror.example/litmuschaos/go-runner:3.20.0', imagePullPolicy: 'Always' },
    settings: { ownImage: { name: 'example/turnsole:1', pullPolicy: 'Never' } },
  };
  assert.equal(container(parts)?.image, 'example/turnsole:1');
  assert.equal(container(parts)?.imagePullPolicy, 'Never');
  assert.ok(env(parts).includes('LIB_IMAGE_PULL_POLICY=Never'));
});

test("job: a user's own experiment image is left alone", () => {
  const own = {
    definition: { image: 'example/mine:1' },
    settings: { ownImage: { name: 'example/turnsole:1' } },
  };
  assert.equal(container(own)?.image, 'example/mine:1');
  assert.equal(container(own)?.imagePullPolicy, 'Always');
});

test("job: Turnsole's own image is restricted, beside what the definition says; another image is left alone", () => {
  const settings = { ownImage: { name: 'example/turnsole:1' }, knownImages: ['example/turnsole:1'] };
  const upstreams = { image: 'litmuschaos/go-runner:latest' };
  assert.deepEqual(container({ definition: upstreams, settings })?.securityContext, RESTRICTED_CONTAINER);
  const asRoot = { podSecurityContext: { runAsUser: 0 } };
  const { runAsNonRoot: _, ...asAnyUser } = RESTRICTED_CONTAINER;
  const job = { definition: { ...upstreams, securityContext: asRoot }, settings };
  assert.deepEqual(container(job)?.securityContext, asAnyUser);
  assert.equal(container({ definition: { image: 'example/mine:1' }, settings })?.securityContext, undefined);
});
