/** What chaos tools send: engines, deletions, helpers, jobs, cordons. */
import { served } from '../harness/chart-definitions.ts';
import type { Theme } from '../harness/scenario.ts';
import { apis, awaiting, core, get, patch, pod, post, put, remove, setup } from '../harness/steps.ts';

const DEPLOYMENTS = apis('apps/v1', 'deployments');
const PODS = core('pods');
const EVENTS = core('events');

const PLACED = pod('p', {
  metadata: { labels: { app: 'web' } },
  spec: { nodeName: 'c-no-such-node', containers: [{ name: 'c', image: 'i' }] },
});

/** Who an experiment runs as. */
const AS_CHAOS = { 'impersonate-user': 'system:serviceaccount:{ns}:pod-delete-sa' };

const CHAOS_GROUP = 'chaos.conformance.example.com';
const ENGINES = `/apis/${CHAOS_GROUP}/v1alpha1/namespaces/{ns}/engines`;
function engine(spec: object, metadata: object = {}): object {
  return {
    apiVersion: `${CHAOS_GROUP}/v1alpha1`,
    kind: 'Engine',
    metadata: { name: 'e', ...metadata },
    spec,
  };
}

export const CHAOS: Theme = {
  theme: 'chaos',
  scenarios: [
    {
      name: 'chaos-engine-life',
      steps: [
        ...served(CHAOS_GROUP, 'engines', 'Engine'),
        post(
          ENGINES,
          engine({
            engineState: 'active',
            appinfo: { appns: '{ns}', applabel: 'app=web', appkind: 'deployment' },
            experiments: [
              {
                name: 'pod-delete',
                spec: { components: { env: [{ name: 'TOTAL_CHAOS_DURATION', value: '15' }] } },
              },
            ],
          }),
        ),
        patch('merge', `${ENGINES}/e`, { metadata: { finalizers: ['chaosengine.example.com/finalizer'] } }),
        patch('merge', `${ENGINES}/e`, { status: { engineStatus: 'initialized', experiments: [] } }),
        patch('merge', `${ENGINES}/e`, {
          status: { experiments: [{ name: 'pod-delete', status: 'Running', verdict: 'Awaited' }] },
        }),
        patch('merge', `${ENGINES}/e`, { spec: { engineState: 'stop' } }),
        put(`${ENGINES}/e`, engine({ engineState: 'stop' })),
        remove(`${ENGINES}/e`),
        patch('merge', `${ENGINES}/e`, { metadata: { finalizers: null } }),
        get(`${ENGINES}/e`),
      ],
    },
    {
      name: 'chaos-pod-delete',
      steps: [
        setup(post(PODS, PLACED)),
        get(`${PODS}?labelSelector=app%3Dweb&fieldSelector=status.phase%21%3DFailed`),
        remove(`${PODS}/p`, { gracePeriodSeconds: 0 }),
        get(`${PODS}?labelSelector=app%3Dweb`),
      ],
    },
    {
      name: 'chaos-helper-pod',
      steps: [
        post(PODS, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: {
            generateName: 'network-helper-',
            labels: { app: 'network-helper', name: 'network-helper-x' },
          },
          spec: {
            hostPID: true,
            nodeName: 'c-no-such-node',
            restartPolicy: 'Never',
            automountServiceAccountToken: false,
            terminationGracePeriodSeconds: 30,
            volumes: [{ name: 'cri-socket', hostPath: { path: '/run/containerd/containerd.sock' } }],
            containers: [
              {
                name: 'network-helper',
                image: 'example.com/helper:1',
                imagePullPolicy: 'IfNotPresent',
                command: ['/bin/bash'],
                args: ['-c', './helpers -name network-chaos'],
                volumeMounts: [{ name: 'cri-socket', mountPath: '/run/containerd/containerd.sock' }],
                securityContext: {
                  privileged: true,
                  runAsUser: 0,
                  capabilities: { add: ['NET_ADMIN', 'SYS_ADMIN'] },
                },
                env: [
                  {
                    name: 'POD_NAME',
                    valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
                  },
                ],
              },
            ],
          },
        }),
        get(`${PODS}?labelSelector=app%3Dnetwork-helper`),
        remove(`${PODS}?labelSelector=app%3Dnetwork-helper&gracePeriodSeconds=0`, undefined, {
          ignore: ['/body/items/*/metadata/resourceVersion'],
        }),
        get(`${PODS}?labelSelector=app%3Dnetwork-helper`),
      ],
    },
    {
      name: 'chaos-job-of-an-experiment',
      steps: [
        post(
          apis('batch/v1', 'jobs'),
          {
            apiVersion: 'batch/v1',
            kind: 'Job',
            metadata: { name: 'pod-delete-x', labels: { chaosUID: '1' } },
            spec: {
              backoffLimit: 0,
              parallelism: 1,
              ttlSecondsAfterFinished: 30,
              template: {
                metadata: { labels: { chaosUID: '1' } },
                spec: {
                  restartPolicy: 'Never',
                  serviceAccountName: 'default',
                  containers: [{ name: 'x', image: 'example.com/x', env: [{ name: 'A', value: 'b' }] }],
                },
              },
            },
          },
          {
            // Labels and selectors hold the uid under further names in later versions; jobs had no generation.
            ignore: [
              '/body/spec/template/metadata',
              '/body/spec/selector',
              '/body/metadata/labels',
              '/body/metadata/annotations',
              '/body/metadata/generation',
            ],
          },
        ),
        patch(
          'merge',
          apis('batch/v1', 'jobs', 'pod-delete-x/status'),
          { status: { active: 1, startTime: '2020-01-02T03:04:05Z' } },
          {
            ignore: [
              '/body/spec/template/metadata',
              '/body/spec/selector',
              '/body/metadata/labels',
              '/body/metadata/annotations',
              '/body/metadata/generation',
            ],
          },
        ),
        remove(apis('batch/v1', 'jobs', 'pod-delete-x'), {
          kind: 'DeleteOptions',
          apiVersion: 'v1',
          propagationPolicy: 'Background',
        }),
        awaiting(apis('batch/v1', 'jobs', 'pod-delete-x'), { status: 404 }),
      ],
    },
    {
      name: 'chaos-service-account',
      steps: [
        setup(
          post(core('serviceaccounts'), {
            apiVersion: 'v1',
            kind: 'ServiceAccount',
            metadata: { name: 'pod-delete-sa' },
            automountServiceAccountToken: false,
          }),
        ),
        post(apis('rbac.authorization.k8s.io/v1', 'roles'), {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { name: 'pod-delete-sa' },
          rules: [
            {
              apiGroups: [''],
              resources: ['pods'],
              verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'deletecollection'],
            },
            {
              apiGroups: ['apps'],
              resources: ['deployments', 'statefulsets', 'replicasets', 'daemonsets'],
              verbs: ['list', 'get'],
            },
            { apiGroups: [''], resources: ['pods/log'], verbs: ['get', 'list', 'watch'] },
          ],
        }),
        setup(
          post(apis('rbac.authorization.k8s.io/v1', 'rolebindings'), {
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'RoleBinding',
            metadata: { name: 'pod-delete-sa' },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'pod-delete-sa' },
            subjects: [{ kind: 'ServiceAccount', name: 'pod-delete-sa', namespace: '{ns}' }],
          }),
        ),
        setup(post(PODS, PLACED)),
        get(PODS, { headers: AS_CHAOS }),
        get(`${PODS}?watch=1`, { headers: AS_CHAOS }),
        remove(`${PODS}/p?gracePeriodSeconds=0`, undefined, { headers: AS_CHAOS }),
        remove(`${PODS}?labelSelector=app%3Dnone`, undefined, { headers: AS_CHAOS }),
        patch('merge', `${DEPLOYMENTS}/web`, { spec: { replicas: 1 } }, { headers: AS_CHAOS }),
        get('/api/v1/nodes', { headers: AS_CHAOS }),
        post(
          EVENTS,
          {
            apiVersion: 'v1',
            kind: 'Event',
            metadata: { name: 'e' },
            involvedObject: { kind: 'Pod', namespace: '{ns}' },
          },
          { headers: AS_CHAOS },
        ),
      ],
    },
    {
      name: 'chaos-node-cordon-by-patch',
      steps: [
        setup(
          post(
            '/api/v1/nodes',
            {
              apiVersion: 'v1',
              kind: 'Node',
              metadata: { name: 'c-chaos-node', labels: { 'kubernetes.io/hostname': 'c-chaos-node' } },
            },
            { capture: { at: '/metadata/resourceVersion' } },
          ),
        ),
        put('/api/v1/nodes/c-chaos-node', {
          apiVersion: 'v1',
          kind: 'Node',
          metadata: {
            name: 'c-chaos-node',
            resourceVersion: '{at}',
            labels: { 'kubernetes.io/hostname': 'c-chaos-node' },
          },
          spec: {
            unschedulable: true,
            taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
          },
        }),
        get('/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue,metadata.name%3Dc-chaos-node'),
      ],
    },
    {
      name: 'kubectl-drain',
      steps: [
        setup(
          post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'c-kubectl-drain' } }),
        ),
        setup(
          post(
            PODS,
            pod('p', { spec: { nodeName: 'c-kubectl-drain', containers: [{ name: 'c', image: 'i' }] } }),
          ),
        ),
        patch(
          'strategic',
          '/api/v1/nodes/c-kubectl-drain',
          { spec: { unschedulable: true } },
          { ignore: ['/body/spec/taints'] },
        ),
        get('/api/v1/pods?fieldSelector=spec.nodeName%3Dc-kubectl-drain&limit=500'),
        post(`${PODS}/p/eviction`, {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'p', namespace: '{ns}' },
          deleteOptions: {},
        }),
        get(`${PODS}/p`),
      ],
    },
    {
      name: 'kubectl-taint',
      steps: [
        setup(
          post('/api/v1/nodes', {
            apiVersion: 'v1',
            kind: 'Node',
            metadata: { name: 'c-kubectl-taint' },
            spec: { taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] },
          }),
        ),
        patch('strategic', '/api/v1/nodes/c-kubectl-taint?fieldManager=kubectl-taint', {
          spec: { taints: [{ key: 'chaos', effect: 'NoExecute' }] },
        }),
        patch('strategic', '/api/v1/nodes/c-kubectl-taint?fieldManager=kubectl-taint', {
          spec: { taints: null },
        }),
      ],
    },
  ],
};
