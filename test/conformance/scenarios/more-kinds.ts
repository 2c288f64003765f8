/** What is checked of the kinds around pods: networking, storage, scheduling, autoscaling. */
import type { Theme } from '../harness/scenario.ts';
import { apis, core, get, patch, post, put, remove, setup } from '../harness/steps.ts';

function ingress(spec: object): object {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'i' }, spec };
}

function path(extra: object): object {
  return {
    path: '/',
    pathType: 'Prefix',
    backend: { service: { name: 'web', port: { number: 80 } } },
    ...extra,
  };
}

/** The recorded server names the group from which these kinds once came. */
const NETWORKING = ['/body/message', '/body/details/group'];
/** The text holds a value in Go's own format, or is another one in later versions. */
const GO_VALUE = ['/body/details/causes/*/message'];

function postIngress(spec: object, ignore: readonly string[] = []) {
  const at = apis('networking.k8s.io/v1', 'ingresses');
  return post(at, ingress(spec), { ignore: [...NETWORKING, ...ignore] });
}

function postPolicy(spec: object, ignore: readonly string[] = []) {
  const object = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'n' }, spec };
  return post(apis('networking.k8s.io/v1', 'networkpolicies'), object, {
    ignore: [...NETWORKING, ...ignore],
  });
}

function claim(spec: object): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c' },
    spec: {
      storageClassName: 'none',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
  };
}

function autoscaler(spec: object): object {
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      maxReplicas: 3,
      ...spec,
    },
  };
}

const REWORDED = { ignore: ['/body/message', '/body/details/causes/*/message'] };
const PROTECTED = ['/body/metadata/finalizers'];

export const MORE_KINDS: Theme = {
  theme: 'more-kinds',
  scenarios: [
    {
      name: 'ingress-invalid',
      steps: [
        postIngress({}, GO_VALUE),
        postIngress({ rules: [{ host: 'Bad_Host', http: { paths: [path({})] } }] }),
        postIngress({ rules: [{ http: { paths: [path({ pathType: 'Nonsense' })] } }] }, GO_VALUE),
        postIngress({ rules: [{ http: { paths: [path({ pathType: undefined })] } }] }),
        postIngress({ rules: [{ http: { paths: [path({ path: 'x' })] } }] }),
        postIngress({ defaultBackend: { service: { name: 'web' } } }),
      ],
    },
    {
      name: 'network-policy-defaults',
      steps: [
        postPolicy({
          podSelector: {},
          egress: [
            {
              to: [{ ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.1/32'] } }],
              ports: [{ port: 'dns', protocol: 'UDP' }],
            },
          ],
        }),
      ],
    },
    {
      name: 'network-policy-invalid',
      steps: [
        postPolicy({ podSelector: {}, ingress: [{ from: [{}] }] }),
        postPolicy({ podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: 'nonsense' } }] }] }, GO_VALUE),
        postPolicy({ podSelector: {}, policyTypes: ['Sideways'] }, GO_VALUE),
        postPolicy({ podSelector: { matchLabels: { 'bad key': 'x' } } }),
      ],
    },
    {
      name: 'claim-is-immutable',
      steps: [
        post(core('persistentvolumeclaims'), claim({}), { ignore: PROTECTED }),
        // The message holds a dump of the difference; the status is that of a controller of ours.
        patch(
          'merge',
          core('persistentvolumeclaims', 'c'),
          { spec: { accessModes: ['ReadWriteMany'] } },
          REWORDED,
        ),
        patch(
          'merge',
          core('persistentvolumeclaims', 'c'),
          { spec: { volumeName: 'v' } },
          { ignore: PROTECTED },
        ),
        post(
          core('persistentvolumeclaims'),
          { ...claim({ accessModes: [] }), metadata: { name: 'c2' } },
          REWORDED,
        ),
        post(
          core('persistentvolumeclaims'),
          { ...claim({ resources: {} }), metadata: { name: 'c2' } },
          REWORDED,
        ),
        post(
          core('persistentvolumeclaims'),
          { ...claim({ accessModes: ['Sometimes'] }), metadata: { name: 'c2' } },
          REWORDED,
        ),
      ],
    },
    {
      name: 'storage-class-is-immutable',
      steps: [
        setup(
          post('/apis/storage.k8s.io/v1/storageclasses', {
            apiVersion: 'storage.k8s.io/v1',
            kind: 'StorageClass',
            metadata: { name: 'c-storage-class' },
            provisioner: 'example.com/x',
            parameters: { a: 'b' },
          }),
        ),
        patch(
          'merge',
          '/apis/storage.k8s.io/v1/storageclasses/c-storage-class',
          { provisioner: 'example.com/y' },
          REWORDED,
        ),
        patch(
          'merge',
          '/apis/storage.k8s.io/v1/storageclasses/c-storage-class',
          { parameters: { a: 'c' } },
          REWORDED,
        ),
        patch('merge', '/apis/storage.k8s.io/v1/storageclasses/c-storage-class', {
          metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'false' } },
        }),
        post('/apis/storage.k8s.io/v1/storageclasses', {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'StorageClass',
          metadata: { name: 'c-storage-class-2' },
        }),
      ],
    },
    {
      name: 'priority-class-rules',
      steps: [
        post('/apis/scheduling.k8s.io/v1/priorityclasses', {
          apiVersion: 'scheduling.k8s.io/v1',
          kind: 'PriorityClass',
          metadata: { name: 'system-mine' },
          value: 1,
        }),
        post('/apis/scheduling.k8s.io/v1/priorityclasses', {
          apiVersion: 'scheduling.k8s.io/v1',
          kind: 'PriorityClass',
          metadata: { name: 'c-too-high' },
          value: 2_000_000_000,
        }),
        setup(
          post('/apis/scheduling.k8s.io/v1/priorityclasses', {
            apiVersion: 'scheduling.k8s.io/v1',
            kind: 'PriorityClass',
            metadata: { name: 'c-priority' },
            value: 5,
          }),
        ),
        patch(
          'merge',
          '/apis/scheduling.k8s.io/v1/priorityclasses/c-priority',
          { value: 6 },
          { ignore: ['/body/message', '/body/details/causes'] },
        ),
        get('/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical', {
          ignore: ['/body/description'],
        }),
      ],
    },
    {
      name: 'autoscaler-invalid',
      steps: [
        post(apis('autoscaling/v1', 'horizontalpodautoscalers'), autoscaler({ maxReplicas: 0 })),
        post(apis('autoscaling/v1', 'horizontalpodautoscalers'), autoscaler({ minReplicas: 5 })),
        post(
          apis('autoscaling/v1', 'horizontalpodautoscalers'),
          autoscaler({ scaleTargetRef: { name: 'd' } }),
        ),
        post(
          apis('autoscaling/v1', 'horizontalpodautoscalers'),
          autoscaler({ targetCPUUtilizationPercentage: 0 }),
          REWORDED,
        ),
      ],
    },
    {
      name: 'autoscaler-defaults',
      // The second version of the group is later than the recorded server.
      steps: [post(apis('autoscaling/v1', 'horizontalpodautoscalers'), autoscaler({}))],
    },
    {
      name: 'endpoints-invalid',
      steps: [
        post(
          core('endpoints'),
          {
            apiVersion: 'v1',
            kind: 'Endpoints',
            metadata: { name: 'e1' },
            subsets: [{ addresses: [{ ip: 'nonsense' }], ports: [{ port: 80 }] }],
          },
          REWORDED,
        ),
        post(
          core('endpoints'),
          {
            apiVersion: 'v1',
            kind: 'Endpoints',
            metadata: { name: 'e2' },
            subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: 80 }] }],
          },
          REWORDED,
        ),
        post(
          core('endpoints'),
          {
            apiVersion: 'v1',
            kind: 'Endpoints',
            metadata: { name: 'e3' },
            subsets: [{ ports: [{ port: 80 }] }],
          },
          REWORDED,
        ),
        post(
          core('endpoints'),
          {
            apiVersion: 'v1',
            kind: 'Endpoints',
            metadata: { name: 'e4' },
            subsets: [{ addresses: [{ ip: '192.0.2.2' }, { ip: '192.0.2.1' }], ports: [{ port: 0 }] }],
          },
          REWORDED,
        ),
      ],
    },
    {
      name: 'lease-invalid',
      steps: [
        post(apis('coordination.k8s.io/v1', 'leases'), {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'l' },
          spec: { leaseDurationSeconds: 0 },
        }),
        post(
          apis('coordination.k8s.io/v1', 'leases'),
          {
            apiVersion: 'coordination.k8s.io/v1',
            kind: 'Lease',
            metadata: { name: 'l' },
            spec: { leaseTransitions: -1 },
          },
          // A slip in the text was corrected later.
          REWORDED,
        ),
        post(
          apis('coordination.k8s.io/v1', 'leases'),
          {
            apiVersion: 'coordination.k8s.io/v1',
            kind: 'Lease',
            metadata: { name: 'l' },
            spec: { renewTime: 'nonsense' },
          },
          { ignore: ['/body/message'] },
        ),
        post(apis('coordination.k8s.io/v1', 'leases'), {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'l' },
        }),
      ],
    },
    {
      name: 'replication-controller-life',
      steps: [
        setup(
          post(core('replicationcontrollers'), {
            apiVersion: 'v1',
            kind: 'ReplicationController',
            metadata: { name: 'r' },
            spec: {
              replicas: 0,
              template: {
                metadata: { labels: { a: 'b' } },
                spec: { containers: [{ name: 'c', image: 'i' }] },
              },
            },
          }),
        ),
        put(core('replicationcontrollers', 'r/scale'), {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'r', namespace: '{ns}' },
          spec: { replicas: 0 },
        }),
        remove(core('replicationcontrollers', 'r'), { propagationPolicy: 'Background' }),
        get(core('replicationcontrollers', 'r')),
      ],
    },
    {
      name: 'controller-revision-is-immutable',
      steps: [
        setup(
          post(apis('apps/v1', 'controllerrevisions'), {
            apiVersion: 'apps/v1',
            kind: 'ControllerRevision',
            metadata: { name: 'c' },
            revision: 1,
            data: { a: 1 },
          }),
        ),
        patch('merge', apis('apps/v1', 'controllerrevisions', 'c'), { data: { a: 2 } }, REWORDED),
        patch('merge', apis('apps/v1', 'controllerrevisions', 'c'), {
          revision: 2,
          metadata: { labels: { x: 'y' } },
        }),
      ],
    },
    {
      name: 'table-paging',
      steps: [
        ...['a', 'b', 'c'].map((name) =>
          setup(post(core('secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name } })),
        ),
        get(`${core('secrets')}?limit=2`, {
          headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
          ignore: ['/body/columnDefinitions', '/body/rows/*/object/metadata'],
          capture: { next: '/metadata/continue' },
        }),
        get(`${core('secrets')}?limit=2&continue={next}`, {
          headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
          ignore: ['/body/columnDefinitions', '/body/rows/*/object/metadata'],
        }),
      ],
    },
  ],
};
