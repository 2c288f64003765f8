/** What kubectl sends in a day's work, in the order in which it sends it. */
import type { Theme } from '../harness/scenario.ts';
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

const AGENT = { 'user-agent': 'kubectl/v1.30.0 (linux/amd64) kubernetes/abc' };
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

export const KUBECTL: Theme = {
  theme: 'kubectl',
  scenarios: [
    {
      name: 'kubectl-apply',
      steps: [
        get(`${DEPLOYMENTS}/web`, { headers: AGENT }),
        post(
          `${DEPLOYMENTS}?fieldManager=kubectl-client-side-apply`,
          {
            ...WEB,
            metadata: {
              ...WEB.metadata,
              annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"x":1}\n' },
            },
          },
          { headers: AGENT },
        ),
        get(`${DEPLOYMENTS}/web`, { headers: AGENT }),
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
          { headers: AGENT },
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
            { headers: AGENT },
          ),
        ),
        patch(
          'apply',
          `${CM}/a?fieldManager=kubectl&force=false`,
          configMap('a', { data: { x: '1', y: '2' } }),
          { headers: AGENT, managedFields: true },
        ),
        patch(
          'apply',
          `${CM}/a?fieldManager=kubectl&force=false`,
          configMap('a', { data: { x: '2', y: '2' } }),
          { headers: AGENT, managedFields: true },
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
        patch('merge', `${PODS}/p?fieldManager=kubectl-annotate`, {
          metadata: { annotations: { note: 'x' } },
        }),
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
          get(`${path}?limit=500`, {
            headers: TABLE,
            ignore: [...NO_COLUMN_TEXTS, '/body/columnDefinitions'],
          }),
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
        remove(`${DEPLOYMENTS}/web`, {
          kind: 'DeleteOptions',
          apiVersion: 'v1',
          propagationPolicy: 'Orphan',
        }),
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
  ],
};
