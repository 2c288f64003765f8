import { chaosAccount } from '../../support/manifests.ts';
import { APP_PORT, FAMILIES, type Family } from './families.ts';
import { peers } from './peers.ts';

/** Nodes of a world. */
export const NODE_COUNT = 3;
/** Pods of an application. */
export const REPLICAS = 2;

/** Name of the application that the engine at this place of a batch hits, and value of its label `app`. */
export function applicationName(place: number): string {
  return `app-${place}`;
}

/**
 * Everything that engines need: rights, experiments, applications of two pods each.
 *
 * @param family of which all engines are; without it, those of some faults have no peers
 */
export function manifests(applications: number, family?: Family): string {
  const faults = new Set(Object.values(FAMILIES).flatMap((choices) => choices.map(({ name }) => name)));
  const names = Array.from({ length: applications }, (_, place) => applicationName(place));
  return [
    chaosAccount(),
    RIGHTS,
    scripts(names),
    ...[...faults].map(experiment),
    ...names.map(application),
    ...(family === 'application' ? names.flatMap(peers) : []),
  ].join('---');
}

/** A server with a Chaos Monkey; two of them by name of node, so that every engine has two helpers. */
function application(name: string): string {
  return `
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ port: ${APP_PORT} }] }
---
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
          image: crash/app
          env: [{ name: PORT, value: '${APP_PORT}' }]
          ports: [{ containerPort: ${APP_PORT} }]
`;
}

/** Of k6: one for each application. */
function scripts(names: readonly string[]): string {
  const script = (name: string): string =>
    `import http from 'k6/http'; export default () => http.get('http://${name}:${APP_PORT}/call');`;
  const data = names.map((name) => [`${name}.js`, Buffer.from(script(name)).toString('base64')]);
  return `
apiVersion: v1
kind: Secret
metadata: { name: k6-script }
data: ${JSON.stringify(Object.fromEntries(data))}
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

/** Beyond what charts ask for: marks, policies, nodes, replicas, clients. */
const RIGHTS = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: crash }
rules:
  - { apiGroups: [''], resources: [configmaps], verbs: [create, delete] }
  - { apiGroups: [''], resources: [nodes], verbs: [get, list, patch, update] }
  - { apiGroups: [''], resources: [pods, namespaces], verbs: [get, list] }
  - { apiGroups: [''], resources: [pods/eviction], verbs: [create] }
  - { apiGroups: [''], resources: [services], verbs: [create, delete, get] }
  - { apiGroups: [apps], resources: [deployments], verbs: [create, delete] }
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
