import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, EnvVar, PodSpec } from '@turnsole/kube/kinds/core';
import { parse } from 'yaml';
import { readRepository } from '../artifacts/repository.ts';
import type { CreatePod } from '../engine/change.ts';
import type { Template } from '../kinds/template.ts';
import type { Workflow, WorkflowSpec } from '../kinds/workflow.ts';
import { type NodePod, nodePod } from './node-pod.ts';
import type { PodSettings } from './settings.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

const SETTINGS: PodSettings = {
  helper: {
    image: 'turnsole',
    commands: {
      init: ['init'],
      wait: ['wait'],
      resource: ['resource'],
      data: ['data'],
      garbage: ['garbage'],
    },
  },
  images: { known: { entrypoint: ['/entry'], args: ['default'] } },
};

const CREDENTIALS = { name: 'cred', key: 'id' };
const REPOSITORY = {
  s3: { endpoint: 'e', bucket: 'b', keyFormat: 'k/{{pod.name}}', accessKeySecret: CREDENTIALS },
};

interface Given {
  readonly template: string;
  readonly spec?: string;
  readonly boundary?: Template;
  readonly action?: Partial<CreatePod>;
  readonly settings?: Partial<PodSettings>;
  readonly workflow?: Partial<Workflow['metadata']>;
}

/** As it would be sent: fields that are undefined are not there. */
function made({ template, spec = '{}', boundary, action, settings, workflow }: Given): NodePod {
  const parsed: WorkflowSpec = parse(spec);
  const owner = {
    workflow: { metadata: { name: 'w', namespace: 'n', uid: 'u', ...workflow }, spec: parsed },
    spec: parsed,
    boundary,
    names: new Map([['workflow.parameters.g', 'global']]),
    repository: readRepository(REPOSITORY, 'configuration'),
    now: NOW,
  };
  const create: CreatePod = {
    kind: 'createPod',
    node: 'w-1',
    podName: 'w-step-1',
    template: parse(template),
    labels: { 'workflows.argoproj.io/workflow': 'w' },
    annotations: { 'workflows.argoproj.io/node-id': 'w-1' },
    wantsResult: false,
    mustReport: false,
    ...action,
  };
  return JSON.parse(JSON.stringify(nodePod(owner, create, { ...SETTINGS, ...settings })));
}

function specOf(given: Given): PodSpec {
  const { spec } = made(given).pod;
  assert.ok(spec);
  return spec;
}

function containerOf(given: Given, name = 'main'): Container {
  const { containers, initContainers = [] } = specOf(given);
  const found = [...initContainers, ...containers].find((container) => container.name === name);
  assert.ok(found, `container ${name}`);
  return found;
}

const PLAIN = 'container: { image: busybox, command: [echo], args: [hi] }';

test('a plain step is one container, and needs nothing else', () => {
  assert.deepEqual(made({ template: PLAIN }), {
    pod: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'w-step-1',
        namespace: 'n',
        labels: { 'workflows.argoproj.io/workflow': 'w' },
        annotations: {
          'kubectl.kubernetes.io/default-container': 'main',
          'workflows.argoproj.io/node-id': 'w-1',
        },
        ownerReferences: [
          {
            apiVersion: 'argoproj.io/v1alpha1',
            kind: 'Workflow',
            name: 'w',
            uid: 'u',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        restartPolicy: 'Never',
        containers: [
          {
            name: 'main',
            image: 'busybox',
            command: ['echo'],
            args: ['hi'],
            env: [
              { name: 'ARGO_CONTAINER_NAME', value: 'main' },
              { name: 'ARGO_NODE_ID', value: 'w-1' },
              { name: 'ARGO_WORKFLOW_NAME', value: 'w' },
            ],
          },
        ],
      },
    },
    objects: [],
  });
});

test('the variables that the settings have for a node stand in its containers', () => {
  const env = ({ metadata }: Workflow, node: string): readonly EnvVar[] => [
    { name: 'WHERE', value: `${metadata.name}/${node}` },
  ];
  const names = (settings: Partial<PodSettings>): readonly string[] =>
    (containerOf({ template: PLAIN, settings }).env ?? []).map(({ name, value }) => `${name}=${value}`);
  assert.ok(names({ env }).includes('WHERE=w/w-1'));
  assert.ok(!names({}).some((text) => text.startsWith('WHERE=')));
});

test('an image without a command starts by its own entrypoint', () => {
  const { command, args } = containerOf({ template: 'container: { image: known, args: [-file=x] }' });
  assert.deepEqual([command, args], [undefined, ['-file=x']]);
});

test('labels and annotations: the engine before the template, the template before the workflow', () => {
  const { metadata } = made({
    template: `{ ${PLAIN}, metadata: { labels: { a: t, b: t, workflows.argoproj.io/workflow: no }, annotations: { c: t } } }`,
    spec: '{ podMetadata: { labels: { a: w, d: "{{workflow.parameters.g}}" }, annotations: { c: w } }, podGC: { strategy: OnPodSuccess, deleteDelayDuration: 90s } }',
    workflow: { labels: { 'workflows.argoproj.io/controller-instanceid': 'i', other: 'x' } },
  }).pod;
  assert.deepEqual(metadata.labels, {
    a: 't',
    b: 't',
    d: 'global',
    'workflows.argoproj.io/controller-instanceid': 'i',
    'workflows.argoproj.io/workflow': 'w',
  });
  assert.equal(metadata.annotations?.['c'], 't');
  assert.equal(metadata.annotations?.['workflows.argoproj.io/pod-gc-strategy'], 'OnPodSuccess/1m30s');
});

const FIELDS: readonly [
  name: string,
  given: Omit<Given, 'template'> & { readonly extra?: string },
  expected: object,
][] = [
  [
    'of the workflow',
    {
      spec: '{ serviceAccountName: w, schedulerName: s, podPriorityClassName: p, hostNetwork: true, dnsPolicy: None }',
    },
    {
      serviceAccountName: 'w',
      schedulerName: 's',
      priorityClassName: 'p',
      hostNetwork: true,
      dnsPolicy: 'None',
    },
  ],
  [
    'of the template first',
    {
      extra:
        'serviceAccountName: t, schedulerName: ts, priorityClassName: tp, securityContext: { runAsUser: 1 }',
      spec: '{ serviceAccountName: w, schedulerName: s, podPriorityClassName: p, securityContext: { fsGroup: 2 } }',
    },
    {
      serviceAccountName: 't',
      schedulerName: 'ts',
      priorityClassName: 'tp',
      securityContext: { runAsUser: 1 },
    },
  ],
  [
    'host aliases of both',
    { extra: 'hostAliases: [{ ip: 1.1.1.1 }]', spec: 'hostAliases: [{ ip: 2.2.2.2 }]' },
    { hostAliases: [{ ip: '2.2.2.2' }, { ip: '1.1.1.1' }] },
  ],
  [
    'the selector of the enclosing template, whole',
    { boundary: { nodeSelector: { b: '1' } }, spec: 'nodeSelector: { w: "1" }' },
    { nodeSelector: { b: '1' } },
  ],
  [
    'an empty selector does not count',
    { extra: 'nodeSelector: {}', spec: 'nodeSelector: { w: "1" }' },
    { nodeSelector: { w: '1' } },
  ],
  [
    'tolerations of the template, whole',
    { extra: 'tolerations: [{ key: t }]', boundary: { tolerations: [{ key: 'b' }] } },
    { tolerations: [{ key: 't' }] },
  ],
  [
    'hosts to avoid',
    {
      action: { avoidHosts: ['h1', 'h2'] },
      spec: 'affinity: { podAffinity: {}, nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: k, operator: Exists }] }] } } }',
    },
    {
      affinity: {
        podAffinity: {},
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [{ key: 'k', operator: 'Exists' }],
                matchFields: [
                  { key: 'metadata.name', operator: 'NotIn', values: ['h1'] },
                  { key: 'metadata.name', operator: 'NotIn', values: ['h2'] },
                ],
              },
            ],
          },
        },
      },
    },
  ],
  [
    'the earlier deadline: the template',
    { extra: 'activeDeadlineSeconds: "20"', action: { deadline: NOW + 30_000 } },
    { activeDeadlineSeconds: 20 },
  ],
  [
    'the earlier deadline: the time that is left',
    { extra: 'activeDeadlineSeconds: 20', action: { deadline: NOW + 9_100 } },
    { activeDeadlineSeconds: 10 },
  ],
  ['a deadline that is over', { action: { deadline: NOW - 5_000 } }, { activeDeadlineSeconds: 1 }],
  [
    'patches: of the workflow, then of the template, YAML or JSON',
    {
      spec: 'podSpecPatch: "terminationGracePeriodSeconds: 7\\ncontainers:\\n- name: main\\n  image: {{workflow.parameters.g}}"',
      extra: `podSpecPatch: '{"terminationGracePeriodSeconds": 9, "nodeName": "x"}'`,
    },
    { terminationGracePeriodSeconds: 9, nodeName: 'x' },
  ],
];

test('fields of the spec', () => {
  for (const [name, { extra = '', ...given }, expected] of FIELDS) {
    const spec: Record<string, unknown> = { ...specOf({ ...given, template: `{ ${PLAIN}, ${extra} }` }) };
    assert.deepEqual(
      Object.fromEntries(Object.keys(expected).map((key) => [key, spec[key]])),
      expected,
      name,
    );
  }
});

test('a patch merges containers by name', () => {
  const template = `{ ${PLAIN}, podSpecPatch: '{"containers":[{"name":"main","resources":{"limits":{"cpu":"1"}}}]}' }`;
  const main = containerOf({ template });
  assert.deepEqual([main.image, main.resources], ['busybox', { limits: { cpu: '1' } }]);
});

test('raw artifacts are files of one ConfigMap, each at its path', () => {
  const template = `{ ${PLAIN}, inputs: { artifacts: [{ name: a, path: /tmp/a.yaml, raw: { data: "x: é" } }, { name: b, path: /b, mode: 448, raw: { data: b } }, { name: c, path: /c, optional: true }] } }`;
  const { pod, objects } = made({ template });
  assert.deepEqual(objects, [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'w-step-1-files',
        namespace: 'n',
        labels: { 'workflows.argoproj.io/workflow': 'w' },
        ownerReferences: pod.metadata.ownerReferences,
      },
      data: { 'artifact-0': 'x: é', 'artifact-1': 'b' },
    },
  ]);
  assert.deepEqual(pod.spec?.volumes, [
    {
      name: 'turnsole-files',
      configMap: {
        name: 'w-step-1-files',
        items: [
          { key: 'artifact-0', path: 'artifact-0', mode: 0o644 },
          { key: 'artifact-1', path: 'artifact-1', mode: 0o755 },
        ],
      },
    },
  ]);
  assert.deepEqual(pod.spec.containers[0]?.volumeMounts, [
    { name: 'turnsole-files', mountPath: '/tmp/a.yaml', subPath: 'artifact-0', readOnly: true },
    { name: 'turnsole-files', mountPath: '/b', subPath: 'artifact-1', readOnly: true },
  ]);
});

test('a script is a file that its command is given', () => {
  const template = 'script: { image: python, command: [python], source: "print(1)" }';
  const { objects } = made({ template });
  const main = containerOf({ template });
  assert.deepEqual(objects[0]?.data, { script: 'print(1)' });
  assert.deepEqual([main.command, main.args], [['python'], ['/argo/staging/script']]);
  assert.deepEqual(
    main.volumeMounts?.map(({ mountPath }) => mountPath),
    ['/argo/staging/script'],
  );
  assert.equal('source' in main, false);
});

test('a script without a source is a container like any other', () => {
  for (const source of ['', ', source: ""']) {
    const template = `script: { image: busybox, command: [echo], args: ["[]"]${source} }`;
    const main = containerOf({ template });
    assert.deepEqual([main.command, main.args, main.volumeMounts ?? []], [['echo'], ['[]'], []]);
    assert.deepEqual(made({ template }).objects, []);
  }
});

test('volumes: those that are mounted, of template, workflow and claims, with inputs in place of their tags', () => {
  const { volumes } = specOf({
    template:
      '{ container: { image: b, volumeMounts: [{ name: t, mountPath: /t }, { name: work, mountPath: /w }, { name: v, mountPath: /v }] }, volumes: [{ name: t, emptyDir: {} }], inputs: { parameters: [{ name: p, value: claim-1 }] } }',
    spec: '{ volumes: [{ name: v, persistentVolumeClaim: { claimName: "{{inputs.parameters.p}}" } }, { name: unused, emptyDir: {} }], volumeClaimTemplates: [{ metadata: { name: work }, spec: {} }] }',
  });
  assert.deepEqual(volumes, [
    { name: 't', emptyDir: {} },
    { name: 'work', persistentVolumeClaim: { claimName: 'w-work' } },
    { name: 'v', persistentVolumeClaim: { claimName: 'claim-1' } },
  ]);
});

test('init containers may have the mounts of main', () => {
  const template =
    '{ container: { image: b, volumeMounts: [{ name: v, mountPath: /v }] }, volumes: [{ name: v, emptyDir: {} }], initContainers: [{ name: one, image: b, mirrorVolumeMounts: true }, { name: two, image: b }] }';
  assert.deepEqual(containerOf({ template }, 'one').volumeMounts, [{ name: 'v', mountPath: '/v' }]);
  assert.equal(containerOf({ template }, 'two').volumeMounts, undefined);
  assert.equal('mirrorVolumeMounts' in containerOf({ template }, 'one'), false);
});

const OUTPUTS =
  '{ container: { image: busybox, command: [sh, -c], args: [x] }, outputs: { parameters: [{ name: p, valueFrom: { path: /tmp/p } }], artifacts: [{ name: a, path: /out }] } }';

test('outputs: a shell around the command, a container before it and one beside it', () => {
  const given = { template: OUTPUTS, action: { wantsResult: true } };
  const { initContainers, containers, volumes } = specOf(given);
  assert.deepEqual(
    initContainers?.map(({ name }) => name),
    ['init'],
  );
  assert.deepEqual(
    containers.map(({ name }) => name),
    ['wait', 'main'],
  );
  assert.deepEqual(containerOf(given).command, [
    ...[
      '/var/run/turnsole/bin/busybox',
      'sh',
      '/var/run/turnsole.sh',
      '/var/run/turnsole',
      'main',
      '--result',
    ],
    ...['--parameter', '0', '/tmp/p', '--artifact', '0', '/out', '--', 'sh', '-c'],
  ]);
  assert.deepEqual(containerOf(given).args, ['x']);
  assert.deepEqual(volumes?.map(({ name }) => name).toSorted(), [
    'turnsole',
    'turnsole-files',
    'turnsole-secret-0',
  ]);
  assert.equal(containerOf(given, 'wait').image, 'turnsole');
  const data = made(given).objects[0]?.data ?? {};
  assert.deepEqual(Object.keys(data), ['order.json', 'run.sh']);
  const order = JSON.parse(data['order.json'] ?? '');
  assert.deepEqual([order.node, order.mains, order.uses], ['w-1', ['main'], ['result', 'outputs']]);
});

test('outputs are stored where the repository says; only the helper sees its credentials', () => {
  const given = { template: OUTPUTS, action: { wantsResult: true } };
  const order = JSON.parse(made(given).objects[0]?.data?.['order.json'] ?? '');
  const artifact = { name: 'a', path: '/out', s3: { key: 'k/w-step-1/a.tgz' } };
  const s3 = { endpoint: 'e', bucket: 'b', accessKeySecret: CREDENTIALS, key: 'k/w-step-1/a.tgz' };
  assert.deepEqual(order.artifacts.outputs, [{ artifact, target: { ...artifact, s3 } }]);
  const { volumes, containers } = specOf(given);
  assert.deepEqual(volumes?.find(({ name }) => name === 'turnsole-secret-0')?.secret, {
    secretName: 'cred',
    items: [{ key: 'id', path: 'id' }],
    optional: true,
  });
  const seeing = containers.filter(({ volumeMounts = [] }) =>
    volumeMounts.some(({ mountPath }) => mountPath === '/var/run/turnsole-secrets/cred'),
  );
  assert.deepEqual(
    seeing.map(({ name }) => name),
    ['wait'],
  );
});

test('an artifact in a volume: the helper mounts it, and gets its path', () => {
  const template =
    '{ container: { image: b }, inputs: { artifacts: [{ name: a, path: /a, volume: { key: k, hostPath: { path: /store } } }] } }';
  const order = JSON.parse(made({ template }).objects[0]?.data?.['order.json'] ?? '');
  assert.deepEqual(order.artifacts.inputs[0].volume, { key: 'k', folder: '/var/run/turnsole-stores/0' });
  const { volumes } = specOf({ template });
  assert.deepEqual(
    volumes?.find(({ name }) => name === 'turnsole-store-0'),
    { name: 'turnsole-store-0', hostPath: { path: '/store' } },
  );
  const mounts = containerOf({ template }, 'init').volumeMounts ?? [];
  assert.ok(mounts.some(({ mountPath }) => mountPath === '/var/run/turnsole-stores/0'));
  assert.ok(!containerOf({ template }).volumeMounts?.some(({ name }) => name === 'turnsole-store-0'));
});

test('the command of an image is looked up where a shell has to go around it', () => {
  const { command, args } = containerOf({
    template: 'container: { image: known }',
    action: { wantsResult: true },
  });
  assert.deepEqual([command?.slice(-2), args], [['--', '/entry'], ['default']]);
});

test('fetched artifacts: at their paths, but for those on a volume of the user', () => {
  const template =
    '{ container: { image: b, volumeMounts: [{ name: v, mountPath: /v }] }, volumes: [{ name: v, emptyDir: {} }], inputs: { artifacts: [{ name: a, path: /a, s3: { key: k } }, { name: on, path: /v/on, http: { url: u } }] } }';
  const paths = (name: string): string[] =>
    (containerOf({ template }, name).volumeMounts ?? []).map(({ mountPath }) => mountPath);
  assert.deepEqual(paths('main'), ['/v', '/a']);
  assert.ok(paths('init').includes('/var/run/turnsole-main/v'));
  assert.deepEqual(
    specOf({ template }).containers.map(({ name }) => name),
    ['main'],
  );
});

test('a set in order, and sidecars, are started and ended by shells', () => {
  const set =
    'containerSet: { containers: [{ name: a, image: b, command: [x] }, { name: main, image: b, command: [y], dependencies: [a] }], volumeMounts: [{ name: v, mountPath: /v }] }';
  const template = `{ ${set}, volumes: [{ name: v, emptyDir: {} }], sidecars: [{ name: s, image: b, command: [z] }] }`;
  const options = (name: string): string[] => (containerOf({ template }, name).command ?? []).slice(5);
  assert.deepEqual(options('a'), ['--', 'x']);
  assert.deepEqual(options('main'), ['--after', 'a', '--', 'y']);
  assert.deepEqual(options('s'), ['--until', 'a', '--until', 'main', '--', 'z']);
  assert.equal(containerOf({ template }, 'a').volumeMounts?.[0]?.mountPath, '/v');
});

test('outputs of a set are kept when all that do not wait for main have ended', () => {
  const { command = [] } = containerOf({
    template: `
      containerSet:
        containers:
        - { name: a, image: b, command: [x] }
        - { name: main, image: b, command: [x] }
        - { name: after, image: b, command: [x], dependencies: [main] }
        - { name: last, image: b, command: [x], dependencies: [after] }
      outputs: { parameters: [{ name: p, valueFrom: { path: /w/p } }] }`,
  });
  const beside = command.flatMap((word, index) => (word === '--beside' ? [command[index + 1]] : []));
  assert.deepEqual(beside, ['a']);
});

test('commands of a set are tried again by the shell around them', () => {
  const set = (retryStrategy: string): string =>
    `containerSet: { containers: [{ name: main, image: b, command: [x] }], retryStrategy: ${retryStrategy} }`;
  const options = (retryStrategy: string): string[] =>
    (containerOf({ template: set(retryStrategy) }).command ?? []).slice(5);
  assert.deepEqual(options('{ retries: 3, duration: 1m30s }'), [
    '--retries',
    '3',
    '--pause',
    '90',
    '--',
    'x',
  ]);
  assert.deepEqual(options('{ retries: "2" }'), ['--retries', '2', '--pause', '0', '--', 'x']);
  assert.throws(
    () => options('{ retries: many }'),
    /containerSet\.retryStrategy\.retries: "many" is no number/,
  );
  assert.throws(() => options('{ retries: 1, duration: soon }'), /containerSet\.retryStrategy\.duration: /);
});

test('resources and data are the work of our own image', () => {
  for (const [template, command] of [
    ['resource: { action: create, manifest: "{}" }', 'resource'],
    ['data: { transformation: [] }', 'data'],
  ] as const) {
    const main = containerOf({ template, spec: 'serviceAccountName: sa' });
    assert.deepEqual([main.image, main.command], ['turnsole', [command]]);
    assert.deepEqual(
      main.volumeMounts?.map(({ mountPath }) => mountPath),
      ['/var/run/turnsole-order.json'],
    );
  }
});

test('names of ConfigMaps are never too long, and differ where pods differ', () => {
  const name = (podName: string): string => {
    const template = 'script: { image: b, command: [c], source: s }';
    return made({ template, action: { podName } }).objects[0]?.metadata.name ?? '';
  };
  const long = 'p'.repeat(252);
  assert.equal(name(`${long}1`).length, 253);
  assert.notEqual(name(`${long}1`), name(`${long}2`));
});

test('what the cluster knows of an image stands in for a configured command', () => {
  const { command } = containerOf({
    template: 'container: { image: b }',
    action: { wantsResult: true },
    settings: { imageOf: (image) => (image === 'b' ? { entrypoint: ['/from-catalogue'] } : undefined) },
  });
  assert.deepEqual(command?.slice(-2), ['--', '/from-catalogue']);
});

const REFUSED: readonly [name: string, template: string, message: RegExp, action?: Partial<CreatePod>][] = [
  ['a patch that is no YAML', `{ ${PLAIN}, podSpecPatch: "{" }`, /^cannot apply podSpecPatch "\{": /],
  ['a patch that is no object', `{ ${PLAIN}, podSpecPatch: "a" }`, /the patch is no object$/],
  [
    'a volume that is not declared',
    'container: { image: b, volumeMounts: [{ name: v, mountPath: /v }] }',
    /^container main mounts the volume v, and neither/,
  ],
  [
    'a command that is not known',
    'container: { image: b }',
    /configure the entrypoint of the image b under `images`$/,
    { wantsResult: true },
  ],
  [
    'an artifact without a location',
    `{ ${PLAIN}, inputs: { artifacts: [{ name: a, path: /a }] } }`,
    /^artifact a has no location/,
  ],
  [
    'an artifact without a path',
    `{ ${PLAIN}, inputs: { artifacts: [{ name: a, raw: { data: x } }] } }`,
    /^artifact a did not specify a path$/,
  ],
  [
    'a name of the engine',
    `{ ${PLAIN}, sidecars: [{ name: wait, image: b, command: [c] }] }`,
    /^a container may not be named wait/,
  ],
  [
    'files that are too large',
    `{ ${PLAIN}, inputs: { artifacts: [{ name: big, path: /a, raw: { data: ${'x'.repeat(1_048_577)} } }] } }`,
    /artifact big alone 1048577; at most 1048576 fit/,
  ],
  [
    'a deadline that is no number',
    `{ ${PLAIN}, activeDeadlineSeconds: soon }`,
    /^activeDeadlineSeconds: "soon" is no number$/,
  ],
];

test('what cannot become a pod', () => {
  for (const [name, template, message, action] of REFUSED)
    assert.throws(() => made({ template, action }), { name: 'PodError', message }, name);
});
