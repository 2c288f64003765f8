import type { EnvFromSource, EnvVar } from '@turnsole/kube/kinds/core';
import { CONTROLLER_CONFIG_MAP } from '@turnsole/workflows/kinds/controller-names';
import { AGENT_CONFIG_MAP, AGENT_SECRET } from '../../../../api/agent-objects.ts';
import type { InstallObject } from '../../install-object.ts';
import type { Registration } from '../registration.ts';

/** Version of the workflow controller and its executor, which differs from that of the rest. */
const WORKFLOWS_TAG = 'v3.3.1';

/** Pods that have to run before the agent confirms its registration. */
export const LITMUS_COMPONENTS = [
  'app=chaos-exporter',
  'name=chaos-operator',
  'app=workflow-controller',
  'app=event-tracker',
] as const;

/** The components of LitmusChaos, beside accounts and settings. Pure. */
export function litmusComponents(registration: Registration): InstallObject[] {
  const { namespace, infraID, scope, version } = registration;
  // No value where it is all: an empty one is none to the API server.
  const watched: EnvVar = { name: 'WATCH_NAMESPACE', ...(scope === 'namespace' && { value: namespace }) };
  const image = (name: string): string => `litmuschaos/${name}:${version}`;
  const component = (of: Component): InstallObject => deployment(registration, of);
  const settings = { configMapRef: { name: AGENT_CONFIG_MAP } };
  const own: EnvVar = {
    name: 'INFRA_NAMESPACE',
    valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } },
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: CONTROLLER_CONFIG_MAP, namespace },
      data: {
        containerRuntimeExecutor: 'k8sapi',
        executor: 'imagePullPolicy: IfNotPresent\n',
        instanceID: infraID,
      },
    },
    service('workflow-controller-metrics', namespace, { app: 'workflow-controller' }, 9090),
    component({
      name: 'workflow-controller',
      labels: { app: 'workflow-controller' },
      image: `litmuschaos/workflow-controller:${WORKFLOWS_TAG}`,
      command: ['workflow-controller'],
      args: [
        ...['--configmap', CONTROLLER_CONFIG_MAP],
        ...['--executor-image', `litmuschaos/argoexec:${WORKFLOWS_TAG}`],
        ...['--container-runtime-executor', 'k8sapi'],
        ...(scope === 'namespace' ? ['--namespaced'] : []),
      ],
      env: [{ name: 'LEADER_ELECTION_DISABLE', value: 'true' }],
    }),
    component({
      name: 'chaos-operator-ce',
      labels: { name: 'chaos-operator' },
      image: image('chaos-operator'),
      command: ['chaos-operator'],
      args: ['-leader-elect=true'],
      env: [
        { name: 'CHAOS_RUNNER_IMAGE', value: image('chaos-runner') },
        watched,
        fieldVariable('POD_NAME', 'metadata.name'),
        fieldVariable('POD_NAMESPACE', 'metadata.namespace'),
        { name: 'OPERATOR_NAME', value: 'chaos-operator' },
      ],
    }),
    component({
      name: 'chaos-exporter',
      labels: { app: 'chaos-exporter' },
      image: image('chaos-exporter'),
      env: [watched],
    }),
    service('chaos-exporter', namespace, { app: 'chaos-exporter' }, 8080),
    component({
      name: 'subscriber',
      labels: { app: 'subscriber' },
      image: image('litmusportal-subscriber'),
      env: [own],
      envFrom: [settings, { secretRef: { name: AGENT_SECRET } }],
    }),
    component({
      name: 'event-tracker',
      labels: { app: 'event-tracker' },
      image: image('litmusportal-event-tracker'),
      env: [own],
      envFrom: [settings, { secretRef: { name: AGENT_SECRET } }],
    }),
  ];
}

interface Component {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
}

function fieldVariable(name: string, fieldPath: string): EnvVar {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}

function deployment({ namespace, serviceAccount }: Registration, of: Component): InstallObject {
  const { name, labels, image, command, args, env, envFrom } = of;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels: { ...labels } },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: serviceAccount,
          containers: [
            {
              name,
              image,
              imagePullPolicy: 'Always',
              ...(command !== undefined && { command }),
              ...(args !== undefined && { args }),
              env,
              ...(envFrom !== undefined && { envFrom }),
              securityContext: { runAsUser: 2000, allowPrivilegeEscalation: false },
              resources: {
                requests: { memory: '300Mi', cpu: '125m', 'ephemeral-storage': '500Mi' },
                limits: { memory: '500Mi', cpu: '225m', 'ephemeral-storage': '1Gi' },
              },
            },
          ],
        },
      },
    },
  };
}

function service(
  name: string,
  namespace: string,
  selector: Readonly<Record<string, string>>,
  port: number,
): InstallObject {
  const ports = [{ name: 'metrics', port, protocol: 'TCP', targetPort: port }];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: { ...selector } },
    spec: { ports, selector },
  };
}
