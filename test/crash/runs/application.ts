import { chaosAccount } from '../../support/manifests.ts';
import { APP_PORT, FAMILIES } from './families.ts';

/** Nodes of a world. */
export const NODE_COUNT = 3;
/** Pods of an application. */
export const REPLICAS = 2;
/** Word in the command line of an application's process. */
export const APP_WORD = 'crash-app';

/** Name of the application that the engine at this place of a batch hits, and value of its label `app`. */
export function applicationName(place: number): string {
  return `app-${place}`;
}

/** Everything that engines need: rights, experiments, applications of two pods each. */
export function manifests(applications: number): string {
  const faults = Object.values(FAMILIES).flatMap((family) => family.map(({ name }) => name));
  return [
    chaosAccount(),
    RIGHTS,
    ...faults.map(experiment),
    ...Array.from({ length: applications }, (_, place) => application(applicationName(place))),
  ].join('---');
}

/** A server for faults of HTTP; two of them by name of node, so that every engine has two helpers. */
function application(name: string): string {
  const server = `require('http').createServer((request, response) => response.end('hello')).listen(${APP_PORT}) // ${APP_WORD}`;
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, labels: { app: ${name} } }
spec:
  replicas: ${REPLICAS}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: app
          image: node
          command: [node, -e, "${server}"]
`;
}

function experiment(name: string): string {
  return `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosExperiment
metadata: { name: ${name} }
spec:
  definition:
    scope: Namespaced
    image: crash/chaos
    imagePullPolicy: IfNotPresent
    args: [experiment, -name, ${name}]
    labels: { name: ${name} }
`;
}

/** Beyond what charts ask for: marks, policies, nodes, replicas. */
const RIGHTS = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: crash }
rules:
  - { apiGroups: [''], resources: [configmaps], verbs: [create, delete] }
  - { apiGroups: [''], resources: [nodes], verbs: [get, list, patch, update] }
  - { apiGroups: [''], resources: [pods, namespaces], verbs: [get, list] }
  - { apiGroups: [''], resources: [pods/eviction], verbs: [create] }
  - { apiGroups: [networking.k8s.io], resources: [networkpolicies], verbs: [create, delete, get, list] }
  - { apiGroups: [apps], resources: [deployments, statefulsets, deployments/scale, statefulsets/scale], verbs: [get, list, patch, update] }
  - { apiGroups: [apps], resources: [daemonsets, replicasets], verbs: [get, list] }
  - { apiGroups: [policy], resources: [poddisruptionbudgets], verbs: [get, list] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: crash }
subjects: [{ kind: ServiceAccount, name: chaos-sa, namespace: default }]
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: crash }
`;
