/** Pods and what makes them: defaults and validation of the parts that chaos and its tools touch. */
import type { Theme } from '../harness/scenario.ts';
import { apis, awaiting, core, get, patch, pod, post, remove, setup } from '../harness/steps.ts';

const PODS = core('pods');
const JOBS = apis('batch/v1', 'jobs');
const DEPLOYMENTS = apis('apps/v1', 'deployments');
const SERVICES = core('services');

function spec(extra: object, container: object = {}): object {
  return pod('p', { spec: { ...extra, containers: [{ name: 'c', image: 'i', ...container }] } });
}

function service(extra: object): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { ports: [{ port: 80 }], ...extra },
  };
}

const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

function deployment(extra: object, metadata: object = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd', ...metadata },
    spec: { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE, ...extra },
  };
}

function job(extra: object, podSpec: object = {}): object {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j' },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }], ...podSpec } },
      ...extra,
    },
  };
}

/** The texts hold values in Go's own format, or are others in later versions. */
const REWORDED = { ignore: ['/body/message', '/body/details/causes/*/message'] };

export const PODS_THEME: Theme = {
  theme: 'pods',
  scenarios: [
    {
      name: 'pod-defaults',
      steps: [
        post(
          PODS,
          pod('p', {
            spec: {
              initContainers: [{ name: 'first', image: 'example.com/init:latest' }],
              containers: [
                {
                  name: 'c',
                  image: 'example.com/app',
                  ports: [{ containerPort: 80 }],
                  livenessProbe: { httpGet: { port: 80 } },
                  readinessProbe: { exec: { command: ['true'] }, periodSeconds: 3 },
                  startupProbe: { tcpSocket: { port: 'x' } },
                  lifecycle: { preStop: { httpGet: { port: 80 } } },
                  env: [{ name: 'N', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
                  resources: { limits: { cpu: '500m', memory: '1Gi' } },
                },
              ],
              volumes: [
                { name: 'a', emptyDir: {} },
                { name: 'b', configMap: { name: 'x' } },
                { name: 'c', secret: { secretName: 'x' } },
                {
                  name: 'd',
                  projected: {
                    sources: [
                      { downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.name' } }] } },
                    ],
                  },
                },
                { name: 'e', hostPath: { path: '/x' } },
                {
                  name: 'f',
                  downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.labels' } }] },
                },
              ],
            },
          }),
        ),
      ],
    },
    {
      name: 'pod-quality-of-service',
      steps: [
        post(`${PODS}?dryRun=All`, spec({})),
        post(`${PODS}?dryRun=All`, spec({}, { resources: { requests: { cpu: '1' } } })),
        post(`${PODS}?dryRun=All`, spec({}, { resources: { limits: { cpu: '1', memory: '1Gi' } } })),
        post(
          `${PODS}?dryRun=All`,
          spec(
            {},
            { resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '2Gi' } } },
          ),
        ),
      ],
    },
    {
      name: 'pod-quantities',
      steps: [
        post(
          `${PODS}?dryRun=All`,
          spec(
            {},
            { resources: { limits: { cpu: 1, memory: '1024Mi' }, requests: { cpu: '0.5', memory: '1e6' } } },
          ),
        ),
        post(`${PODS}?dryRun=All`, spec({}, { resources: { limits: { cpu: 'lots' } } }), {
          ignore: ['/body/message'],
        }),
        post(`${PODS}?dryRun=All`, spec({}, { resources: { limits: { cpu: '-1' } } })),
        post(
          `${PODS}?dryRun=All`,
          spec({}, { resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } }),
          REWORDED,
        ),
        post(
          `${PODS}?dryRun=All`,
          spec({}, { resources: { limits: { 'example.com/gpu': '1.5' } } }),
          REWORDED,
        ),
        post(`${PODS}?dryRun=All`, spec({}, { resources: { requests: { nonsense: '1' } } })),
      ],
    },
    {
      name: 'pod-priority',
      steps: [
        setup(
          post('/apis/scheduling.k8s.io/v1/priorityclasses', {
            apiVersion: 'scheduling.k8s.io/v1',
            kind: 'PriorityClass',
            metadata: { name: 'c-pod-priority' },
            value: 77,
            preemptionPolicy: 'Never',
          }),
        ),
        post(`${PODS}?dryRun=All`, spec({ priorityClassName: 'c-pod-priority' })),
        post(`${PODS}?dryRun=All`, spec({ priorityClassName: 'c-none' })),
        post(`${PODS}?dryRun=All`, spec({ priority: 5 })),
      ],
    },
    {
      name: 'pod-host-namespaces',
      steps: [
        post(
          PODS,
          spec(
            { hostNetwork: true, hostPID: true, hostIPC: true },
            {
              securityContext: { privileged: true, capabilities: { add: ['NET_ADMIN'] }, runAsUser: 0 },
              ports: [{ containerPort: 80 }],
            },
          ),
        ),
      ],
    },
    {
      name: 'pod-containers-invalid',
      steps: [
        post(PODS, pod('p', { spec: { containers: [] } })),
        post(PODS, pod('p', { spec: { containers: [{ name: 'c' }] } })),
        post(PODS, pod('p', { spec: { containers: [{ image: 'i' }] } })),
        post(PODS, pod('p', { spec: { containers: [{ name: 'Bad_Name', image: 'i' }] } })),
        post(
          PODS,
          pod('p', {
            spec: {
              containers: [
                { name: 'c', image: 'i' },
                { name: 'c', image: 'i' },
              ],
            },
          }),
        ),
        post(
          PODS,
          pod('p', {
            spec: { containers: [{ name: 'c', image: 'i' }], initContainers: [{ name: 'c', image: 'i' }] },
          }),
        ),
        post(PODS, spec({}, { imagePullPolicy: 'Sometimes' })),
        post(PODS, spec({}, { image: ' i' })),
      ],
    },
    {
      name: 'pod-spec-invalid',
      steps: [
        post(PODS, spec({ restartPolicy: 'Maybe' })),
        post(PODS, spec({ dnsPolicy: 'Maybe' })),
        post(PODS, spec({ terminationGracePeriodSeconds: 'x' }), { ignore: ['/body/message'] }),
        post(PODS, spec({ activeDeadlineSeconds: 0 })),
        post(PODS, spec({ nodeSelector: { 'bad key': 'x' } })),
        post(PODS, spec({ nodeName: 'Bad_Node' })),
        post(PODS, spec({ hostname: 'Bad_Host' })),
        post(PODS, spec({ serviceAccountName: 'Bad_Name' })),
        post(PODS, spec({ tolerations: [{ operator: 'Equal' }] })),
        post(PODS, spec({ tolerations: [{ key: 'a', operator: 'Nonsense' }] })),
        post(PODS, spec({ tolerations: [{ key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 }] })),
        post(PODS, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p' },
          spec: { automountServiceAccountToken: false },
        }),
      ],
    },
    {
      name: 'pod-volumes-invalid',
      steps: [
        post(PODS, spec({}, { volumeMounts: [{ name: 'none', mountPath: '/x' }] })),
        post(
          PODS,
          spec(
            { volumes: [{ name: 'a', emptyDir: {} }] },
            {
              volumeMounts: [
                { name: 'a', mountPath: '/x' },
                { name: 'a', mountPath: '/x' },
              ],
            },
          ),
        ),
        post(
          PODS,
          spec({
            volumes: [
              { name: 'a', emptyDir: {} },
              { name: 'a', emptyDir: {} },
            ],
          }),
        ),
        post(PODS, spec({ volumes: [{ name: 'a', emptyDir: {}, hostPath: { path: '/x' } }] })),
        post(PODS, spec({ volumes: [{ name: 'a', hostPath: {} }] })),
        post(PODS, spec({ volumes: [{ name: 'a', secret: {} }] })),
        post(PODS, spec({ volumes: [{ name: 'a' }] })),
        post(
          PODS,
          spec({ volumes: [{ name: 'a', emptyDir: {} }] }, { volumeMounts: [{ name: 'a', mountPath: '' }] }),
        ),
        post(
          PODS,
          spec(
            { volumes: [{ name: 'a', emptyDir: {} }] },
            { volumeMounts: [{ name: 'a', mountPath: '/x', subPath: '../y' }] },
          ),
          // Later versions name the number of the mount.
          { ignore: ['/body/message', '/body/details/causes/*/field'] },
        ),
      ],
    },
    {
      name: 'pod-env-invalid',
      steps: [
        post(PODS, spec({}, { env: [{ name: '', value: 'x' }] })),
        post(
          PODS,
          spec(
            {},
            { env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
          ),
        ),
        post(
          PODS,
          spec({}, { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.nonsense' } } }] }),
        ),
        post(PODS, spec({}, { env: [{ name: 'A', valueFrom: {} }] })),
        post(PODS, spec({}, { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'x' } } }] })),
        post(PODS, spec({}, { env: [{ name: 'A', value: 1 }] }), { ignore: ['/body/message'] }),
        post(
          PODS,
          spec(
            {},
            {
              env: [
                { name: 'A', value: 'x' },
                { name: 'A', value: 'y' },
              ],
            },
          ),
        ),
      ],
    },
    {
      name: 'pod-ports-invalid',
      steps: [
        post(PODS, spec({}, { ports: [{ containerPort: 0 }] })),
        post(PODS, spec({}, { ports: [{ containerPort: 70_000 }] })),
        post(PODS, spec({}, { ports: [{ containerPort: 80, protocol: 'HTTP' }] })),
        post(PODS, spec({}, { ports: [{ containerPort: 80, name: 'Upper' }] })),
        post(
          PODS,
          spec(
            {},
            {
              ports: [
                { containerPort: 80, name: 'a' },
                { containerPort: 81, name: 'a' },
              ],
            },
          ),
        ),
        post(PODS, spec({ hostNetwork: true }, { ports: [{ containerPort: 80, hostPort: 81 }] })),
      ],
    },
    {
      name: 'pod-probes-invalid',
      steps: [
        post(PODS, spec({}, { livenessProbe: {} })),
        post(PODS, spec({}, { livenessProbe: { httpGet: { port: 80 }, tcpSocket: { port: 80 } } })),
        post(PODS, spec({}, { livenessProbe: { httpGet: { port: 0 } } })),
        post(PODS, spec({}, { livenessProbe: { exec: {} } })),
        post(PODS, spec({}, { livenessProbe: { tcpSocket: { port: 80 }, successThreshold: 2 } })),
        post(PODS, spec({}, { readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: -1 } })),
      ],
    },
    {
      name: 'pod-affinity-invalid',
      steps: [
        post(
          PODS,
          spec({
            affinity: {
              nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
            },
          }),
        ),
        post(
          PODS,
          spec({
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: {
                  nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Nonsense' }] }],
                },
              },
            },
          }),
        ),
        post(
          PODS,
          spec({
            affinity: {
              podAntiAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  { labelSelector: { matchLabels: { a: 'b' } } },
                ],
              },
            },
          }),
        ),
      ],
    },
    {
      name: 'pod-tolerations-are-added',
      steps: [
        post(
          PODS,
          spec({
            tolerations: [
              {
                key: 'node.kubernetes.io/not-ready',
                operator: 'Exists',
                effect: 'NoExecute',
                tolerationSeconds: 5,
              },
            ],
          }),
        ),
      ],
    },
    {
      name: 'pod-ephemeral-annotations',
      steps: [
        post(
          PODS,
          pod('p', {
            metadata: { annotations: { 'scheduler.alpha.kubernetes.io/x': 'y' } },
            spec: {
              schedulerName: 'mine',
              containers: [
                {
                  name: 'c',
                  image: 'i',
                  command: ['sh', '-c'],
                  args: ['$(A) $$'],
                  workingDir: '/x',
                  stdin: true,
                  tty: true,
                  terminationMessagePolicy: 'FallbackToLogsOnError',
                },
              ],
            },
          }),
        ),
      ],
    },
    {
      name: 'job-defaults',
      steps: [
        // Labels and selectors hold the uid under other names in later versions; jobs had no suspension.
        post(JOBS, job({ ttlSecondsAfterFinished: 5 }), {
          ignore: [
            '/body/spec/template/metadata',
            '/body/spec/selector',
            '/body/metadata/labels',
            '/body/metadata/annotations',
            '/body/metadata/generation',
          ],
        }),
        patch(
          'merge',
          `${JOBS}/j`,
          { spec: { parallelism: 3 } },
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
        patch('merge', `${JOBS}/j`, { spec: { backoffLimit: -1 } }),
      ],
    },
    {
      name: 'job-invalid',
      steps: [
        post(JOBS, job({}, { restartPolicy: 'Always' }), {
          ignore: ['/body/message', '/body/details/causes/*/message'],
        }),
        post(
          JOBS,
          job({
            parallelism: -1,
            completions: -2,
            backoffLimit: -3,
            activeDeadlineSeconds: -4,
            ttlSecondsAfterFinished: -5,
          }),
        ),
        post(JOBS, job({ selector: { matchLabels: { a: 'b' } } }), {
          ignore: ['/body/message', '/body/details/causes'],
        }),
        post(JOBS, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: {} }),
      ],
    },
    {
      name: 'job-template-is-immutable',
      steps: [
        setup(post(JOBS, job({}))),
        // The message holds a dump of the template.
        patch(
          'strategic',
          `${JOBS}/j`,
          { spec: { template: { spec: { containers: [{ name: 'c', image: 'other' }] } } } },
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
        patch('merge', `${JOBS}/j`, { spec: { completions: 5 } }),
      ],
    },
    {
      name: 'cronjob-invalid',
      steps: [
        post(
          apis('batch/v1', 'cronjobs'),
          {
            apiVersion: 'batch/v1',
            kind: 'CronJob',
            metadata: { name: 'c' },
            spec: {
              schedule: 'nonsense',
              jobTemplate: {
                spec: {
                  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
                },
              },
            },
          },
          REWORDED,
        ),
        post(apis('batch/v1', 'cronjobs'), {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'c' },
          spec: {
            schedule: '* * * * *',
            concurrencyPolicy: 'Maybe',
            jobTemplate: {
              spec: {
                template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
              },
            },
          },
        }),
        post(apis('batch/v1', 'cronjobs'), {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'n'.repeat(53) },
          spec: {
            schedule: '* * * * *',
            jobTemplate: {
              spec: {
                template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
              },
            },
          },
        }),
      ],
    },
    {
      name: 'deployment-invalid',
      steps: [
        post(DEPLOYMENTS, deployment({ selector: {} })),
        post(DEPLOYMENTS, deployment({ selector: { matchLabels: { a: 'other' } } })),
        post(DEPLOYMENTS, deployment({ replicas: -1 })),
        post(DEPLOYMENTS, deployment({ strategy: { type: 'Nonsense' } })),
        post(DEPLOYMENTS, deployment({ strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } })),
        post(
          DEPLOYMENTS,
          deployment({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
          REWORDED,
        ),
        post(
          DEPLOYMENTS,
          deployment({ strategy: { rollingUpdate: { maxSurge: '10', maxUnavailable: '120%' } } }),
          REWORDED,
        ),
        post(DEPLOYMENTS, deployment({ minReadySeconds: -1, revisionHistoryLimit: -1 })),
        post(DEPLOYMENTS, deployment({ progressDeadlineSeconds: 5, minReadySeconds: 10 })),
        post(DEPLOYMENTS, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } }),
      ],
    },
    {
      name: 'deployment-generation',
      steps: [
        post(DEPLOYMENTS, deployment({}, { generation: 9 })),
        patch('merge', `${DEPLOYMENTS}/d`, { metadata: { labels: { x: 'y' } } }),
        patch('merge', `${DEPLOYMENTS}/d`, { spec: { paused: true } }),
        patch('merge', `${DEPLOYMENTS}/d`, { spec: { paused: true } }),
        patch('merge', `${DEPLOYMENTS}/d`, {
          metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } },
        }),
        patch('merge', `${DEPLOYMENTS}/d/status`, { status: { observedGeneration: 2 } }),
        patch('merge', `${DEPLOYMENTS}/d`, { metadata: { generation: 50 } }),
      ],
    },
    {
      name: 'statefulset-immutable',
      steps: [
        setup(
          post(apis('apps/v1', 'statefulsets'), { ...deployment({ serviceName: 's' }), kind: 'StatefulSet' }),
        ),
        // Later versions name more fields that may be changed.
        patch(
          'merge',
          apis('apps/v1', 'statefulsets', 'd'),
          { spec: { serviceName: 'other' } },
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
        patch(
          'merge',
          apis('apps/v1', 'statefulsets', 'd'),
          { spec: { podManagementPolicy: 'Parallel' } },
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
      ],
    },
    {
      name: 'daemonset-defaults-and-selector',
      steps: [
        setup(post(apis('apps/v1', 'daemonsets'), { ...deployment({}), kind: 'DaemonSet' })),
        patch('merge', apis('apps/v1', 'daemonsets', 'd'), {
          spec: { selector: { matchLabels: { a: 'c' } }, template: { metadata: { labels: { a: 'c' } } } },
        }),
        post(apis('apps/v1', 'daemonsets'), {
          ...deployment({ updateStrategy: { type: 'Nonsense' } }, { name: 'e' }),
          kind: 'DaemonSet',
        }),
      ],
    },
    {
      name: 'service-types',
      steps: [
        post(SERVICES, service({ type: 'NodePort' }), { ignore: ['/body/spec/externalTrafficPolicy'] }),
        post(SERVICES, {
          ...service({ clusterIP: 'None', selector: { a: 'b' } }),
          metadata: { name: 'headless' },
        }),
        post(SERVICES, {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'ext' },
          spec: { type: 'ExternalName', externalName: 'example.com' },
        }),
        post(
          SERVICES,
          { ...service({ type: 'LoadBalancer', loadBalancerIP: '192.0.2.1' }), metadata: { name: 'lb' } },
          {
            // Later versions may do without node ports.
            ignore: ['/body/spec/allocateLoadBalancerNodePorts'],
          },
        ),
      ],
    },
    {
      name: 'service-invalid',
      steps: [
        post(SERVICES, { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: {} }),
        post(SERVICES, service({ ports: [{ port: 0 }] })),
        post(SERVICES, service({ ports: [{ port: 80 }, { port: 81 }] })),
        post(
          SERVICES,
          service({
            ports: [
              { port: 80, name: 'a' },
              { port: 81, name: 'a' },
            ],
          }),
        ),
        post(SERVICES, service({ ports: [{ port: 80, protocol: 'HTTP' }] })),
        post(SERVICES, service({ type: 'Nonsense' }), { ignore: ['/body/message', '/body/details/causes'] }),
        post(SERVICES, service({ clusterIP: 'nonsense' }), {
          ignore: ['/body/message', '/body/details/causes'],
        }),
        post(SERVICES, service({ sessionAffinity: 'Nonsense' }), {
          ignore: ['/body/message', '/body/details/causes'],
        }),
        post(SERVICES, service({ selector: { 'bad key': 'x' } })),
        post(SERVICES, service({ type: 'NodePort', ports: [{ port: 80, nodePort: 100 }] })),
      ],
    },
    {
      name: 'service-cluster-ip-is-taken',
      steps: [
        setup(post(SERVICES, service({}), { capture: { ip: '/spec/clusterIP' } })),
        // The message names the address.
        post(
          SERVICES,
          { ...service({ clusterIP: '{ip}' }), metadata: { name: 'again' } },
          { ignore: ['/body/message', '/body/details/causes'] },
        ),
        patch('merge', `${SERVICES}/s`, { spec: { ports: [{ port: 81 }] } }),
        get(`${SERVICES}/s`),
      ],
    },
    {
      name: 'secret-types',
      steps: [
        post(core('secrets'), {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'tls' },
          type: 'kubernetes.io/tls',
          data: {},
        }),
        post(
          core('secrets'),
          {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'auth' },
            type: 'kubernetes.io/basic-auth',
            stringData: { other: 'x' },
          },
          {
            // A placeholder was left in the fields' names.
            ignore: ['/body/message', '/body/details/causes/*/field'],
          },
        ),
        post(
          core('secrets'),
          {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'docker' },
            type: 'kubernetes.io/dockerconfigjson',
            data: { '.dockerconfigjson': 'bm90IGpzb24=' },
          },
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
        setup(post(core('secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'plain' } })),
        patch('merge', core('secrets', 'plain'), { type: 'example.com/other' }),
      ],
    },
    {
      name: 'disruption-budget-invalid',
      steps: [
        post(
          apis('policy/v1', 'poddisruptionbudgets'),
          {
            apiVersion: 'policy/v1',
            kind: 'PodDisruptionBudget',
            metadata: { name: 'b' },
            spec: { minAvailable: 1, maxUnavailable: 1, selector: { matchLabels: { a: 'b' } } },
          },
          { ignore: ['/body/message', '/body/details/causes/*/message'] },
        ),
        post(apis('policy/v1', 'poddisruptionbudgets'), {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'b' },
          spec: { minAvailable: '120%', selector: { matchLabels: { a: 'b' } } },
        }),
        post(apis('policy/v1', 'poddisruptionbudgets'), {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'b' },
          spec: { minAvailable: -1, selector: { matchLabels: { a: 'b' } } },
        }),
        post(apis('policy/v1', 'poddisruptionbudgets'), {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'b' },
          spec: { minAvailable: 'many', selector: { matchLabels: { a: 'b' } } },
        }),
      ],
    },
    {
      name: 'node-taints-and-cordon',
      steps: [
        setup(post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'c-node-taints' } })),
        patch(
          'strategic',
          '/api/v1/nodes/c-node-taints',
          { spec: { unschedulable: true } },
          { ignore: ['/body/status'] },
        ),
        patch(
          'merge',
          '/api/v1/nodes/c-node-taints',
          { spec: { taints: [{ key: 'a', value: 'b', effect: 'NoExecute' }] } },
          { ignore: ['/body/status'] },
        ),
        patch('merge', '/api/v1/nodes/c-node-taints', {
          spec: { taints: [{ key: 'a', effect: 'Nonsense' }] },
        }),
        patch('merge', '/api/v1/nodes/c-node-taints', {
          spec: {
            taints: [
              { key: 'a', effect: 'NoExecute' },
              { key: 'a', effect: 'NoExecute' },
            ],
          },
        }),
        patch(
          'merge',
          '/api/v1/nodes/c-node-taints',
          { spec: { podCIDR: '10.1.2.0/24' } },
          { ignore: ['/body/status'] },
        ),
        patch(
          'merge',
          '/api/v1/nodes/c-node-taints/status',
          {
            status: {
              conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
              capacity: { cpu: '2', memory: '4Gi' },
            },
          },
          { ignore: ['/body/status/nodeInfo', '/body/status/daemonEndpoints'] },
        ),
        patch('json', '/api/v1/nodes/c-node-taints', [{ op: 'remove', path: '/spec/unschedulable' }], {
          ignore: ['/body/status'],
        }),
      ],
    },
    {
      name: 'quota-counts-and-refuses',
      steps: [
        setup(
          post(core('resourcequotas'), {
            apiVersion: 'v1',
            kind: 'ResourceQuota',
            metadata: { name: 'q' },
            spec: { hard: { services: '1', pods: '1', 'requests.cpu': '1' } },
          }),
        ),
        awaiting(core('resourcequotas', 'q'), {
          equals: { '/status/used': { pods: '0', 'requests.cpu': '0', services: '0' } },
          ignore: ['/body/metadata/resourceVersion'],
        }),
        post(SERVICES, service({ clusterIP: 'None' })),
        post(SERVICES, { ...service({ clusterIP: 'None' }), metadata: { name: 's2' } }),
        // Later versions name the containers.
        post(PODS, spec({}), { ignore: ['/body/message'] }),
        post(PODS, spec({}, { resources: { requests: { cpu: '2' } } })),
        post(PODS, spec({}, { resources: { requests: { cpu: '600m' } } })),
        post(
          PODS,
          pod('p2', {
            spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1m' } } }] },
          }),
          {
            // A pod of two problems: which is told first is left to chance.
            ignore: ['/body/message', '/body/details/causes'],
          },
        ),
        get(core('resourcequotas', 'q'), { ignore: ['/body/metadata/resourceVersion'] }),
        setup(remove(`${PODS}/p`)),
        awaiting(core('resourcequotas', 'q'), {
          equals: { '/status/used/pods': '0' },
          ignore: ['/body/metadata/resourceVersion'],
        }),
      ],
    },
    {
      name: 'quota-invalid',
      steps: [
        post(core('resourcequotas'), {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: 'q' },
          spec: { hard: { pods: '-1' } },
        }),
        post(core('resourcequotas'), {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: 'q' },
          spec: { hard: { nonsense: '1' } },
        }),
      ],
    },
    {
      name: 'limit-range-defaults-and-refuses',
      steps: [
        setup(
          post(core('limitranges'), {
            apiVersion: 'v1',
            kind: 'LimitRange',
            metadata: { name: 'l' },
            spec: {
              limits: [
                {
                  type: 'Container',
                  default: { cpu: '500m' },
                  defaultRequest: { cpu: '100m' },
                  max: { cpu: '1' },
                  min: { memory: '1Mi' },
                },
              ],
            },
          }),
        ),
        // The server decides by a cached copy of the limit range.
        setup(awaiting(core('limitranges', 'l'))),
        post(`${PODS}?dryRun=All`, spec({}, { resources: { requests: { memory: '2Mi' } } })),
        post(
          `${PODS}?dryRun=All`,
          spec({}, { resources: { requests: { memory: '2Mi' }, limits: { cpu: '2' } } }),
        ),
        post(`${PODS}?dryRun=All`, spec({}, { resources: { requests: { memory: '1Ki' } } })),
      ],
    },
  ],
};
