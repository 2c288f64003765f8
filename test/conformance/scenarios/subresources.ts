/** Status, scale, binding, eviction, log and the other subresources. */
import type { Theme } from '../harness/scenario.ts';
import { apis, configMap, core, get, patch, pod, post, put, remove, setup } from '../harness/steps.ts';

const PODS = core('pods');
const DEPLOYMENTS = apis('apps/v1', 'deployments');
const PDBS = apis('policy/v1', 'poddisruptionbudgets');

const TEMPLATE = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'example.com/app:1' }] },
};
const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: TEMPLATE },
};

function scale(replicas: unknown, metadata: object = {}): object {
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'd', namespace: '{ns}', ...metadata },
    spec: { replicas },
  };
}

function binding(node: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: 'p' },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  };
}

function eviction(extra: object = {}): object {
  // Written as the version that both the recorded and later servers take.
  return { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' }, ...extra };
}

const LABELLED_POD = pod('p', {
  metadata: { labels: { app: 'web' } },
  spec: { nodeName: 'c-no-such-node', containers: [{ name: 'c', image: 'i' }] },
});
const BUDGET = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b' },
  spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
};

function budgetStatus(disruptionsAllowed: number, observedGeneration = 1): object {
  return {
    status: { observedGeneration, disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  };
}

const running = setup(
  patch('merge', `${PODS}/p/status`, {
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  }),
);

export const SUBRESOURCES: Theme = {
  theme: 'subresources',
  scenarios: [
    {
      name: 'status-of-deployment',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        patch('merge', `${DEPLOYMENTS}/d/status`, {
          metadata: { labels: { ignored: 'no' } },
          spec: { replicas: 9 },
          status: { replicas: 2, readyReplicas: 1, observedGeneration: 1 },
        }),
        put(`${DEPLOYMENTS}/d/status`, {
          ...DEPLOYMENT,
          spec: { ...DEPLOYMENT.spec, replicas: 7 },
          status: { replicas: 3, updatedReplicas: 3 },
        }),
        get(`${DEPLOYMENTS}/d/status`),
        get(`${DEPLOYMENTS}/d`),
        put(`${DEPLOYMENTS}/d`, {
          ...DEPLOYMENT,
          spec: { ...DEPLOYMENT.spec, replicas: 7 },
          status: { replicas: 100 },
        }),
      ],
    },
    {
      name: 'status-invalid',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        patch('merge', `${DEPLOYMENTS}/d/status`, { status: { replicas: -1 } }),
        patch('merge', `${DEPLOYMENTS}/d/status`, { status: { replicas: 1, readyReplicas: 2 } }),
        patch('merge', `${DEPLOYMENTS}/none/status`, { status: {} }),
      ],
    },
    {
      name: 'status-where-there-is-none',
      steps: [
        setup(post(core('configmaps'), configMap('a'))),
        get(`${core('configmaps')}/a/status`),
        patch('merge', `${core('configmaps')}/a/status`, { status: {} }),
        put(`${core('configmaps')}/a/status`, configMap('a')),
        get(`${core('serviceaccounts')}/default/status`),
      ],
    },
    {
      name: 'status-methods',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        post(`${DEPLOYMENTS}/d/status`, DEPLOYMENT),
        remove(`${DEPLOYMENTS}/d/status`),
      ],
    },
    {
      name: 'pod-status',
      steps: [
        setup(post(PODS, pod('p'))),
        patch('strategic', `${PODS}/p/status`, {
          status: {
            phase: 'Running',
            podIP: '192.0.2.7',
            podIPs: [{ ip: '192.0.2.7' }],
            startTime: '2020-01-02T03:04:05Z',
            conditions: [
              {
                type: 'Ready',
                status: 'True',
                lastTransitionTime: '2020-01-02T03:04:05Z',
                lastProbeTime: null,
              },
            ],
            containerStatuses: [
              {
                name: 'main',
                image: 'example.com/app:1',
                imageID: 'sha256:1',
                containerID: 'x://1',
                ready: true,
                restartCount: 0,
                started: true,
                state: { running: { startedAt: '2020-01-02T03:04:05Z' } },
                lastState: {},
              },
            ],
          },
        }),
        get(`${PODS}/p/status`),
        patch('merge', `${PODS}/p/status`, {
          status: { phase: 'Failed', reason: 'Evicted', message: 'why not' },
        }),
      ],
    },
    {
      name: 'scale-of-deployment',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        get(`${DEPLOYMENTS}/d/scale`),
        put(`${DEPLOYMENTS}/d/scale`, scale(5)),
        patch('merge', `${DEPLOYMENTS}/d/scale`, { spec: { replicas: 0 } }),
        patch('json', `${DEPLOYMENTS}/d/scale`, [{ op: 'replace', path: '/spec/replicas', value: 3 }]),
        get(`${DEPLOYMENTS}/d`),
      ],
    },
    {
      name: 'scale-checks-version',
      steps: [
        post(DEPLOYMENTS, DEPLOYMENT, { capture: { first: '/metadata/resourceVersion' } }),
        put(`${DEPLOYMENTS}/d/scale`, scale(3, { resourceVersion: '{first}' })),
        put(`${DEPLOYMENTS}/d/scale`, scale(4, { resourceVersion: '{first}' })),
        put(`${DEPLOYMENTS}/d/scale`, scale(4, { uid: '00000000-0000-0000-0000-000000000000' })),
        put(`${DEPLOYMENTS}/d/scale?dryRun=All`, scale(6)),
        get(`${DEPLOYMENTS}/d/scale`),
      ],
    },
    {
      name: 'scale-invalid',
      steps: [
        setup(post(DEPLOYMENTS, DEPLOYMENT)),
        put(`${DEPLOYMENTS}/d/scale`, scale(-1)),
        put(`${DEPLOYMENTS}/d/scale`, { ...scale(1), metadata: { name: 'other', namespace: '{ns}' } }),
        put(`${DEPLOYMENTS}/d/scale`, { ...scale(1), metadata: { name: 'd' } }),
        put(`${DEPLOYMENTS}/none/scale`, { ...scale(1), metadata: { name: 'none', namespace: '{ns}' } }),
        get(`${DEPLOYMENTS}/none/scale`),
        remove(`${DEPLOYMENTS}/d/scale`),
        get(`${core('configmaps')}/a/scale`),
      ],
    },
    {
      name: 'scale-of-other-kinds',
      steps: [
        setup(
          post(apis('apps/v1', 'replicasets'), {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            metadata: { name: 'd' },
            spec: {
              replicas: 0,
              selector: {
                matchLabels: { app: 'web' },
                matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['b', 'a'] }],
              },
              template: TEMPLATE,
            },
          }),
        ),
        get(apis('apps/v1', 'replicasets', 'd/scale')),
        setup(
          post(apis('apps/v1', 'statefulsets'), {
            apiVersion: 'apps/v1',
            kind: 'StatefulSet',
            metadata: { name: 'd' },
            spec: { serviceName: 's', selector: { matchLabels: { app: 'web' } }, template: TEMPLATE },
          }),
        ),
        put(apis('apps/v1', 'statefulsets', 'd/scale'), scale(2)),
        setup(
          post(core('replicationcontrollers'), {
            apiVersion: 'v1',
            kind: 'ReplicationController',
            metadata: { name: 'd' },
            spec: { replicas: 0, template: TEMPLATE },
          }),
        ),
        get(`${core('replicationcontrollers')}/d/scale`),
        get(apis('apps/v1', 'daemonsets', 'd/scale')),
      ],
    },
    {
      name: 'binding-of-pod',
      steps: [
        setup(post(PODS, pod('p'))),
        post(`${PODS}/p/binding`, binding('c-node')),
        get(`${PODS}/p`),
        post(`${PODS}/p/binding`, binding('c-other')),
        post(`${PODS}/none/binding`, { ...binding('c-node'), metadata: { name: 'none' } }),
      ],
    },
    {
      name: 'binding-by-collection',
      steps: [
        setup(post(PODS, pod('p'))),
        post(core('bindings'), binding('c-node')),
        get(`${PODS}/p`),
        get(core('bindings')),
      ],
    },
    {
      name: 'binding-invalid',
      steps: [
        setup(post(PODS, pod('p'))),
        post(`${PODS}/p/binding`, { ...binding('n'), target: { kind: 'Node' } }),
        post(`${PODS}/p/binding`, { ...binding('n'), target: { kind: 'Pod', name: 'x' } }),
        get(`${PODS}/p/binding`),
      ],
    },
    {
      name: 'eviction-without-budget',
      steps: [
        setup(post(PODS, LABELLED_POD)),
        running,
        post(`${PODS}/p/eviction`, eviction()),
        get(`${PODS}/p`),
      ],
    },
    {
      name: 'eviction-that-a-budget-allows',
      steps: [
        setup(post(PODS, LABELLED_POD)),
        running,
        setup(post(PDBS, BUDGET)),
        setup(patch('merge', `${PDBS}/b/status`, budgetStatus(1))),
        post(`${PODS}/p/eviction`, eviction()),
        // The name of the disrupted pod is a key with a time.
        get(`${PDBS}/b`),
        get(`${PODS}/p`),
      ],
    },
    {
      name: 'eviction-that-a-budget-forbids',
      steps: [
        setup(post(PODS, LABELLED_POD)),
        running,
        setup(post(PDBS, BUDGET)),
        setup(patch('merge', `${PDBS}/b/status`, budgetStatus(0))),
        // The text of the message was changed in later versions; the causes were not.
        post(`${PODS}/p/eviction`, eviction()),
        get(`${PODS}/p`),
      ],
    },
    {
      name: 'eviction-before-the-budget-is-observed',
      steps: [
        setup(post(PODS, LABELLED_POD)),
        running,
        setup(post(PDBS, BUDGET)),
        // How long to wait is another number in later versions.
        post(`${PODS}/p/eviction`, eviction(), {
          ignore: ['/headers/retry-after', '/body/details/retryAfterSeconds'],
        }),
      ],
    },
    {
      name: 'eviction-under-two-budgets',
      steps: [
        setup(post(PODS, LABELLED_POD)),
        running,
        setup(post(PDBS, BUDGET)),
        setup(post(PDBS, { ...BUDGET, metadata: { name: 'b2' } })),
        post(`${PODS}/p/eviction`, eviction()),
      ],
    },
    {
      name: 'eviction-of-finished-pod',
      steps: [
        setup(post(PODS, LABELLED_POD)),
        setup(patch('merge', `${PODS}/p/status`, { status: { phase: 'Succeeded' } })),
        setup(post(PDBS, BUDGET)),
        post(`${PODS}/p/eviction`, eviction()),
      ],
    },
    {
      name: 'eviction-options',
      steps: [
        setup(post(PODS, LABELLED_POD)),
        running,
        post(`${PODS}/p/eviction?dryRun=All`, eviction()),
        post(
          `${PODS}/p/eviction`,
          eviction({ deleteOptions: { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } } }),
        ),
        post(`${PODS}/p/eviction`, eviction({ metadata: { name: 'other' } })),
        post(`${PODS}/none/eviction`, eviction({ metadata: { name: 'none' } })),
        post(`${PODS}/p/eviction`, eviction({ deleteOptions: { gracePeriodSeconds: 5 } })),
        get(`${PODS}/p`),
      ],
    },
    {
      name: 'log-of-pod-without-node',
      steps: [
        setup(post(PODS, pod('p'))),
        get(`${PODS}/p/log`),
        get(`${PODS}/none/log`),
        get(`${PODS}/p/log?container=nope`),
        get(`${PODS}/p/log?tailLines=-1`),
        get(`${PODS}/p/log?sinceSeconds=0`),
        get(`${PODS}/p/log?sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z`),
      ],
    },
    {
      name: 'log-needs-a-container-of-several',
      steps: [
        setup(
          post(
            PODS,
            pod('p', {
              spec: {
                containers: [
                  { name: 'a', image: 'i' },
                  { name: 'b', image: 'i' },
                ],
                initContainers: [{ name: 'first', image: 'i' }],
              },
            }),
          ),
        ),
        // Later versions list the init containers apart.
        get(`${PODS}/p/log`, { ignore: ['/body/message'] }),
        get(`${PODS}/p/log?container=a`),
      ],
    },
    {
      name: 'exec-without-upgrade',
      steps: [
        setup(post(PODS, pod('p'))),
        get(`${PODS}/p/exec?command=ls&stdout=1`),
        post(`${PODS}/none/exec?command=ls&stdout=1`, undefined),
        get(`${PODS}/p/portforward?ports=80`),
        get(`${PODS}/p/attach?stdout=1`),
      ],
    },
    {
      name: 'subresources-unknown',
      steps: [
        setup(post(PODS, pod('p'))),
        get(`${PODS}/p/nonsense`),
        get(`${core('services')}/s/status/deeper`),
        post(`${PODS}/p/nonsense`, {}),
        put(`${DEPLOYMENTS}/d/nonsense`, {}),
      ],
    },
  ],
};
