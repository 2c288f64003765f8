/** Which faults the scenarios use, by family, with settings that are small enough for many at the same time. */

/** A fault of a scenario. In its texts `{app}` is the name of the engine's application, and `{node}` one of the nodes. */
export interface FaultChoice {
  readonly name: string;
  /** Whether a helper does it; its experiment does otherwise. */
  readonly where: 'api' | 'node';
  readonly env: Readonly<Record<string, string>>;
  /** Done by the time it is known; there is nothing to revert. */
  readonly instant?: boolean;
  /** Hits all engines of a batch, or needs what only worlds of its family have: drawn only where its family is asked for. */
  readonly alone?: boolean;
  /** Takes its node away with everything there: runner and experiment are kept from it. */
  readonly elsewhere?: boolean;
  /** What is hit in place of the application's deployment. */
  readonly target?: { readonly kind: 'statefulset'; readonly label: string };
}

/** Port of the application's server. */
export const APP_PORT = 8080;
/** Of the controller of a machine (bmc.ts). */
export const BMC_PORT = 8443;
export const BMC_LOGIN = { USER: 'root', PASSWORD: 'calvin' };

const NODE = { TARGET_NODE: '{node}' };
const HTTP = { TARGET_SERVICE_PORT: String(APP_PORT) };
const node = (name: string, env: Readonly<Record<string, string>> = {}): FaultChoice => ({
  name,
  where: 'node',
  env,
});
const api = (name: string, env: Readonly<Record<string, string>> = {}): FaultChoice => ({
  name,
  where: 'api',
  env,
});

/** Calls of controllers are hit, in all pods at once. */
const MONKEY = { SEQUENCE: 'parallel', CM_WATCHERS: 'restController' };
/** One after the other, so that the others can answer. */
const ONE_POD = { PODS_AFFECTED_PERC: '0', CHAOS_INTERVAL: '3', FORCE: 'true' };

/** `marks` are faults of these tests (faults.ts): they need no isolated pods. */
export const FAMILIES = {
  marks: [api('mark-by-api'), node('mark-on-node')],
  pod: [
    { ...api('pod-delete', { CHAOS_INTERVAL: '2' }), instant: true },
    { ...node('container-kill', { CHAOS_INTERVAL: '2' }), instant: true },
    api('pod-autoscaler', { REPLICA_COUNT: '3' }),
  ],
  stress: [
    node('pod-cpu-hog', { CPU_CORES: '1', CPU_LOAD: '5' }),
    node('pod-memory-hog', { MEMORY_CONSUMPTION: '16', NUMBER_OF_WORKERS: '1' }),
    node('pod-io-stress', { NUMBER_OF_WORKERS: '1' }),
    api('pod-cpu-hog-exec', { CHAOS_INJECT_COMMAND: 'while :; do sleep 1; done' }),
    api('pod-memory-hog-exec', { MEMORY_CONSUMPTION: '8' }),
  ],
  network: [
    node('pod-network-loss', { NETWORK_PACKET_LOSS_PERCENTAGE: '20' }),
    node('pod-network-rate-limit', { NETWORK_BANDWIDTH: '8mbit' }),
    node('pod-network-latency', { NETWORK_LATENCY: '50' }),
    api('pod-network-partition'),
  ],
  http: [
    node('pod-http-latency', { ...HTTP, LATENCY: '50' }),
    node('pod-http-status-code', { ...HTTP, STATUS_CODE: '503' }),
    node('pod-http-modify-header', { ...HTTP, HEADERS_MAP: '{"x-new":"1"}' }),
    node('pod-http-modify-body', { ...HTTP, RESPONSE_BODY: 'other' }),
    node('pod-http-reset-peer', { ...HTTP, RESET_TIMEOUT: '10' }),
  ],
  dns: [
    node('pod-dns-error', { TARGET_HOSTNAMES: '["db.example"]' }),
    node('pod-dns-spoof', { SPOOF_MAP: '{"db.example":"other.example"}' }),
  ],
  disk: [node('disk-fill', { EPHEMERAL_STORAGE_MEBIBYTES: '8' }), api('pod-fio-stress', { SIZE: '1' })],
  node: [
    api('node-taint', { ...NODE, TAINTS: '{app}=crash:NoSchedule' }),
    { ...api('node-drain', NODE), alone: true },
    node('node-cpu-hog', { TARGET_NODES: '{node}', NODE_CPU_CORE: '1', CPU_LOAD: '5' }),
    node('node-memory-hog', { TARGET_NODES: '{node}', MEMORY_CONSUMPTION_MEBIBYTES: '16' }),
    node('node-io-stress', { TARGET_NODES: '{node}', FILESYSTEM_UTILIZATION_PERCENTAGE: '1' }),
  ],
  services: [
    { ...node('kubelet-service-kill', NODE), alone: true },
    { ...node('docker-service-kill', NODE), alone: true },
    { ...node('node-restart', NODE), alone: true, instant: true, elsewhere: true },
    {
      ...node('node-restart', { ...NODE, REBOOT_COMMAND: 'sudo systemctl poweroff' }),
      alone: true,
      instant: true,
      elsewhere: true,
    },
  ],
  load: [api('k6-loadgen', { SCRIPT_SECRET_KEY: '{app}.js' })],
  application: [
    api('spring-boot-latency', { ...MONKEY, LATENCY: '50' }),
    api('spring-boot-exceptions', { ...MONKEY, SEQUENCE: 'serial' }),
    api('spring-boot-cpu-stress', MONKEY),
    api('spring-boot-memory-stress', MONKEY),
    api('spring-boot-app-kill', MONKEY),
    api('spring-boot-faults', { ...MONKEY, CM_LATENCY_ACTIVE: 'true', CM_CPU_ACTIVE: 'true' }),
    {
      ...api('kafka-broker-pod-failure', {
        ...ONE_POD,
        KAFKA_LABEL: 'peer={app}-kafka',
        KAFKA_BROKER: '{app}-kafka-0',
        KAFKA_SERVICE: '{app}-kafka',
        KAFKA_REPLICATION_FACTOR: '1',
      }),
      alone: true,
    },
    {
      ...api('cassandra-pod-delete', {
        ...ONE_POD,
        CASSANDRA_LIVENESS_CHECK: 'enable',
        CASSANDRA_SVC_NAME: '{app}-cassandra-clients',
        KEYSPACE_REPLICATION_FACTOR: '1',
      }),
      alone: true,
      target: { kind: 'statefulset', label: 'peer={app}-cassandra' },
    },
    { ...api('redfish-node-restart', { IPMI_IP: `{app}-bmc:${BMC_PORT}`, ...BMC_LOGIN }), alone: true },
  ],
} as const satisfies Readonly<Record<string, readonly FaultChoice[]>>;

export type Family = keyof typeof FAMILIES;

/** A mark that is a config map, and one that is a file on the node (faults.ts). */
export const [MARK_BY_API, MARK_ON_NODE] = FAMILIES.marks;

/** How often a family is drawn where none is asked for. */
export const SHARES: readonly Family[] = [
  'marks',
  'marks',
  'marks',
  'network',
  'network',
  'http',
  'dns',
  'stress',
  'disk',
  'pod',
  'node',
  'load',
  'application',
];

/** How many scenarios share a cluster at a time where nobody says so: faults on nodes hit all of them, databases take many pods. */
export function defaultParallel(family: Family | undefined): number {
  if (family === 'node' || family === 'services') return 1;
  return family === 'application' ? 4 : 6;
}

export function isFamily(text: string): text is Family {
  return text in FAMILIES;
}
