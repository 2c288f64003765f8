/** Pods: their defaults, and what is refused of the parts that chaos and its tools touch. */
import type { Theme } from '../harness/scenario.ts';
import { core, pod, post, setup } from '../harness/steps.ts';

const PODS = core('pods');

function spec(extra: object, container: object = {}): object {
  return pod('p', { spec: { ...extra, containers: [{ name: 'c', image: 'i', ...container }] } });
}

/** The texts hold values in Go's own format, or are others in later versions. */
const REWORDED = { ignore: ['/body/message', '/body/details/causes/*/message'] };

export const POD_RULES: Theme = {
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
  ],
};
