/** An object of each served kind, as small as it may be. */

export interface Sample {
  readonly name: string;
  /** Collection path. */
  readonly at: string;
  readonly object: Readonly<Record<string, unknown>>;
  /** Merge patch that every client may make. */
  readonly change: object;
  /** JSON pointers of what is not compared, with the reason beside it. */
  readonly ignore?: readonly string[];
  readonly ignorePut?: readonly string[];
  readonly ignoreDelete?: readonly string[];
}

const LABELS = { app: 'crud' };
const TEMPLATE = {
  metadata: { labels: LABELS },
  spec: { containers: [{ name: 'main', image: 'example.com/app:1' }] },
};
const SELECTOR = { matchLabels: LABELS };
const ANNOTATE = { metadata: { annotations: { note: 'changed' } } };

function core(plural: string): string {
  return `/api/v1/namespaces/{ns}/${plural}`;
}

function inGroup(groupVersion: string, plural: string): string {
  return `/apis/${groupVersion}/namespaces/{ns}/${plural}`;
}

export const SAMPLES: readonly Sample[] = [
  {
    name: 'configmap',
    at: core('configmaps'),
    object: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1', b: '2' }, binaryData: { c: 'AAE=' } },
    change: { data: { a: null, d: '4' } },
  },
  {
    name: 'secret',
    at: core('secrets'),
    object: { apiVersion: 'v1', kind: 'Secret', data: { a: 'YQ==' }, stringData: { b: 'plain' } },
    change: { stringData: { a: 'new' } },
  },
  {
    name: 'serviceaccount',
    at: core('serviceaccounts'),
    object: { apiVersion: 'v1', kind: 'ServiceAccount', automountServiceAccountToken: false },
    change: { imagePullSecrets: [{ name: 'pull' }] },
  },
  {
    name: 'service',
    at: core('services'),
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      spec: { selector: LABELS, ports: [{ name: 'http', port: 80, targetPort: 'web' }] },
    },
    change: { spec: { sessionAffinity: 'ClientIP' } },
    // Since 1.23 a PUT may leave the cluster IP out, and a DELETE answers with the object.
    ignorePut: ['/body', '/status'],
    ignoreDelete: ['/body'],
  },
  {
    name: 'endpoints',
    at: core('endpoints'),
    object: {
      apiVersion: 'v1',
      kind: 'Endpoints',
      subsets: [{ addresses: [{ ip: '192.0.2.10' }], ports: [{ port: 80 }] }],
    },
    change: { subsets: [{ addresses: [{ ip: '192.0.2.11' }], ports: [{ port: 81, name: 'x' }] }] },
  },
  {
    name: 'pod',
    at: core('pods'),
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      spec: { ...TEMPLATE.spec, automountServiceAccountToken: false },
    },
    change: { metadata: { labels: { added: 'yes' } } },
  },
  {
    name: 'podtemplate',
    at: core('podtemplates'),
    object: { apiVersion: 'v1', kind: 'PodTemplate', template: TEMPLATE },
    change: { template: { metadata: { labels: { b: 'c' } } } },
  },
  {
    name: 'replicationcontroller',
    at: core('replicationcontrollers'),
    object: { apiVersion: 'v1', kind: 'ReplicationController', spec: { replicas: 0, template: TEMPLATE } },
    change: { spec: { minReadySeconds: 5 } },
  },
  {
    name: 'persistentvolumeclaim',
    at: core('persistentvolumeclaims'),
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      spec: {
        storageClassName: 'none',
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
      },
    },
    change: ANNOTATE,
  },
  {
    name: 'resourcequota',
    at: core('resourcequotas'),
    object: {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      spec: { hard: { services: '100', 'requests.cpu': '1000m' } },
    },
    change: { spec: { hard: { services: '50' } } },
    // What is used is counted by a controller at its own time.
    ignore: [
      '/body/status',
      '/body/metadata/resourceVersion',
      '/body/items/*/status',
      '/body/items/*/metadata/resourceVersion',
    ],
    // So a version is stale already, or not.
    ignorePut: ['/body'],
  },
  {
    name: 'limitrange',
    at: core('limitranges'),
    object: {
      apiVersion: 'v1',
      kind: 'LimitRange',
      spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '2Gi' } }] },
    },
    change: { spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '3Gi' } }] } },
  },
  {
    name: 'event',
    at: core('events'),
    object: {
      apiVersion: 'v1',
      kind: 'Event',
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'p', namespace: '{ns}' },
      reason: 'Tested',
      message: 'something was tested',
      type: 'Normal',
      source: { component: 'conformance' },
      firstTimestamp: '2020-01-02T03:04:05Z',
      lastTimestamp: '2020-01-02T03:04:05Z',
      count: 1,
    },
    change: { count: 2 },
  },
  {
    name: 'deployment',
    at: inGroup('apps/v1', 'deployments'),
    object: { apiVersion: 'apps/v1', kind: 'Deployment', spec: { selector: SELECTOR, template: TEMPLATE } },
    change: { spec: { replicas: 3 } },
  },
  {
    name: 'replicaset',
    at: inGroup('apps/v1', 'replicasets'),
    object: { apiVersion: 'apps/v1', kind: 'ReplicaSet', spec: { selector: SELECTOR, template: TEMPLATE } },
    change: { spec: { replicas: 0 } },
  },
  {
    name: 'statefulset',
    at: inGroup('apps/v1', 'statefulsets'),
    object: {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      spec: { serviceName: 'crud', selector: SELECTOR, template: TEMPLATE },
    },
    change: { spec: { replicas: 2 } },
    // availableReplicas is always written since 1.22.
    ignore: ['/body/status/availableReplicas', '/body/items/*/status/availableReplicas'],
  },
  {
    name: 'daemonset',
    at: inGroup('apps/v1', 'daemonsets'),
    object: { apiVersion: 'apps/v1', kind: 'DaemonSet', spec: { selector: SELECTOR, template: TEMPLATE } },
    change: { spec: { minReadySeconds: 3 } },
    // maxSurge is defaulted since 1.22.
    ignore: [
      '/body/spec/updateStrategy/rollingUpdate/maxSurge',
      '/body/items/*/spec/updateStrategy/rollingUpdate/maxSurge',
    ],
  },
  {
    name: 'controllerrevision',
    at: inGroup('apps/v1', 'controllerrevisions'),
    object: { apiVersion: 'apps/v1', kind: 'ControllerRevision', revision: 1, data: { any: { thing: [1] } } },
    change: { revision: 2 },
  },
  {
    name: 'cronjob',
    at: inGroup('batch/v1', 'cronjobs'),
    object: {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      spec: {
        schedule: '0 3 * * *',
        jobTemplate: { spec: { template: { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } } },
      },
    },
    change: { spec: { suspend: true } },
    // A CronJob has a generation since 1.21.
    ignore: ['/body/metadata/generation', '/body/items/*/metadata/generation'],
  },
  {
    name: 'poddisruptionbudget',
    at: inGroup('policy/v1', 'poddisruptionbudgets'),
    object: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      spec: { minAvailable: 1, selector: SELECTOR },
    },
    change: { metadata: { labels: { b: 'c' } } },
  },
  {
    name: 'lease',
    at: inGroup('coordination.k8s.io/v1', 'leases'),
    object: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2020-01-02T03:04:05.678901Z' },
    },
    change: { spec: { leaseTransitions: 1 } },
  },
  {
    name: 'endpointslice',
    at: inGroup('discovery.k8s.io/v1', 'endpointslices'),
    object: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      addressType: 'IPv4',
      endpoints: [{ addresses: ['192.0.2.10'], conditions: { ready: true } }],
      ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    },
    change: { metadata: { labels: { b: 'c' } } },
  },
  {
    name: 'networkpolicy',
    at: inGroup('networking.k8s.io/v1', 'networkpolicies'),
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      spec: { podSelector: SELECTOR, ingress: [{ ports: [{ port: 80 }], from: [{ podSelector: {} }] }] },
    },
    change: { spec: { ingress: [] } },
  },
  {
    name: 'ingress',
    at: inGroup('networking.k8s.io/v1', 'ingresses'),
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      spec: {
        rules: [
          {
            host: 'crud.example.com',
            http: {
              paths: [
                {
                  path: '/',
                  pathType: 'Prefix',
                  backend: { service: { name: 'web', port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
    },
    change: { spec: { ingressClassName: 'none' } },
  },
  {
    name: 'role',
    at: inGroup('rbac.authorization.k8s.io/v1', 'roles'),
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      rules: [{ apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] }],
    },
    change: { rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['*'] }] },
  },
  {
    name: 'rolebinding',
    at: inGroup('rbac.authorization.k8s.io/v1', 'rolebindings'),
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'crud-none' },
      subjects: [
        { kind: 'ServiceAccount', name: 'default', namespace: '{ns}' },
        { kind: 'User', name: 'jane' },
        { kind: 'Group', name: 'devs', apiGroup: 'rbac.authorization.k8s.io' },
      ],
    },
    change: { subjects: null },
  },
  {
    name: 'horizontalpodautoscaler',
    at: inGroup('autoscaling/v1', 'horizontalpodautoscalers'),
    object: {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        maxReplicas: 5,
        targetCPUUtilizationPercentage: 50,
      },
    },
    change: { spec: { maxReplicas: 6 } },
  },
];

export const CLUSTER_SAMPLES: readonly Sample[] = [
  {
    name: 'node',
    at: '/api/v1/nodes',
    object: { apiVersion: 'v1', kind: 'Node', spec: { podCIDR: '10.250.0.0/24', providerID: 'conf://1' } },
    change: { spec: { unschedulable: true } },
  },
  {
    name: 'persistentvolume',
    at: '/api/v1/persistentvolumes',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/data' },
        storageClassName: 'none',
      },
    },
    change: { spec: { persistentVolumeReclaimPolicy: 'Delete' } },
  },
  {
    name: 'clusterrole',
    at: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
    },
    change: { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get'] }] },
  },
  {
    name: 'clusterrolebinding',
    at: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: '{ns}' }],
    },
    change: { subjects: [] },
  },
  {
    name: 'priorityclass',
    at: '/apis/scheduling.k8s.io/v1/priorityclasses',
    object: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', value: 1000, description: 'crud' },
    change: { description: 'changed' },
  },
  {
    name: 'storageclass',
    at: '/apis/storage.k8s.io/v1/storageclasses',
    object: { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', provisioner: 'example.com/none' },
    change: { allowVolumeExpansion: true },
  },
  {
    name: 'ingressclass',
    at: '/apis/networking.k8s.io/v1/ingressclasses',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      spec: { controller: 'example.com/none' },
    },
    change: ANNOTATE,
  },
];
