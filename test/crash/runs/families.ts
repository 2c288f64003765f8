/** Which faults the scenarios use, by family, with settings that are small enough for many at the same time. */

/** A fault of a scenario. */
export interface FaultChoice {
  readonly name: string;
  /** Whether a helper does it; its experiment does otherwise. */
  readonly where: 'api' | 'node';
  readonly env: Readonly<Record<string, string>>;
  /** Done by the time it is known; there is nothing to revert. */
  readonly instant?: boolean;
  /** Hits all engines of a batch: never drawn where others run beside it. */
  readonly alone?: boolean;
}

/** Port of the application's server. */
export const APP_PORT = 8080;

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
  node: [api('node-taint'), { ...api('node-drain'), alone: true }],
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
];

export function isFamily(text: string): text is Family {
  return text in FAMILIES;
}
