/** Manifests in the form in which LitmusChaos and Argo give theirs out: images, commands, flags, variables, accounts, rights. */
import { stringify } from 'yaml';

type Rule = readonly [groups: string, resources: string, verbs: string];

interface Component {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly account: string;
  /** Of the container, beside its name and image. */
  readonly container: object;
  readonly image: string;
  /** Of the pod. */
  readonly pod?: object;
}

function deployment({ name, namespace, labels, account, image, container, pod }: Component): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { serviceAccountName: account, containers: [{ name, image, ...container }], ...pod },
      },
    },
  };
}

function rules(given: readonly Rule[]): object[] {
  return given.map(([groups, resources, verbs]) => ({
    apiGroups: groups.split(' ').map((group) => (group === 'core' ? '' : group)),
    resources: resources.split(' '),
    verbs: verbs.split(' '),
  }));
}

/** A role with its binding to accounts of a namespace; of the whole cluster where it is in none. */
function granted(
  name: string,
  where: string | undefined,
  given: readonly Rule[],
  accounts: readonly string[],
  of: string,
): object[] {
  const [kind, binding] =
    where === undefined ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding'];
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name, ...(where !== undefined && { namespace: where }) };
  return [
    { apiVersion, kind, metadata, rules: rules(given) },
    {
      apiVersion,
      kind: binding,
      metadata: { ...metadata, name: `${name}-binding` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
      subjects: accounts.map((account) => ({ kind: 'ServiceAccount', name: account, namespace: of })),
    },
  ];
}

function account(name: string, namespace: string): object {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
}

function text(objects: readonly object[]): string {
  return objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n');
}

const fieldOf = (name: string, fieldPath: string): object => ({
  name,
  valueFrom: { fieldRef: { fieldPath } },
});

/** As ChaosCenter 3.x writes it into each of its Deployments. */
const SMALL = {
  securityContext: { runAsUser: 2000, allowPrivilegeEscalation: false },
  resources: {
    requests: { memory: '300Mi', cpu: '125m', 'ephemeral-storage': '500Mi' },
    limits: { memory: '500Mi', cpu: '225m', 'ephemeral-storage': '1Gi' },
  },
};

/** What the agent's account may do, as ChaosCenter 3.x grants it: no rights on subresources of ours, none to watch Jobs everywhere. */
const INFRA: readonly Rule[] = [
  ['apps', 'deployments replicasets daemonsets statefulsets', 'get list'],
  ['apps', 'deployments', 'delete'],
  ['batch', 'jobs', 'get list create deletecollection'],
  ['core', 'pods', 'get create update patch delete list watch deletecollection'],
  ['core', 'pods/exec', 'create get list watch update patch delete'],
  ['core', 'pods/log', 'get list watch'],
  ['core', 'events services', 'get create update patch list watch'],
  ['core', 'persistentvolumeclaims', 'create delete'],
  ['core', 'serviceaccounts', 'get list'],
  [
    'litmuschaos.io',
    'chaosengines chaosexperiments chaosresults',
    'get create update patch delete list watch deletecollection',
  ],
  ['litmuschaos.io', 'chaosschedules', 'get list create delete update watch patch'],
  ['litmuschaos.io', 'chaosengines/finalizers', 'update'],
  ['coordination.k8s.io', 'leases', 'get create list update delete'],
  ['apps.openshift.io', 'deploymentconfigs', 'get list'],
  [
    'argoproj.io',
    'workflows workflows/finalizers workflowtemplates workflowtemplates/finalizers cronworkflows cronworkflows/finalizers rollouts',
    'get list create delete update watch patch',
  ],
  ['argoproj.io', 'workflowtasksets workflowartifactgctasks', 'get list watch'],
  ['argoproj.io', 'workflowtaskresults', 'list watch deletecollection'],
  ['policy', 'poddisruptionbudgets', 'create get delete'],
  ['eventtracker.litmuschaos.io', 'eventtrackerpolicies', 'create get list delete update patch watch'],
  ['eventtracker.litmuschaos.io', 'eventtrackerpolicies/status', 'get patch update'],
];

/** More of them for an infrastructure of the whole cluster. */
const CLUSTER_INFRA: readonly Rule[] = [
  ['core', 'namespaces nodes', 'get list watch'],
  ['apiextensions.k8s.io', 'customresourcedefinitions', 'list get'],
  ['apps', 'deployments replicasets daemonsets statefulsets', 'get list watch'],
  ['batch', 'jobs', 'get list watch'],
  [
    'argoproj.io',
    'clusterworkflowtemplates clusterworkflowtemplates/finalizers',
    'get list create delete update watch patch',
  ],
];

const OPS: readonly Rule[] = [
  ['core', 'secrets', 'get create update patch'],
  ['core', 'configmaps', 'get create update patch list watch'],
];

/** What faults may do: the account `litmus-admin`. */
const ADMIN: readonly Rule[] = [
  ['core', 'pods', 'create delete get list patch update deletecollection'],
  ['core', 'events', 'create get list patch update'],
  ['core', 'pods/log', 'get list watch'],
  ['core', 'pods/exec pods/eviction replicationcontrollers', 'get list create'],
  ['core', 'services', 'create get list'],
  ['batch', 'jobs', 'create list get delete deletecollection'],
  ['apps', 'deployments statefulsets', 'list get patch update'],
  ['apps', 'replicasets daemonsets', 'list get'],
  ['apps.openshift.io', 'deploymentconfigs', 'list get'],
  ['argoproj.io', 'rollouts', 'list get'],
  ['networking.k8s.io', 'networkpolicies', 'create delete list get'],
  ['litmuschaos.io', 'chaosengines chaosexperiments chaosresults', 'create list get patch update delete'],
];

/** The values that ChaosCenter fills into its templates. */
export interface ChaosCenterInfra {
  readonly infraID: string;
  readonly accessKey: string;
  /** With the path `/query`. */
  readonly serverAddress: string;
  readonly scope: 'cluster' | 'namespace';
  readonly namespace: string;
}

const REGISTRY = 'litmuschaos.docker.scarf.sh/litmuschaos';
const VERSION = '3.31.0';

/** An infrastructure as ChaosCenter 3.x gives it out, without definitions, which are installed before. */
export function chaosCenterInfra({
  infraID,
  accessKey,
  serverAddress,
  scope,
  namespace,
}: ChaosCenterInfra): string {
  const isCluster = scope === 'cluster';
  const where = isCluster ? undefined : namespace;
  const agent = 'litmus';
  const kind = isCluster ? 'infra-cluster-role' : 'infra-role';
  const common = { namespace, account: agent };
  const settings = [
    { configMapRef: { name: 'subscriber-config' } },
    { secretRef: { name: 'subscriber-secret' } },
  ];
  const own = [fieldOf('INFRA_NAMESPACE', 'metadata.namespace')];
  const components = [
    'app=chaos-exporter',
    'name=chaos-operator',
    'app=event-tracker',
    'app=workflow-controller',
  ];
  return text([
    ...(isCluster ? [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }] : []),
    account(agent, namespace),
    account('argo-chaos', namespace),
    account('litmus-admin', namespace),
    ...granted(
      kind,
      where,
      [...INFRA, ...(isCluster ? CLUSTER_INFRA : [])],
      [agent, 'argo-chaos'],
      namespace,
    ),
    ...granted('infra-ops-role', namespace, OPS, [agent, 'argo-chaos', 'litmus-admin'], namespace),
    ...granted(
      isCluster ? 'litmus-admin-cluster-role' : 'litmus-admin-role',
      where,
      [...ADMIN, ...(isCluster ? [['core', 'nodes', 'patch get list update'] as const] : [])],
      ['litmus-admin'],
      namespace,
    ),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'workflow-controller-configmap', namespace },
      data: {
        containerRuntimeExecutor: 'k8sapi',
        executor: 'imagePullPolicy: IfNotPresent\n',
        instanceID: infraID,
      },
    },
    deployment({
      ...common,
      name: 'workflow-controller',
      labels: { app: 'workflow-controller' },
      image: 'litmuschaos/workflow-controller:v3.3.1',
      container: {
        command: ['workflow-controller'],
        args: [
          ...['--configmap', 'workflow-controller-configmap'],
          ...['--executor-image', 'litmuschaos/argoexec:v3.3.1', '--namespaced'],
          ...['--container-runtime-executor', 'k8sapi'],
        ],
        env: [{ name: 'LEADER_ELECTION_DISABLE', value: 'true' }],
        ...SMALL,
      },
    }),
    deployment({
      ...common,
      name: 'chaos-operator-ce',
      labels: { name: 'chaos-operator' },
      image: `${REGISTRY}/chaos-operator:${VERSION}`,
      container: {
        command: ['chaos-operator'],
        args: ['-leader-elect=true'],
        imagePullPolicy: 'Always',
        env: [
          { name: 'CHAOS_RUNNER_IMAGE', value: `${REGISTRY}/chaos-runner:${VERSION}` },
          isCluster
            ? { name: 'WATCH_NAMESPACE', value: '' }
            : fieldOf('WATCH_NAMESPACE', 'metadata.namespace'),
          fieldOf('POD_NAME', 'metadata.name'),
          { name: 'OPERATOR_NAME', value: 'chaos-operator' },
          fieldOf('POD_NAMESPACE', 'metadata.namespace'),
        ],
        ...SMALL,
      },
    }),
    deployment({
      ...common,
      name: 'chaos-exporter',
      labels: { app: 'chaos-exporter' },
      image: `${REGISTRY}/chaos-exporter:${VERSION}`,
      container: {
        imagePullPolicy: 'Always',
        ports: [{ containerPort: 8080, name: 'tcp' }],
        env: [
          { name: 'TSDB_SCRAPE_INTERVAL', value: '10' },
          { name: 'INJECTION_TIME_FILTER', value: 'disable' },
          ...(isCluster ? [] : [{ name: 'WATCH_NAMESPACE', value: namespace }]),
        ],
        ...SMALL,
      },
    }),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'subscriber-config', namespace },
      data: {
        SERVER_ADDR: serverAddress,
        INFRA_SCOPE: scope,
        VERSION,
        START_TIME: '1700000000000',
        SKIP_SSL_VERIFY: 'false',
        CUSTOM_TLS_CERT: '',
        IS_INFRA_CONFIRMED: 'false',
        COMPONENTS: `DEPLOYMENTS: ["${components.join('", "')}"]\n`,
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'subscriber-secret', namespace },
      stringData: { INFRA_ID: infraID, ACCESS_KEY: accessKey },
    },
    ...['subscriber', 'event-tracker'].map((name) =>
      deployment({
        ...common,
        name,
        labels: { app: name },
        image: `${REGISTRY}/litmusportal-${name}:${VERSION}`,
        container: { imagePullPolicy: 'Always', envFrom: settings, env: own, ...SMALL },
      }),
    ),
  ]);
}

/** LitmusChaos' operator without a control plane, with its exporter: what the chaos-operator's repository deploys. */
export function operatorAlone(namespace: string): string {
  return text([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    account('litmus', namespace),
    ...granted(
      'litmus',
      undefined,
      [
        ['core', 'replicationcontrollers secrets', 'get list'],
        ['apps', 'deployments daemonsets replicasets statefulsets', 'get list'],
        ['batch', 'jobs', 'get list deletecollection'],
        [
          'core',
          'pods configmaps events services',
          'get create update patch delete list watch deletecollection',
        ],
        [
          'litmuschaos.io',
          'chaosengines chaosexperiments chaosresults',
          'get create update patch delete list watch deletecollection',
        ],
        ['apiextensions.k8s.io', 'customresourcedefinitions', 'list get'],
        ['litmuschaos.io', 'chaosengines/finalizers', 'update'],
        ['coordination.k8s.io', 'leases', 'get create list update delete'],
      ],
      ['litmus'],
      namespace,
    ),
    deployment({
      name: 'litmus',
      namespace,
      account: 'litmus',
      labels: { name: 'chaos-operator' },
      image: 'litmuschaos/chaos-operator:ci',
      container: {
        command: ['chaos-operator'],
        args: ['-leader-elect=true'],
        env: [
          { name: 'CHAOS_RUNNER_IMAGE', value: `${REGISTRY}/chaos-runner:ci` },
          { name: 'WATCH_NAMESPACE', value: '' },
          fieldOf('POD_NAME', 'metadata.name'),
          fieldOf('POD_NAMESPACE', 'metadata.namespace'),
          { name: 'OPERATOR_NAME', value: 'chaos-operator' },
        ],
      },
    }),
    deployment({
      name: 'chaos-monitor',
      namespace,
      account: 'litmus',
      labels: { app: 'chaos-monitor' },
      image: 'litmuschaos/chaos-exporter:ci',
      container: {
        env: [
          { name: 'WATCH_NAMESPACE', value: '' },
          { name: 'TSDB_SCRAPE_INTERVAL', value: '' },
        ],
        // Upstream's manifest has no probe; without one nothing says that the page is there.
        readinessProbe: { httpGet: { path: '/metrics', port: 8080 }, periodSeconds: 1 },
      },
    }),
  ]);
}

/** Argo's controller: what its install.yaml, or for one namespace its namespace-install.yaml, deploys beside the server. */
export function argoController(namespace: string, isNamespaced: boolean): string {
  const where = isNamespaced ? namespace : undefined;
  return text([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    account('argo', namespace),
    {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'workflow-controller' },
      value: 1000000,
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'workflow-controller-configmap', namespace } },
    ...granted(
      'argo-role',
      namespace,
      [
        ['coordination.k8s.io', 'leases', 'create get update'],
        ['core', 'secrets', 'get'],
      ],
      ['argo'],
      namespace,
    ),
    ...granted(
      'argo-work',
      where,
      [
        ['core', 'pods pods/exec', 'create get list watch update patch delete'],
        ['core', `configmaps${isNamespaced ? '' : ' namespaces'}`, 'get watch list'],
        ['core', 'persistentvolumeclaims persistentvolumeclaims/finalizers', 'create update delete get'],
        [
          'argoproj.io',
          'workflows workflows/finalizers workflowtasksets workflowtasksets/finalizers workflowartifactgctasks',
          'get list watch update patch delete create',
        ],
        ['argoproj.io', 'workflowtemplates workflowtemplates/finalizers', 'get list watch'],
        ...(isNamespaced ? [] : [['argoproj.io', 'clusterworkflowtemplates', 'get list watch'] as const]),
        ['argoproj.io', 'workflowtaskresults', 'list watch deletecollection'],
        ['core', 'serviceaccounts', 'get list'],
        ['argoproj.io', 'cronworkflows cronworkflows/finalizers', 'get list watch update patch delete'],
        ['core', 'events', 'create patch'],
        ['policy', 'poddisruptionbudgets', 'create get delete'],
      ],
      ['argo'],
      namespace,
    ),
    deployment({
      name: 'workflow-controller',
      namespace,
      account: 'argo',
      labels: { app: 'workflow-controller' },
      image: 'quay.io/argoproj/workflow-controller:v3.7.1',
      container: {
        command: ['workflow-controller'],
        args: isNamespaced ? ['--namespaced'] : [],
        env: [fieldOf('LEADER_ELECTION_IDENTITY', 'metadata.name')],
        ports: [{ name: 'metrics', containerPort: 9090 }, { containerPort: 6060 }],
        // As Argo has it, but at once.
        livenessProbe: { httpGet: { port: 6060, path: '/healthz' }, failureThreshold: 3, timeoutSeconds: 30 },
        securityContext: {
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        },
      },
      pod: {
        priorityClassName: 'workflow-controller',
        securityContext: { runAsNonRoot: true },
        nodeSelector: { 'kubernetes.io/os': 'linux' },
      },
    }),
  ]);
}
