/** What is refused of a manifest, in which words, and what is only warned of. */
import type { Theme } from '../harness/conversation.ts';

/** A pod with this specification, given to the server. */
function pod(name: string, spec: string): { name: string; steps: string[] } {
  return {
    name,
    steps: [
      `kubectl create --dry-run=server -o name -f - <<E\napiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec: ${spec}\nE`,
    ],
  };
}
function of(name: string, apiVersion: string, kind: string, rest: string): { name: string; steps: string[] } {
  return {
    name,
    steps: [
      `kubectl create --dry-run=server -o name -f - <<E\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: x }\n${rest}\nE`,
    ],
  };
}
const template = '{ metadata: { labels: { a: b } }, spec: { containers: [{ name: c, image: i }] } }';

export const VALIDATING: Theme = {
  theme: 'validating',
  conversations: [
    pod('pod-without-containers', '{}'),
    pod('pod-without-image', '{ containers: [{ name: c }] }'),
    pod(
      'pod-names',
      '{ containers: [{ name: C_d, image: i }, { name: c, image: i }, { name: c, image: i }] }',
    ),
    pod(
      'pod-ports',
      '{ containers: [{ name: c, image: i, ports: [{ containerPort: 0 }, { containerPort: 70000, name: way-too-long-name }, { containerPort: 80, protocol: FOO }] }] }',
    ),
    pod(
      'pod-env',
      '{ containers: [{ name: c, image: i, env: [{ name: "" }, { name: A, value: x, valueFrom: { fieldRef: { fieldPath: spec.nothing } } }, { name: B, valueFrom: {} }] }] }',
    ),
    pod(
      'pod-resources',
      '{ containers: [{ name: c, image: i, resources: { requests: { cpu: 2, memory: -1 }, limits: { cpu: 1, foo: 1 } } }] }',
    ),
    pod(
      'pod-volumes',
      '{ containers: [{ name: c, image: i, volumeMounts: [{ name: none, mountPath: /x }, { name: v, mountPath: /y }, { name: v, mountPath: /y }] }], volumes: [{ name: v }, { name: v, emptyDir: {}, hostPath: { path: /x } }] }',
    ),
    pod(
      'pod-probes',
      '{ containers: [{ name: c, image: i, livenessProbe: { periodSeconds: -1 }, readinessProbe: { exec: { command: [] }, httpGet: { port: 0 } }, startupProbe: { tcpSocket: { port: x }, successThreshold: 2 } }] }',
    ),
    pod(
      'pod-restart-policy',
      '{ restartPolicy: Sometimes, dnsPolicy: None, terminationGracePeriodSeconds: -1, activeDeadlineSeconds: 0, containers: [{ name: c, image: i, imagePullPolicy: Later }] }',
    ),
    pod(
      'pod-security-context',
      '{ securityContext: { runAsUser: -1, sysctls: [{ name: "a b", value: "" }] }, containers: [{ name: c, image: i, securityContext: { privileged: true, allowPrivilegeEscalation: false, capabilities: { add: [ALL] } } }] }',
    ),
    pod(
      'pod-affinity',
      '{ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: a, operator: In }, { key: "a b", operator: Foo }] }] } } }, containers: [{ name: c, image: i }] }',
    ),
    pod(
      'pod-tolerations',
      '{ tolerations: [{ operator: Exists, value: x }, { key: a, operator: Foo }, { key: a, effect: Bar }, { key: b, tolerationSeconds: 3 }], containers: [{ name: c, image: i }] }',
    ),
    pod(
      'pod-spread',
      '{ topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "", whenUnsatisfiable: Maybe }], containers: [{ name: c, image: i }] }',
    ),
    pod(
      'pod-host',
      '{ hostNetwork: true, hostPID: true, shareProcessNamespace: true, hostAliases: [{ ip: x }], hostname: A_b, containers: [{ name: c, image: i, ports: [{ containerPort: 80, hostPort: 81 }] }] }',
    ),
    pod(
      'pod-lifecycle',
      '{ containers: [{ name: c, image: i, lifecycle: { preStop: {}, postStart: { exec: { command: [] } } } }] }',
    ),
    pod(
      'pod-init-containers',
      '{ initContainers: [{ name: c, image: i, livenessProbe: { exec: { command: [x] } } }, { name: d, image: i, restartPolicy: Never }], containers: [{ name: c, image: i }] }',
    ),
    pod(
      'pod-ephemeral',
      '{ ephemeralContainers: [{ name: e, image: i }], containers: [{ name: c, image: i }] }',
    ),
    pod(
      'pod-gates',
      '{ schedulingGates: [{ name: "a b" }, { name: x }, { name: x }], nodeName: n, containers: [{ name: c, image: i }] }',
    ),
    pod('pod-priority', '{ priorityClassName: none, containers: [{ name: c, image: i }] }'),
    pod('pod-priority-value', '{ priority: 7, containers: [{ name: c, image: i }] }'),
    pod('pod-service-account', '{ serviceAccountName: nobody, containers: [{ name: c, image: i }] }'),
    pod(
      'pod-duplicate-env-warning',
      '{ containers: [{ name: c, image: i, env: [{ name: A, value: one }, { name: A, value: two }] }] }',
    ),
    pod('pod-unknown-fields', '{ nothing: 1, containers: [{ name: c, image: i, tty: "yes" }] }'),
    pod(
      'pod-warnings',
      '{ nodeSelector: { beta.kubernetes.io/os: linux }, containers: [{ name: c, image: i, resources: { requests: { memory: 100m } }, volumeMounts: [{ name: v, mountPath: /v/ }] }], volumes: [{ name: v, hostPath: { path: /a/b } }] }',
    ),
    pod(
      'pod-image-volume',
      '{ volumes: [{ name: v, image: { reference: "", pullPolicy: Foo } }], containers: [{ name: c, image: i, volumeMounts: [{ name: v, mountPath: /v, subPath: ../x }] }] }',
    ),
    pod(
      'pod-restart-rules',
      '{ containers: [{ name: c, image: i, restartPolicy: Sometimes, restartPolicyRules: [{ action: Restart, exitCodes: { operator: In, values: [] } }] }] }',
    ),
    pod(
      'pod-host-users',
      '{ hostUsers: false, hostNetwork: true, os: { name: beos }, containers: [{ name: c, image: i }] }',
    ),
    of('deploy-empty', 'apps/v1', 'Deployment', 'spec: {}'),
    of(
      'deploy-selector',
      'apps/v1',
      'Deployment',
      `spec: { selector: { matchLabels: { a: c } }, template: ${template} }`,
    ),
    of('deploy-selector-empty', 'apps/v1', 'Deployment', `spec: { selector: {}, template: ${template} }`),
    of(
      'deploy-strategy',
      'apps/v1',
      'Deployment',
      `spec: { replicas: -1, strategy: { type: Recreate, rollingUpdate: { maxSurge: 0 } }, minReadySeconds: -1, progressDeadlineSeconds: 0, selector: { matchLabels: { a: b } }, template: ${template} }`,
    ),
    of(
      'deploy-surge',
      'apps/v1',
      'Deployment',
      `spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0% } }, selector: { matchLabels: { a: b } }, template: ${template} }`,
    ),
    of(
      'statefulset-wrong',
      'apps/v1',
      'StatefulSet',
      `spec: { podManagementPolicy: X, updateStrategy: { type: Y }, selector: { matchLabels: { a: b } }, template: ${template} }`,
    ),
    of('job-restart-policy', 'batch/v1', 'Job', `spec: { template: ${template} }`),
    of(
      'job-fields',
      'batch/v1',
      'Job',
      'spec: { parallelism: -1, completions: -1, backoffLimit: -1, completionMode: Foo, backoffLimitPerIndex: 1, template: { spec: { restartPolicy: Never, containers: [{ name: c, image: i }] } } }',
    ),
    of(
      'job-failure-policy',
      'batch/v1',
      'Job',
      'spec: { podFailurePolicy: { rules: [{ action: Foo }, { action: FailJob, onExitCodes: { operator: In, values: [0, 3, 2] } }, { action: FailIndex, onPodConditions: [{ type: X }] }] }, template: { spec: { restartPolicy: Never, containers: [{ name: c, image: i }] } } }',
    ),
    of(
      'job-success-policy',
      'batch/v1',
      'Job',
      'spec: { successPolicy: { rules: [{ succeededIndexes: "0-x" }, {}] }, template: { spec: { restartPolicy: Never, containers: [{ name: c, image: i }] } } }',
    ),
    of(
      'cronjob-schedule',
      'batch/v1',
      'CronJob',
      'spec: { schedule: "x y", timeZone: Mars/Base, concurrencyPolicy: Z, jobTemplate: { spec: { template: { spec: { restartPolicy: Always, containers: [{ name: c, image: i }] } } } } }',
    ),
    of(
      'service-wrong',
      'v1',
      'Service',
      'spec: { type: Foo, ports: [{ port: 0 }, { port: 80, targetPort: "A_b" }], sessionAffinity: Bar, clusterIP: 1.2.3 }',
    ),
    of(
      'service-ports',
      'v1',
      'Service',
      'spec: { ports: [{ port: 80, name: a }, { port: 80, name: a }, { port: 81 }] }',
    ),
    of('service-without-ports', 'v1', 'Service', 'spec: { selector: { a: b } }'),
    of(
      'service-external-name',
      'v1',
      'Service',
      'spec: { type: ExternalName, externalName: "a b", externalTrafficPolicy: Local }',
    ),
    of(
      'service-traffic-warning',
      'v1',
      'Service',
      'spec: { ports: [{ port: 80 }], trafficDistribution: PreferClose }',
    ),
    of(
      'service-external-ips',
      'v1',
      'Service',
      'spec: { ports: [{ port: 80 }], externalIPs: [192.0.2.010, x] }',
    ),
    of(
      'endpoints-warning',
      'v1',
      'Endpoints',
      'subsets: [{ addresses: [{ ip: 192.0.2.5 }], ports: [{ port: 80 }] }]',
    ),
    of('componentstatus', 'v1', 'ComponentStatus', ''),
    of('configmap-wrong', 'v1', 'ConfigMap', 'data: { "a b": x, c: y }\nbinaryData: { c: eA== }'),
    of('configmap-unknown', 'v1', 'ConfigMap', 'data: { a: b }\nmore: { a: b }\nDATA: { c: d }'),
    of('configmap-duplicate', 'v1', 'ConfigMap', 'data: { a: b, a: c }'),
    of(
      'ingress-wrong',
      'networking.k8s.io/v1',
      'Ingress',
      'spec: { rules: [{ host: "A b", http: { paths: [{ path: x, backend: { service: { name: "", port: {} } } }] } }] }',
    ),
    of(
      'netpol-wrong',
      'networking.k8s.io/v1',
      'NetworkPolicy',
      'spec: { podSelector: {}, policyTypes: [Foo], ingress: [{ from: [{}, { ipBlock: { cidr: 1.2.3.4/99 }, podSelector: {} }], ports: [{ port: 99999, protocol: X }] }] }',
    ),
    of(
      'pdb-wrong',
      'policy/v1',
      'PodDisruptionBudget',
      'spec: { minAvailable: 1, maxUnavailable: 200%, unhealthyPodEvictionPolicy: X }',
    ),
    of(
      'hpa-wrong',
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      'spec: { maxReplicas: 0, minReplicas: 3, scaleTargetRef: { kind: "", name: x }, metrics: [{ type: Foo }] }',
    ),
    of(
      'role-wrong',
      'rbac.authorization.k8s.io/v1',
      'Role',
      'rules: [{ verbs: [get] }, { apiGroups: [""], resources: [pods], verbs: [], nonResourceURLs: [/x] }]',
    ),
    of(
      'rolebinding-wrong',
      'rbac.authorization.k8s.io/v1',
      'RoleBinding',
      'roleRef: { kind: Foo, name: "" }\nsubjects: [{ kind: Bar, name: x }, { kind: ServiceAccount, name: y }]',
    ),
    of(
      'quota-wrong',
      'v1',
      'ResourceQuota',
      'spec: { hard: { "a b": 1, pods: -1, cpu: 1.5x }, scopes: [Foo, BestEffort, NotBestEffort] }',
    ),
    of(
      'limits-wrong',
      'v1',
      'LimitRange',
      'spec: { limits: [{ type: Container, max: { cpu: 1 }, min: { cpu: 2 }, default: { cpu: 3 } }, { type: Pod, default: { cpu: 1 } }] }',
    ),
    of(
      'lease-wrong',
      'coordination.k8s.io/v1',
      'Lease',
      'spec: { leaseDurationSeconds: 0, leaseTransitions: -1 }',
    ),
    of(
      'pvc-wrong',
      'v1',
      'PersistentVolumeClaim',
      'spec: { accessModes: [Foo], resources: { requests: { storage: -1 } } }',
    ),
    of(
      'priorityclass-wrong',
      'scheduling.k8s.io/v1',
      'PriorityClass',
      'value: 2000000000\npreemptionPolicy: Foo',
    ),
    of('runtimeclass-wrong', 'node.k8s.io/v1', 'RuntimeClass', 'handler: A_b'),
    of(
      'endpointslice-wrong',
      'discovery.k8s.io/v1',
      'EndpointSlice',
      'addressType: Foo\nendpoints: [{ addresses: [] }, { addresses: [x] }]\nports: [{ name: A_b, protocol: X }]',
    ),
    {
      name: 'validate-modes',
      steps: [
        'kubectl create --validate=strict -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\nmore: 1\nE',
        'kubectl create --validate=warn -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\nmore: 1\nE',
        'kubectl create --validate=ignore -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: y }\nmore: 1\nE',
        'kubectl create --validate=maybe -f cm.yaml',
      ],
    },
    {
      name: 'validate-metadata',
      steps: [
        "kubectl create -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: A_b, labels: { 'a b': c }, annotations: { 'a b': c }, finalizers: [x] }\nE",
        'kubectl create -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: {}\nE',
        'kubectl create -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: x, resourceVersion: "1" }\nE',
        'kubectl create -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: x, namespace: other }\nE',
        'kubectl create -f - <<E\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: x, labels: { a: 1 } }\nE',
      ],
    },
    {
      name: 'validate-several',
      steps: [
        'kubectl create -f - <<E\napiVersion: v1\nkind: Service\nmetadata: { name: 1x }\nspec: {}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: fine }\n---\napiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: { name: old }\nE',
      ],
    },
  ],
};
