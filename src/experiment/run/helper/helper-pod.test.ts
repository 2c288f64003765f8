import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { ChaosEngine } from '../../../api/index.ts';
import { type Assignment, parseAssignment } from '../../helper/assignment.ts';
import { formatHelperLine, parseHelperLine } from '../../helper/helper-log.ts';
import { mergeOutputs } from '../../helper/run-helper.ts';
import { chaosInterval } from '../../injection/settings/common-tunables.ts';
import { compile } from '../../injection/testing/builders.ts';
import { HELPER_GRACE_SECONDS, type HelperPodInput, helperBatches, helperPod } from './helper-pod.ts';

const target = { kind: 'pod', namespace: 'shop', name: 'web-1', container: 'app', node: 'n1' };
const assignment: Assignment = {
  version: 1,
  fault: 'container-kill',
  runId: 'run1',
  result: 'eng-container-kill',
  experiment: 'container-kill',
  targets: [target],
};
const engine: ChaosEngine = { metadata: { name: 'eng', uid: 'e1' }, spec: { experiments: [] } };
const chartPod: Pod = {
  metadata: {
    name: 'container-kill-abc-xyz',
    uid: 'p1',
    labels: {
      name: 'container-kill',
      'job-name': 'j',
      'batch.kubernetes.io/controller-uid': 'c',
      chaosUID: 'e1',
    },
    annotations: { note: 'x' },
  },
  spec: {
    serviceAccountName: 'kill-sa',
    imagePullSecrets: [{ name: 'pull' }],
    containers: [
      { name: 'sidecar', image: 'side:1' },
      {
        name: 'container-kill-abc',
        image: 'registry/go-runner:1',
        command: ['/bin/bash'],
        args: ['-c', './experiments -name container-kill'],
        resources: { limits: { memory: '64Mi' } },
      },
    ],
  },
};

function build(env: Record<string, string> = {}, change: Partial<HelperPodInput> = {}) {
  const tunables = {
    SIGNAL: { type: 'text', default: 'SIGKILL', description: '' },
    CHAOS_INTERVAL: chaosInterval(10, ''),
  } as const;
  const full = {
    CHAOSENGINE: 'eng',
    CHAOS_UID: 'e1',
    CHAOS_NAMESPACE: 'chaos',
    EXPERIMENT_NAME: 'container-kill',
    RUN_ID: 'run1',
    ...env,
  };
  const { settings } = compile(full, { tunables });
  return helperPod({
    fault: { name: 'container-kill', tunables, helper: { hostPID: true, securityContext: { runAsUser: 0 } } },
    settings,
    env: full,
    pod: chartPod,
    engine,
    node: 'n1',
    assignment,
    suffix: 'abc123',
    ...change,
  });
}

test('a helper is made like the pod of its experiment and belongs to it', () => {
  const { metadata, spec } = build();
  const [container] = spec?.containers ?? [];
  assert.deepEqual(metadata, {
    name: 'container-kill-helper-abc123',
    namespace: 'chaos',
    labels: { name: 'container-kill', chaosUID: 'e1', app: 'container-kill-helper-run1' },
    annotations: { note: 'x' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'container-kill-abc-xyz', uid: 'p1' }],
  });
  const {
    nodeName,
    restartPolicy,
    hostPID,
    serviceAccountName,
    imagePullSecrets,
    terminationGracePeriodSeconds,
  } = spec ?? {};
  assert.deepEqual(
    { nodeName, restartPolicy, hostPID, serviceAccountName, imagePullSecrets, terminationGracePeriodSeconds },
    {
      nodeName: 'n1',
      restartPolicy: 'Never',
      hostPID: true,
      serviceAccountName: 'kill-sa',
      imagePullSecrets: [{ name: 'pull' }],
      terminationGracePeriodSeconds: HELPER_GRACE_SECONDS,
    },
  );
  const { name, image, command, args, resources, securityContext } = container ?? {};
  assert.deepEqual(
    { name, image, command, args, resources, securityContext },
    {
      name: 'container-kill',
      image: 'registry/go-runner:1',
      command: ['/bin/bash'],
      args: ['-c', './helpers -name container-kill'],
      resources: { limits: { memory: '64Mi' } },
      securityContext: { runAsUser: 0 },
    },
  );
});

test('sidecars of the engine go into helpers as well, with its environment of the experiment', () => {
  const spec: ChaosEngine['spec'] = {
    experiments: [
      { name: 'other', spec: { components: { env: [{ name: 'A', value: 'other' }] } } },
      {
        name: 'container-kill',
        spec: {
          components: {
            env: [
              { name: 'A', value: 'of the experiment' },
              { name: 'MODE', value: 'x' },
              { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
            ],
          },
        },
      },
    ],
    components: {
      sidecar: [
        {
          image: 'side:1',
          imagePullPolicy: 'Always',
          env: [{ name: 'A', value: 'its own' }],
          envFrom: [{ configMapRef: { name: 'm' } }],
          secrets: [{ name: 's', mountPath: '/s' }],
        },
        { image: 'side:2' },
      ],
    },
  };
  const of = (annotation: string, change: Partial<HelperPodInput> = {}) => {
    const metadata = { name: 'eng', uid: 'e1', annotations: { 'sidecar/enabled': annotation } };
    return build({}, { engine: { metadata, spec }, ...change }).spec;
  };
  const pod = of('true');
  assert.deepEqual(pod?.containers[1], {
    name: 'container-kill-sidecar-abc123-1',
    image: 'side:1',
    imagePullPolicy: 'Always',
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'MAIN_CONTAINER', value: 'container-kill' },
      { name: 'A', value: 'its own' },
      { name: 'MODE', value: 'x' },
      { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
    ],
    envFrom: [{ configMapRef: { name: 'm' } }],
    volumeMounts: [{ name: 'sidecar-0-secret-0', mountPath: '/s' }],
  });
  assert.deepEqual(
    [pod?.containers[2]?.name, pod?.containers[2]?.imagePullPolicy],
    ['container-kill-sidecar-abc123-2', 'IfNotPresent'],
  );
  assert.equal(pod?.containers[0]?.name, 'container-kill', 'the helper is the first');
  assert.deepEqual(pod?.volumes, [{ name: 'sidecar-0-secret-0', secret: { secretName: 's' } }]);
  assert.equal(of('false')?.containers.length, 1);
  const recovery = { ...assignment, recover: [] };
  assert.equal(of('true', { assignment: recovery })?.containers.length, 1, 'a revert waits for no image');
  assert.equal(of('true', { engine: undefined })?.containers.length, 1);
});

test('a label holds no more than 63 characters', () => {
  const uid = 'e395272b-05c9-4960-9e1e-2f3d7cbd24fc';
  const { app = '' } =
    build({ EXPERIMENT_NAME: 'pod-network-rate-limit', RUN_ID: uid }).metadata.labels ?? {};
  assert.equal(app, `pod-network-rate-limit-helper-${uid}`.slice(0, 63));
});

test("a helper gets upstream's variables, its own settings and the assignment; empty values are left out", () => {
  const variables = build({ SIGNAL: 'SIGTERM', CHAOS_INTERVAL: '3' }).spec?.containers[0]?.env ?? [];
  const values = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  assert.equal(values.TARGETS, 'web-1:shop:app');
  assert.equal(values.SIGNAL, 'SIGTERM');
  assert.equal(values.CHAOS_INTERVAL, '3');
  assert.equal(values.TOTAL_CHAOS_DURATION, '30');
  assert.equal('INSTANCE_ID' in values, false);
  assert.deepEqual(parseAssignment(values.TURNSOLE_ASSIGNMENT), assignment);
  assert.equal(variables.at(-1)?.valueFrom?.fieldRef?.fieldPath, 'metadata.name');
});

test('which image and entry point', async (t) => {
  const own = (container: object) => ({
    ...chartPod,
    spec: { containers: [{ name: 'container-kill-x', ...container }] },
  });
  const cases: [string, Record<string, string>, Pod | undefined, unknown][] = [
    [
      "upstream's image is another release: the own one",
      { LIB_IMAGE: 'docker.io/litmuschaos/go-runner:3.0' },
      chartPod,
      ['registry/go-runner:1', ['/bin/bash', '-c', './helpers -name container-kill']],
    ],
    [
      'a custom image',
      { LIB_IMAGE: 'mine/helper:1' },
      chartPod,
      ['mine/helper:1', ['/bin/bash', '-c', './helpers -name container-kill']],
    ],
    [
      'our own subcommand as arguments',
      {},
      own({ image: 't:1', args: ['experiment', '-name', 'x'] }),
      ['t:1', ['helper', '-name', 'container-kill']],
    ],
    [
      'our own subcommand as command',
      {},
      own({ image: 't:1', command: ['turnsole', 'experiment'] }),
      ['t:1', ['turnsole', 'helper', '-name', 'container-kill']],
    ],
    [
      'outside of a pod',
      {},
      undefined,
      ['litmuschaos/go-runner:latest', ['/bin/bash', '-c', './helpers -name container-kill']],
    ],
  ];
  for (const [name, env, pod, expected] of cases) {
    await t.test(name, () => {
      const [container] = build(env, { pod }).spec?.containers ?? [];
      assert.deepEqual(
        [container?.image, [...(container?.command ?? []), ...(container?.args ?? [])]],
        expected,
      );
    });
  }
});

test('without a pod the engine owns the helper; without inheritance it takes labels only', () => {
  assert.deepEqual(build({}, { pod: undefined }).metadata.ownerReferences, [
    { apiVersion: 'litmuschaos.io/v1alpha1', kind: 'ChaosEngine', name: 'eng', uid: 'e1' },
  ]);
  const { metadata, spec } = build({ SET_HELPER_DATA: 'false', TERMINATION_GRACE_PERIOD_SECONDS: '90' });
  assert.equal(metadata.annotations, undefined);
  assert.equal(spec?.imagePullSecrets, undefined);
  assert.equal(spec?.terminationGracePeriodSeconds, 90);
});

test('a helper is Guaranteed unless the user or the fault says otherwise, and has the priority of its experiment', () => {
  const small = { cpu: '500m', memory: '256Mi' };
  const guaranteed = { requests: small, limits: small };
  const own = { limits: { memory: '64Mi' } };
  const plain = {
    ...chartPod,
    spec: {
      priorityClassName: 'high',
      containers: [{ name: 'container-kill-abc', image: 'x', resources: {} }],
    },
  };
  const unlimited = { name: 'container-kill', tunables: {}, helper: { unlimited: true } };
  const cases: [string, Record<string, string>, Partial<HelperPodInput>, unknown][] = [
    ['without any setting', {}, { pod: plain }, guaranteed],
    ['the engine says what the experiment has', {}, {}, own],
    ['nothing is inherited', { SET_HELPER_DATA: 'false' }, {}, guaranteed],
    [
      'there are many targets',
      {},
      { pod: plain, assignment: { ...assignment, targets: Array.from({ length: 100 }, () => target) } },
      { requests: { cpu: '1490m', memory: '454Mi' }, limits: { cpu: '1490m', memory: '454Mi' } },
    ],
    ['the helper is the load', {}, { pod: plain, fault: unlimited }, undefined],
    ['the helper is the load, with limits of the user', {}, { fault: unlimited }, own],
  ];
  for (const [name, env, change, expected] of cases) {
    assert.deepEqual(build(env, change).spec?.containers[0]?.resources, expected, name);
  }
  assert.equal(build({}, { pod: plain }).spec?.priorityClassName, 'high');
  assert.deepEqual(build().spec?.tolerations, [{ operator: 'Exists' }]);
});

test('one helper per node, in serial mode one per target and one after another', () => {
  const on = (name: string, node: string) => ({ kind: 'pod', name, node });
  const targets = [on('a', 'n1'), on('b', 'n2'), on('c', 'n1')];
  const shape = (sequence: 'serial' | 'parallel') =>
    helperBatches(targets, sequence).map((batch) =>
      batch.map((share) => `${share.node}:${share.targets.map(({ name }) => name)}`),
    );
  assert.deepEqual(shape('parallel'), [['n1:a,c', 'n2:b']]);
  assert.deepEqual(shape('serial'), [['n1:a'], ['n2:b'], ['n1:c']]);
});

test('an assignment that cannot be used says what to do', () => {
  assert.throws(() => parseAssignment(undefined), {
    code: 'HELPER_ERROR',
    message: /TURNSOLE_ASSIGNMENT is not set; a helper is started by its experiment/,
  });
  assert.throws(() => parseAssignment('{'), /is no JSON/);
  assert.throws(() => parseAssignment('{"version":2}'), /no assignment of version 1; use the same release/);
});

test('lines of a helper are read back, other lines are not', () => {
  const note = { step: 'Injected', object: 'pod/a/b', message: 'hit' };
  const time = '2030-01-01T00:00:00.000Z';
  assert.deepEqual(parseHelperLine(formatHelperLine(note, time)), { ...note, time });
  for (const line of ['', 'plain', '{', '{"level":"info","msg":"x"}', '[]', 'null']) {
    assert.equal(parseHelperLine(line), undefined);
  }
});

test('errors of several helpers become a list', () => {
  const one = { errorCode: 'HELPER_ERROR', reason: '{"a":1}' };
  const two = { errorCode: 'CHAOS_INJECT_ERROR', reason: '{"b":2}' };
  const both = mergeOutputs(one, two);
  assert.deepEqual(both, { errorCode: 'HELPER_ERROR', reason: '[{"a":1},{"b":2}]' });
  assert.equal(mergeOutputs(both, one).reason, '[{"a":1},{"b":2},{"a":1}]');
  assert.equal(mergeOutputs(undefined, one), one);
});

test('a helper for a node gets no targets in the form of pods', () => {
  const targets = [{ kind: 'node', name: 'n', node: 'n' }];
  const { spec } = build({}, { assignment: { ...assignment, targets } });
  assert.equal(
    spec?.containers[0]?.env?.some(({ name }) => name === 'TARGETS'),
    false,
  );
});

test('a helper that must outlive its target’s node runs on any other, where the experiment may run, and shows its key', () => {
  const tolerations = [{ key: 'team', operator: 'Exists' }];
  const pod = { ...chartPod, spec: { containers: [], ...chartPod.spec, tolerations } };
  const helper = { elsewhere: true, secret: { name: 'id-rsa', mountPath: '/mnt' } };
  const fault = { name: 'node-restart', tunables: {}, helper, shape: 'pulse' } as const;
  const { spec } = build({}, { fault, pod });
  assert.equal(spec?.nodeName, undefined);
  assert.deepEqual(spec?.tolerations, tolerations);
  assert.deepEqual(spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution, {
    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] }],
  });
  const [volume] = spec?.volumes ?? [];
  assert.deepEqual(volume?.secret, { secretName: 'id-rsa', optional: true });
  assert.deepEqual(spec?.containers[0]?.volumeMounts, [
    { name: volume?.name, mountPath: '/mnt', readOnly: true },
  ]);
});

test('images of upstream that have no helper of ours in them are not used', () => {
  for (const [image, expected] of [
    ['ubuntu:16.04', 'registry/go-runner:1'],
    ['docker.io/library/ubuntu:16.04', 'registry/go-runner:1'],
    ['litmuschaos/go-runner:latest', 'registry/go-runner:1'],
    ['ubuntu:22.04', 'ubuntu:22.04'],
    ['mine/helper:1', 'mine/helper:1'],
  ] as const) {
    assert.equal(build({ LIB_IMAGE: image }).spec?.containers[0]?.image, expected);
  }
});
