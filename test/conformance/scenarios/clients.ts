/** What kubectl, controllers and chaos tools send in a day's work, in the order in which they send it. */
import type { Scenario, Theme } from '../harness/scenario.ts';
import {
  apis,
  awaiting,
  collect,
  configMap,
  core,
  get,
  patch,
  pod,
  post,
  put,
  remove,
  setup,
  watch,
} from '../harness/steps.ts';

const DEPLOYMENTS = apis('apps/v1', 'deployments');
const PODS = core('pods');
const CM = core('configmaps');
const EVENTS = core('events');
const LEASES = apis('coordination.k8s.io/v1', 'leases');
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const KUBECTL = { 'user-agent': 'kubectl/v1.30.0 (linux/amd64) kubernetes/abc' };
const TABLE = {
  accept:
    'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
};
const NO_COLUMN_TEXTS = ['/body/columnDefinitions/*/description', '/body/rows/*/object/metadata'];

const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'example.com/web:1', ports: [{ containerPort: 80 }] }] },
    },
  },
};
const deployed = setup(post(DEPLOYMENTS, WEB));
const PLACED = pod('p', {
  metadata: { labels: { app: 'web' } },
  spec: { nodeName: 'c-no-such-node', containers: [{ name: 'c', image: 'i' }] },
});

/** Who an experiment runs as. */
const AS_CHAOS = { 'impersonate-user': 'system:serviceaccount:{ns}:pod-delete-sa' };

/** A definition as upstream's charts have them: no schema to speak of. */
function looseDefinition(group: string, plural: string, kind: string): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          subresources: {},
        },
      ],
    },
  };
}

function served(group: string, plural: string, kind: string) {
  return [
    setup(post(CRDS, looseDefinition(group, plural, kind))),
    setup(
      awaiting(`${CRDS}/${plural}.${group}`, {
        equals: { '/status/conditions/1/type': 'Established', '/status/conditions/1/status': 'True' },
      }),
    ),
    setup(awaiting(`/apis/${group}/v1alpha1/namespaces/{ns}/${plural}`)),
  ];
}

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

const KUBECTL_SCENARIOS: readonly Scenario[] = [
  {
    name: 'kubectl-apply',
    steps: [
      get(`${DEPLOYMENTS}/web`, { headers: KUBECTL }),
      post(
        `${DEPLOYMENTS}?fieldManager=kubectl-client-side-apply`,
        {
          ...WEB,
          metadata: {
            ...WEB.metadata,
            annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"x":1}\n' },
          },
        },
        { headers: KUBECTL },
      ),
      get(`${DEPLOYMENTS}/web`, { headers: KUBECTL }),
      patch(
        'strategic',
        `${DEPLOYMENTS}/web?fieldManager=kubectl-client-side-apply`,
        {
          metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"x":2}\n' } },
          spec: {
            template: {
              spec: {
                '$setElementOrder/containers': [{ name: 'web' }],
                containers: [{ name: 'web', image: 'example.com/web:2' }],
              },
            },
          },
        },
        { headers: KUBECTL },
      ),
    ],
  },
  {
    name: 'kubectl-apply-then-server-side',
    steps: [
      setup(
        post(
          `${CM}?fieldManager=kubectl-client-side-apply`,
          configMap('a', {
            data: { x: '1' },
            metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
          }),
          { headers: KUBECTL },
        ),
      ),
      patch(
        'apply',
        `${CM}/a?fieldManager=kubectl&force=false`,
        configMap('a', { data: { x: '1', y: '2' } }),
        { headers: KUBECTL, managedFields: true },
      ),
      patch(
        'apply',
        `${CM}/a?fieldManager=kubectl&force=false`,
        configMap('a', { data: { x: '2', y: '2' } }),
        { headers: KUBECTL, managedFields: true },
      ),
    ],
  },
  {
    name: 'kubectl-rollout-restart',
    steps: [
      deployed,
      patch('strategic', `${DEPLOYMENTS}/web?fieldManager=kubectl-rollout`, {
        spec: {
          template: {
            metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': '2020-01-02T03:04:05Z' } },
          },
        },
      }),
    ],
  },
  {
    name: 'kubectl-rollout-pause-and-undo',
    steps: [
      deployed,
      patch('strategic', `${DEPLOYMENTS}/web`, { spec: { paused: true } }),
      patch('strategic', `${DEPLOYMENTS}/web`, { spec: { paused: null } }),
      patch('json', `${DEPLOYMENTS}/web`, [
        {
          op: 'replace',
          path: '/spec/template',
          value: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'web', image: 'example.com/web:0' }] },
          },
        },
        { op: 'add', path: '/metadata/annotations', value: { 'deployment.kubernetes.io/revision': '1' } },
      ]),
    ],
  },
  {
    name: 'kubectl-set-image-and-env',
    steps: [
      deployed,
      patch('strategic', `${DEPLOYMENTS}/web?fieldManager=kubectl-set`, {
        spec: {
          template: {
            spec: {
              '$setElementOrder/containers': [{ name: 'web' }],
              containers: [{ name: 'web', image: 'example.com/web:3' }],
            },
          },
        },
      }),
      patch('strategic', `${DEPLOYMENTS}/web?fieldManager=kubectl-set`, {
        spec: {
          template: {
            spec: {
              '$setElementOrder/containers': [{ name: 'web' }],
              containers: [{ name: 'web', env: [{ name: 'A', value: '1' }] }],
            },
          },
        },
      }),
      patch('strategic', `${DEPLOYMENTS}/web?fieldManager=kubectl-set`, {
        spec: {
          template: {
            spec: {
              '$setElementOrder/containers': [{ name: 'web' }],
              containers: [{ name: 'web', env: [{ $patch: 'delete', name: 'A' }] }],
            },
          },
        },
      }),
    ],
  },
  {
    name: 'kubectl-label-and-annotate',
    steps: [
      setup(post(PODS, pod('p'))),
      patch('merge', `${PODS}/p?fieldManager=kubectl-label`, { metadata: { labels: { tier: 'front' } } }),
      patch('merge', `${PODS}/p?fieldManager=kubectl-label`, { metadata: { labels: { tier: null } } }),
      patch('merge', `${PODS}/p?fieldManager=kubectl-annotate`, { metadata: { annotations: { note: 'x' } } }),
      patch('merge', `${PODS}/p?fieldManager=kubectl-annotate`, {
        metadata: { annotations: { note: null } },
      }),
    ],
  },
  {
    name: 'kubectl-get-and-watch',
    steps: [
      setup(post(PODS, pod('p'))),
      get(`${PODS}?limit=500`, {
        headers: TABLE,
        ignore: [...NO_COLUMN_TEXTS, '/body/columnDefinitions/3/type', '/body/rows/*/cells/3'],
        capture: { at: '/metadata/resourceVersion' },
      }),
      watch('w', `${PODS}?resourceVersion={at}`, TABLE),
      setup(patch('merge', `${PODS}/p/status`, { status: { phase: 'Running', podIP: '192.0.2.1' } })),
      setup(remove(`${PODS}/p`)),
      setup(post(PODS, pod('q'))),
      // Rows have no name of their own: the third event is the last one.
      watch('end', `${PODS}?resourceVersion={at}`),
      collect('end', { name: 'q' }),
    ],
  },
  {
    name: 'kubectl-get-all',
    steps: [
      deployed,
      ...[
        PODS,
        core('services'),
        DEPLOYMENTS,
        apis('apps/v1', 'replicasets'),
        apis('apps/v1', 'statefulsets'),
        apis('batch/v1', 'jobs'),
      ].map((path) =>
        get(`${path}?limit=500`, { headers: TABLE, ignore: [...NO_COLUMN_TEXTS, '/body/columnDefinitions'] }),
      ),
    ],
  },
  {
    name: 'kubectl-describe-pod',
    steps: [
      setup(post(PODS, pod('p'), { capture: { uid: '/metadata/uid' } })),
      setup(
        post(EVENTS, {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'p.1' },
          involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'p', namespace: '{ns}', uid: '{uid}' },
          reason: 'Killing',
          message: 'm',
          type: 'Normal',
        }),
      ),
      get(
        `${EVENTS}?fieldSelector=involvedObject.name%3Dp%2CinvolvedObject.namespace%3D{ns}%2CinvolvedObject.uid%3D{uid}&limit=500`,
      ),
      get(
        `${EVENTS}?fieldSelector=involvedObject.name%3Dp%2CinvolvedObject.namespace%3D{ns}%2CinvolvedObject.uid%3Dother&limit=500`,
      ),
    ],
  },
  {
    name: 'kubectl-delete-and-wait',
    steps: [
      setup(post(PODS, PLACED, { capture: { uid: '/metadata/uid', at: '/metadata/resourceVersion' } })),
      remove(`${PODS}/p`, { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' }),
      watch('w', `${PODS}?fieldSelector=metadata.name%3Dp&resourceVersion={at}`),
      setup(remove(`${PODS}/p`, { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 })),
      collect('w', { type: 'DELETED' }),
      get(`${PODS}/p`),
    ],
  },
  {
    name: 'kubectl-delete-force',
    steps: [
      setup(post(PODS, PLACED)),
      remove(`${PODS}/p`, {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        gracePeriodSeconds: 0,
        propagationPolicy: 'Background',
      }),
      get(`${PODS}/p`),
    ],
  },
  {
    name: 'kubectl-delete-cascade-orphan',
    steps: [
      setup(post(DEPLOYMENTS, WEB, { capture: { uid: '/metadata/uid' } })),
      setup(
        post(apis('apps/v1', 'replicasets'), {
          ...WEB,
          kind: 'ReplicaSet',
          metadata: {
            name: 'web-1',
            ownerReferences: [
              {
                apiVersion: 'apps/v1',
                kind: 'Deployment',
                name: 'web',
                uid: '{uid}',
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
          },
        }),
      ),
      remove(`${DEPLOYMENTS}/web`, { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Orphan' }),
      awaiting(`${DEPLOYMENTS}/web`, { status: 404 }),
      awaiting(apis('apps/v1', 'replicasets', 'web-1'), { absent: ['/metadata/ownerReferences'] }),
    ],
  },
  {
    name: 'kubectl-wait',
    steps: [
      setup(post(PODS, PLACED)),
      get(`${PODS}?fieldSelector=metadata.name%3Dp`, { capture: { at: '/metadata/resourceVersion' } }),
      watch('w', `${PODS}?fieldSelector=metadata.name%3Dp&resourceVersion={at}`),
      setup(
        patch('merge', `${PODS}/p/status`, {
          status: {
            phase: 'Running',
            conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }],
          },
        }),
      ),
      collect('w', { name: 'p' }),
    ],
  },
  {
    name: 'kubectl-diff',
    steps: [
      setup(post(CM, configMap('a', { data: { x: '1' } }))),
      patch(
        'apply',
        `${CM}/a?dryRun=All&fieldManager=kubectl&force=true`,
        configMap('a', { data: { x: '2' } }),
      ),
      patch('merge', `${CM}/a?dryRun=All&fieldManager=kubectl-client-side-apply`, { data: { x: '3' } }),
      get(`${CM}/a`),
    ],
  },
  {
    name: 'kubectl-create-token-and-can-i',
    steps: [
      post(
        `${core('serviceaccounts')}/default/token`,
        {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          metadata: {},
          spec: { audiences: null, expirationSeconds: null, boundObjectRef: null },
        },
        { ignore: ['/body/spec/audiences', '/body/metadata'] },
      ),
      post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {
          resourceAttributes: { namespace: '{ns}', verb: 'create', group: 'apps', resource: 'deployments' },
        },
      }),
    ],
  },
  {
    name: 'kubectl-expose-and-scale',
    steps: [
      deployed,
      post(`${core('services')}?fieldManager=kubectl-expose`, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web', labels: { app: 'web' } },
        spec: { ports: [{ protocol: 'TCP', port: 80, targetPort: 8080 }], selector: { app: 'web' } },
        status: { loadBalancer: {} },
      }),
      patch('merge', `${DEPLOYMENTS}/web/scale`, { spec: { replicas: 5 } }),
      get(`${DEPLOYMENTS}/web/scale`),
    ],
  },
  {
    name: 'kubectl-drain',
    steps: [
      setup(post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'c-kubectl-drain' } })),
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
  {
    name: 'kubectl-edit-with-conflict',
    steps: [
      post(CM, configMap('a', { data: { x: '1' } }), { capture: { at: '/metadata/resourceVersion' } }),
      setup(patch('merge', `${CM}/a`, { data: { x: '2' } })),
      patch('merge', `${CM}/a?fieldManager=kubectl-edit`, {
        data: { x: '3' },
        metadata: { resourceVersion: '{at}' },
      }),
      put(
        `${CM}/a?fieldManager=kubectl-replace`,
        configMap('a', { data: { x: '4' }, metadata: { resourceVersion: '{at}' } }),
      ),
    ],
  },
];

const CONTROLLER_SCENARIOS: readonly Scenario[] = [
  {
    name: 'leader-election',
    steps: [
      get(`${LEASES}/leader`),
      post(
        LEASES,
        {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'leader' },
          spec: {
            holderIdentity: 'one',
            leaseDurationSeconds: 15,
            acquireTime: '2020-01-02T03:04:05.000000Z',
            renewTime: '2020-01-02T03:04:05.000000Z',
            leaseTransitions: 0,
          },
        },
        { capture: { at: '/metadata/resourceVersion' } },
      ),
      put(`${LEASES}/leader`, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'leader', resourceVersion: '{at}' },
        spec: {
          holderIdentity: 'one',
          leaseDurationSeconds: 15,
          renewTime: '2020-01-02T03:04:15.000000Z',
          leaseTransitions: 0,
        },
      }),
      put(`${LEASES}/leader`, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'leader', resourceVersion: '{at}' },
        spec: { holderIdentity: 'two', leaseDurationSeconds: 15, leaseTransitions: 1 },
      }),
    ],
  },
  {
    name: 'informer-list-then-watch',
    steps: [
      setup(
        post(CM, configMap('a', { metadata: { labels: { i: 'n' } } }), {
          capture: { at: '/metadata/resourceVersion' },
        }),
      ),
      get(`${CM}?labelSelector=i&limit=500&resourceVersion=0`, { ignore: ['/body/items'] }),
      watch('w', `${CM}?labelSelector=i&allowWatchBookmarks=true&resourceVersion={at}&timeoutSeconds=300`),
      setup(patch('merge', `${CM}/a`, { data: { x: '1' } })),
      setup(remove(`${CM}/a`)),
      collect('w', { type: 'DELETED' }),
    ],
  },
  {
    name: 'events-are-counted',
    steps: [
      post(EVENTS, {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'p.15', namespace: '{ns}' },
        involvedObject: {
          kind: 'Pod',
          namespace: '{ns}',
          name: 'p',
          uid: 'u',
          apiVersion: 'v1',
          resourceVersion: '12',
        },
        reason: 'BackOff',
        message: 'm',
        source: { component: 'c', host: 'h' },
        firstTimestamp: '2020-01-02T03:04:05Z',
        lastTimestamp: '2020-01-02T03:04:05Z',
        count: 1,
        type: 'Warning',
        eventTime: null,
        reportingComponent: '',
        reportingInstance: '',
      }),
      patch('strategic', `${EVENTS}/p.15`, { count: 2, lastTimestamp: '2020-01-02T03:04:06Z' }),
      patch('strategic', `${EVENTS}/p.none`, { count: 2 }),
    ],
  },
  {
    name: 'adoption-and-release',
    steps: [
      setup(post(DEPLOYMENTS, WEB, { capture: { uid: '/metadata/uid' } })),
      setup(post(PODS, pod('p'), { capture: { pod: '/metadata/uid' } })),
      patch('strategic', `${PODS}/p`, {
        metadata: {
          ownerReferences: [
            {
              apiVersion: 'apps/v1',
              kind: 'Deployment',
              name: 'web',
              uid: '{uid}',
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
          uid: '{pod}',
        },
      }),
      patch('strategic', `${PODS}/p`, {
        metadata: { ownerReferences: [{ $patch: 'delete', uid: '{uid}' }], uid: '{pod}' },
      }),
      patch('strategic', `${PODS}/p`, {
        metadata: {
          labels: { a: 'b' },
          uid: '00000000-0000-0000-0000-000000000000',
        },
      }),
    ],
  },
  {
    name: 'finalizer-first-then-cleanup',
    steps: [
      ...served('finalizer.conformance.example.com', 'things', 'Thing'),
      post('/apis/finalizer.conformance.example.com/v1alpha1/namespaces/{ns}/things', {
        apiVersion: 'finalizer.conformance.example.com/v1alpha1',
        kind: 'Thing',
        metadata: { name: 't' },
        spec: { a: 1 },
      }),
      patch(
        'merge',
        '/apis/finalizer.conformance.example.com/v1alpha1/namespaces/{ns}/things/t',
        { metadata: { finalizers: ['things.example.com/cleanup'] } },
        { capture: { at: '/metadata/resourceVersion' } },
      ),
      remove('/apis/finalizer.conformance.example.com/v1alpha1/namespaces/{ns}/things/t'),
      patch('json', '/apis/finalizer.conformance.example.com/v1alpha1/namespaces/{ns}/things/t', [
        { op: 'test', path: '/metadata/resourceVersion', value: '{at}' },
        { op: 'remove', path: '/metadata/finalizers' },
      ]),
      patch('json', '/apis/finalizer.conformance.example.com/v1alpha1/namespaces/{ns}/things/t', [
        { op: 'test', path: '/metadata/finalizers/0', value: 'things.example.com/cleanup' },
        { op: 'remove', path: '/metadata/finalizers/0' },
      ]),
      get('/apis/finalizer.conformance.example.com/v1alpha1/namespaces/{ns}/things/t'),
    ],
  },
];

const CHAOS_SCENARIOS: readonly Scenario[] = [
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
];

export const CLIENTS: Theme = {
  theme: 'clients',
  scenarios: [...KUBECTL_SCENARIOS, ...CONTROLLER_SCENARIOS, ...CHAOS_SCENARIOS],
};
