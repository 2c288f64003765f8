/**
 * What the roles of components allow that may run beside this cluster's own parts: schedulers, provisioners of volumes, proxies, monitors. Manifests bind
 * their accounts to them. Of kinds that are served. Source: kubernetes.io, RBAC, Core component roles and Other component roles.
 */
import type { Json } from '../object.ts';

export const READ = ['get', 'list', 'watch'];
export const EVENT_GROUPS = ['', 'events.k8s.io'];

export function rule(
  verbs: readonly string[],
  apiGroups: readonly string[],
  resources: readonly string[],
  resourceNames: readonly string[] = [],
): Json {
  const names = resourceNames.length > 0 && { resourceNames: [...resourceNames] };
  return { verbs: [...verbs], apiGroups: [...apiGroups], resources: [...resources], ...names };
}

const CHANGE = ['patch', 'update'];
const CREATE = ['create'];
const EVENTS = rule(['create', 'patch', 'update'], EVENT_GROUPS, ['events']);
const DELEGATION = [
  rule(CREATE, ['authentication.k8s.io'], ['tokenreviews']),
  rule(CREATE, ['authorization.k8s.io'], ['subjectaccessreviews']),
];
const REQUESTS = 'certificatesigningrequests';
const CERTIFICATES = ['certificates.k8s.io'];
const STORAGE = ['storage.k8s.io'];

function leader(name: string): Json[] {
  const group = ['coordination.k8s.io'];
  return [rule(CREATE, group, ['leases']), rule(['get', 'update'], group, ['leases'], [name])];
}

/** Who may approve what a signer signs. */
function approver(signer: string): readonly [string, readonly Json[]] {
  const name = `system:certificates.k8s.io:${signer}-approver`;
  return [name, [rule(['approve'], CERTIFICATES, ['signers'], [`kubernetes.io/${signer}`])]];
}

export const READER_OF_AUTHENTICATION = rule(
  READ,
  [''],
  ['configmaps'],
  ['extension-apiserver-authentication'],
);

export const COMPONENT_RULES: readonly (readonly [name: string, rules: readonly Json[]])[] = [
  [
    'system:kube-controller-manager',
    [
      EVENTS,
      ...leader('kube-controller-manager'),
      rule(CREATE, [''], ['secrets', 'serviceaccounts']),
      rule(['delete'], [''], ['secrets']),
      rule(['get'], [''], ['configmaps', 'namespaces', 'secrets', 'serviceaccounts']),
      rule(['update'], [''], ['secrets', 'serviceaccounts']),
      ...DELEGATION,
      rule(['list', 'watch'], ['*'], ['*']),
      rule(CREATE, [''], ['serviceaccounts/token']),
    ],
  ],
  ['system:kube-dns', [rule(['list', 'watch'], [''], ['endpoints', 'services'])]],
  [
    'system:kube-scheduler',
    [
      EVENTS,
      ...leader('kube-scheduler'),
      rule(READ, [''], ['nodes']),
      rule(['delete', ...READ], [''], ['pods']),
      rule(CREATE, [''], ['bindings', 'pods/binding']),
      rule(CHANGE, [''], ['pods/status']),
      rule(READ, [''], ['replicationcontrollers', 'services']),
      rule(READ, ['apps', 'extensions'], ['replicasets']),
      rule(READ, ['apps'], ['statefulsets']),
      rule(READ, ['policy'], ['poddisruptionbudgets']),
      rule(READ, [''], ['persistentvolumeclaims', 'persistentvolumes']),
      ...DELEGATION,
      rule(READ, STORAGE, ['csinodes']),
      rule(READ, [''], ['namespaces']),
      rule(READ, STORAGE, ['csidrivers']),
      rule(READ, STORAGE, ['csistoragecapacities']),
      rule(READ, ['resource.k8s.io'], ['deviceclasses', 'resourceclaims', 'resourceslices']),
      rule(CHANGE, ['resource.k8s.io'], ['resourceclaims', 'resourceclaims/status']),
      rule(READ, STORAGE, ['volumeattachments']),
    ],
  ],
  [
    'system:kubelet-api-admin',
    [
      rule(READ, [''], ['nodes']),
      rule(['proxy'], [''], ['nodes']),
      rule(['*'], [''], ['nodes/log', 'nodes/metrics', 'nodes/proxy', 'nodes/stats']),
    ],
  ],
  ['system:node-bootstrapper', [rule([...CREATE, ...READ], CERTIFICATES, [REQUESTS])]],
  [
    'system:node-problem-detector',
    [rule(['get'], [''], ['nodes']), rule(['patch'], [''], ['nodes/status']), EVENTS],
  ],
  [
    'system:node-proxier',
    [
      rule(['list', 'watch'], [''], ['endpoints', 'services']),
      rule(READ, [''], ['nodes']),
      EVENTS,
      rule(['list', 'watch'], ['networking.k8s.io'], ['servicecidrs']),
      rule(['list', 'watch'], ['discovery.k8s.io'], ['endpointslices']),
    ],
  ],
  [
    'system:persistent-volume-provisioner',
    [
      rule([...CREATE, 'delete', ...READ], [''], ['persistentvolumes']),
      rule([...READ, 'update'], [''], ['persistentvolumeclaims']),
      rule(READ, STORAGE, ['storageclasses']),
      rule(['watch'], [''], ['events']),
      EVENTS,
    ],
  ],
  [
    'system:volume-scheduler',
    [
      rule([...CHANGE, ...READ], [''], ['persistentvolumes']),
      rule(READ, STORAGE, ['storageclasses']),
      rule([...CHANGE, ...READ], [''], ['persistentvolumeclaims']),
    ],
  ],
  ['system:kube-aggregator', [rule(READ, [''], ['endpoints', 'services'])]],
  [
    'system:heapster',
    [
      rule(READ, [''], ['events', 'namespaces', 'nodes', 'pods']),
      rule(READ, ['extensions'], ['deployments']),
    ],
  ],
  [
    `system:certificates.k8s.io:${REQUESTS}:nodeclient`,
    [rule(CREATE, CERTIFICATES, [`${REQUESTS}/nodeclient`])],
  ],
  [
    `system:certificates.k8s.io:${REQUESTS}:selfnodeclient`,
    [rule(CREATE, CERTIFICATES, [`${REQUESTS}/selfnodeclient`])],
  ],
  approver('kube-apiserver-client'),
  approver('kube-apiserver-client-kubelet'),
  approver('kubelet-serving'),
  approver('legacy-unknown'),
];
