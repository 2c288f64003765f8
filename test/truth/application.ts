/** Manifests of the applications of the truth suite: a Deployment of programs/service.mjs (or metrics.mjs) and its Service. */
import type { Container, KubeObject, PodSpec } from '@turnsole/kube/kinds/core';

/** Images, as the cluster of the suite knows them. */
export const SERVICE_IMAGE = 'truth/service';
export const METRICS_IMAGE = 'truth/metrics';
/** Takes k6's arguments. */
export const LOAD_IMAGE = 'truth/k6';

/** Port of every application. */
export const APP_PORT = 8080;

/** An application, as a row describes it. Times are in ms. */
export interface Application {
  readonly name: string;
  /** @default SERVICE_IMAGE */
  readonly image?: string;
  /** @default 1 */
  readonly replicas?: number;
  /** Environment of the program: programs/*.mjs say which there is. */
  readonly env?: Readonly<Record<string, string>>;
  /** How long a pod waits before its program starts. @default 0 */
  readonly initMs?: number;
  /** What keeps its folder /data: the container, the pod, a claim. @default container */
  readonly data?: 'container' | 'pod' | 'claim';
  /** Its name leads to its pods, and not to an address that stands for them. */
  readonly headless?: true;
  /** Limits of the container. */
  readonly limits?: Readonly<Record<string, string>>;
  /** Nodes that may have its pods; they must have as many as there are replicas, one each. */
  readonly nodes?: readonly string[];
  /** A volume in memory of that many MiB at /scratch. */
  readonly scratchMib?: number;
}

/** Pods end by their program; this is for programs that hang. */
const GRACE_SECONDS = 5;

/** Everything an application consists of. Pure. */
export function manifestsOf(application: Application): KubeObject[] {
  const { name, replicas = 1, data, headless } = application;
  const labels = { app: name };
  const service: KubeObject & Record<string, unknown> = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: {
      ...(headless === true && { clusterIP: 'None' }),
      selector: labels,
      ports: [{ port: APP_PORT, targetPort: APP_PORT }],
    },
  };
  const deployment: KubeObject & Record<string, unknown> = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podOf(application) },
    },
  };
  return [service, ...(data === 'claim' ? [claimOf(name)] : []), deployment];
}

function claimOf(name: string): KubeObject {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec } as KubeObject;
}

function podOf({ name, image = SERVICE_IMAGE, ...options }: Application): PodSpec {
  const { env = {}, initMs, data = 'container', limits, nodes, scratchMib } = options;
  const mounts = [
    ...(data === 'container' ? [] : [{ name: 'data', mountPath: '/data' }]),
    ...(scratchMib === undefined ? [] : [{ name: 'scratch', mountPath: '/scratch' }]),
  ];
  const volumes = [
    ...(data === 'pod' ? [{ name: 'data', emptyDir: {} }] : []),
    ...(data === 'claim' ? [{ name: 'data', persistentVolumeClaim: { claimName: name } }] : []),
    ...(scratchMib === undefined
      ? []
      : [{ name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: `${scratchMib}Mi` } }]),
  ];
  const container: Container = {
    name: 'app',
    image,
    env: Object.entries({ PORT: String(APP_PORT), NAME: name, ...env }).map(([key, value]) => ({
      name: key,
      value,
    })),
    ports: [{ containerPort: APP_PORT }],
    // An application that waits for a processor is still there.
    readinessProbe: { httpGet: { path: '/healthz', port: APP_PORT }, periodSeconds: 1, timeoutSeconds: 10 },
    volumeMounts: mounts,
    ...(limits === undefined ? {} : { resources: { limits } }),
  };
  return {
    terminationGracePeriodSeconds: GRACE_SECONDS,
    containers: [container],
    volumes,
    ...(initMs === undefined ? {} : { initContainers: [pauseOf(initMs)] }),
    ...(nodes === undefined ? {} : placed(name, nodes)),
  };
}

function pauseOf(ms: number): Container {
  return { name: 'prepare', image: 'busybox', command: ['/bin/sh', '-c', `exec sleep ${ms / 1000}`] };
}

/** Only these nodes, which keep others away; spread over them. */
function placed(
  name: string,
  nodes: readonly string[],
): Pick<PodSpec, 'affinity' | 'tolerations' | 'topologySpreadConstraints'> {
  const expression = { key: 'kubernetes.io/hostname', operator: 'In', values: [...nodes] };
  return {
    tolerations: [{ key: POOL_TAINT, operator: 'Exists', effect: 'NoSchedule' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [expression] }],
        },
      },
    },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { app: name } },
      },
    ],
  };
}

/** Taint of nodes that rows may take away. */
export const POOL_TAINT = 'truth-pool';
