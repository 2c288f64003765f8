/** Manifests for end-to-end tests, as text: what a user would write, with only the interesting parts open. */

/** A deployment of the sample service and its Service. */
export function webApp(replicas = 3): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 2
      containers:
        - name: web
          image: turnsole/sample-web
          env: [{ name: DRAIN_MS, value: '100' }]
          ports: [{ name: http, containerPort: 8080 }]
          readinessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 1 }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec:
  selector: { app: web }
  ports: [{ port: 8080, targetPort: http }]
`;
}

/** The permissions that upstream's charts ask for, as a service account `chaos-sa`. */
export function chaosAccount(rules: string = CHART_RULES): string {
  return `
apiVersion: v1
kind: ServiceAccount
metadata: { name: chaos-sa }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: chaos-sa }
rules:
${rules}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: chaos-sa }
subjects: [{ kind: ServiceAccount, name: chaos-sa, namespace: default }]
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: chaos-sa }
`;
}

/** As in the charts: no watch verb anywhere but on logs. */
export const CHART_RULES = `
  - { apiGroups: [''], resources: [pods], verbs: [create, delete, get, list, patch, update, deletecollection] }
  - { apiGroups: [''], resources: [events], verbs: [create, get, list, patch, update] }
  - { apiGroups: [''], resources: [configmaps], verbs: [get, list] }
  - { apiGroups: [''], resources: [pods/log], verbs: [get, list, watch] }
  - { apiGroups: [''], resources: [pods/exec], verbs: [get, list, create] }
  - { apiGroups: [apps], resources: [deployments, statefulsets, replicasets, daemonsets], verbs: [list, get] }
  - { apiGroups: [batch], resources: [jobs], verbs: [create, list, get, delete, deletecollection] }
  - { apiGroups: [litmuschaos.io], resources: [chaosengines, chaosexperiments, chaosresults], verbs: [create, list, get, patch, update, delete] }
`;

/** A ChaosExperiment in the form of the charts. */
export function experiment(name: string): string {
  return `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosExperiment
metadata: { name: ${name} }
spec:
  definition:
    scope: Namespaced
    image: litmuschaos/go-runner:latest
    imagePullPolicy: Always
    command: [/bin/bash]
    args: [-c, ./experiments -name ${name}]
    env:
      - { name: TOTAL_CHAOS_DURATION, value: '15' }
      - { name: CHAOS_INTERVAL, value: '5' }
      - { name: DEFAULT_HEALTH_CHECK, value: 'false' }
    labels: { name: ${name}, app.kubernetes.io/part-of: litmus, app.kubernetes.io/component: experiment-job }
`;
}

/** The options of an engine. */
export interface EngineOptions {
  readonly name?: string;
  readonly label?: string;
  readonly account?: string;
  /** Experiments in order, each with its environment and probes (YAML flow text). */
  readonly experiments?: readonly {
    readonly name: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly probes?: string;
  }[];
}

/** A ChaosEngine against the sample service; one short round of pod-delete unless said otherwise. */
export function engine(options: EngineOptions = {}): string {
  const experiments = options.experiments ?? [{ name: 'pod-delete' }];
  return `
apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata: { name: ${options.name ?? 'web-chaos'} }
spec:
  engineState: active
  chaosServiceAccount: ${options.account ?? 'chaos-sa'}
  appinfo: { appns: default, applabel: '${options.label ?? 'app=web'}', appkind: deployment }
  experiments:
${experiments.map(experimentEntry).join('')}`;
}

const SHORT_CHAOS = { TOTAL_CHAOS_DURATION: '1', CHAOS_INTERVAL: '1', FORCE: 'true' };

function experimentEntry({ name, env, probes }: NonNullable<EngineOptions['experiments']>[number]): string {
  const entries = Object.entries({ ...SHORT_CHAOS, ...env });
  return `    - name: ${name}
      spec:
        components:
          env: [${entries.map(([key, value]) => `{ name: ${key}, value: '${value}' }`).join(', ')}]
${probes === undefined ? '' : `        probe: ${probes}\n`}`;
}

/** An httpProbe on the sample service that expects a status code. */
export function webProbe(mode: string, responseCode = '200'): string {
  return `[{ name: web, type: httpProbe, mode: ${mode},
          httpProbe/inputs: { url: 'http://web.default.svc:8080/', method: { get: { criteria: '==', responseCode: '${responseCode}' } } },
          runProperties: { probeTimeout: 60s, interval: 100ms, attempt: 3, probePollingInterval: 200ms } }]`;
}

/** Documents as one file's text. */
export function documents(...texts: readonly string[]): string {
  return texts.join('\n---\n');
}
