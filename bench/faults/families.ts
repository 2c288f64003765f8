import type { Deployment, Node, Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, NODES, PODS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import type { FaultCluster } from '../../test/faults/support/fault-cluster.ts';
import {
  cpuOnlooker,
  fillOnlooker,
  helperCpuOnlooker,
  memoryOnlooker,
  writingOnlooker,
} from './containers.ts';
import {
  connectOnlooker,
  peerOnlooker,
  questionOnlooker,
  SLOW_RATE,
  slownessOnlooker,
  statusOnlooker,
  WEB,
} from './network.ts';
import { objectOnlooker } from './objects.ts';
import type { Onlooker } from './sightings.ts';

/** What stands for one round, and who looks at it. */
export interface Scene {
  readonly onlooker: Onlooker;
  /** Variables that depend on it. */
  readonly env?: Readonly<Record<string, string>>;
  /** Pods that are hit. */
  readonly pods?: readonly string[];
}

/** A fault, its settings, and how its effect is seen. */
export interface Family {
  readonly fault: string;
  /** What injects: the experiment itself, or a helper on the node. */
  readonly by: 'api' | 'helper';
  /** Whether anything stays in force that an abort has to end. */
  readonly lasts: boolean;
  /** What counts as seen, for people. */
  readonly effect: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly prepare: (cluster: FaultCluster, namespace: string) => Promise<Scene>;
}

const HIT = 'hit';
const LIMIT_MS = 30_000;
const FILL_MEBIBYTES = 64;
const MEMORY_MEBIBYTES = 100;
const NAME = 'kubernetes.default.svc.cluster.local';

/** A scene of one pod. */
function pod(
  onlooker: (pod: Pod) => Onlooker | Promise<Onlooker>,
  ...shape: Parameters<FaultCluster['pod']> extends [string, string, ...infer Rest] ? Rest : never
): Family['prepare'] {
  return async (cluster, namespace) => {
    const made = await cluster.pod(namespace, HIT, ...shape);
    return { onlooker: await onlooker(made), pods: [HIT] };
  };
}

export const FAMILIES: readonly Family[] = [
  {
    fault: 'pod-delete',
    by: 'api',
    lasts: false,
    effect: 'the pod has a deletion timestamp (watch)',
    prepare: async (cluster, namespace) => {
      const env = await standing(cluster, namespace);
      const { items } = await cluster.client.list<Pod>(PODS, { namespace });
      const place = { namespace, name: items[0]?.metadata.name ?? '' };
      const isGoing = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
      return { onlooker: objectOnlooker<Pod>(cluster.client, PODS, place, isGoing), env };
    },
  },
  {
    fault: 'pod-autoscaler',
    by: 'api',
    lasts: true,
    effect: 'the Deployment wants three replicas in place of one (watch)',
    env: { REPLICA_COUNT: '3' },
    prepare: async (cluster, namespace) => {
      const env = await standing(cluster, namespace);
      const isScaled = ({ spec }: Deployment): boolean => spec?.replicas === 3;
      const place = { namespace, name: HIT };
      return {
        onlooker: objectOnlooker<Deployment>(cluster.client, DEPLOYMENTS, place, isScaled),
        env,
      };
    },
  },
  {
    fault: 'node-taint',
    by: 'api',
    lasts: true,
    effect: 'the Node has the taint (watch)',
    env: { TAINTS: 'bench=yes:NoSchedule' },
    prepare: async ({ client, nodes: [name = ''] }) => {
      const isTainted = ({ spec }: Node): boolean =>
        spec?.taints?.some(({ key }) => key === 'bench') === true;
      return {
        onlooker: objectOnlooker<Node>(client, NODES, { name }, isTainted),
        env: { TARGET_NODE: name },
      };
    },
  },
  {
    fault: 'pod-network-partition',
    by: 'api',
    lasts: true,
    effect:
      'a connection of another pod is not made within 200 ms, counted from its first packet; one is made',
    prepare: async (cluster, namespace) => {
      const [hit, beside] = await Promise.all(
        [HIT, 'beside'].map((name) => cluster.pod(namespace, name, WEB)),
      );
      if (hit === undefined || beside === undefined) throw new Error('no pods');
      return { onlooker: await peerOnlooker(beside, hit), pods: [HIT] };
    },
  },
  {
    fault: 'pod-cpu-hog-exec',
    by: 'api',
    lasts: true,
    effect: "two ticks of CPU time by new processes in the container's cgroup; none of them left",
    env: { CPU_CORES: '1' },
    prepare: pod(cpuOnlooker),
  },
  {
    fault: 'container-kill',
    by: 'helper',
    lasts: false,
    effect: 'the pod tells of another container id (watch)',
    prepare: async (cluster, namespace) => {
      const idOf = ({ status }: Pod): string | undefined => status?.containerStatuses?.[0]?.containerID;
      const first = idOf(await cluster.pod(namespace, HIT));
      const isOther = (seen: Pod): boolean => idOf(seen) !== undefined && idOf(seen) !== first;
      const place = { namespace, name: HIT };
      return { onlooker: objectOnlooker<Pod>(cluster.client, PODS, place, isOther), pods: [HIT] };
    },
  },
  {
    fault: 'pod-cpu-hog',
    by: 'helper',
    lasts: true,
    effect: "two ticks of CPU time by new processes in the container's cgroup; none of them left",
    env: { CPU_CORES: '1' },
    prepare: pod(cpuOnlooker),
  },
  {
    fault: 'pod-memory-hog',
    by: 'helper',
    lasts: true,
    effect: `nine tenths of ${MEMORY_MEBIBYTES} MiB in the container's cgroup; all but 2 MiB given back`,
    env: { MEMORY_CONSUMPTION: String(MEMORY_MEBIBYTES), NUMBER_OF_WORKERS: '1' },
    prepare: pod((made) => memoryOnlooker(made, MEMORY_MEBIBYTES)),
  },
  {
    fault: 'pod-io-stress',
    by: 'helper',
    lasts: true,
    effect: "1 MiB written by new processes in the container's cgroup; none of them left",
    env: {
      VOLUME_MOUNT_PATH: '/data',
      FILESYSTEM_UTILIZATION_PERCENTAGE: '50',
      NUMBER_OF_WORKERS: '1',
    },
    prepare: pod(
      writingOnlooker,
      { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
      { volumes: [{ name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }] },
    ),
  },
  {
    fault: 'disk-fill',
    by: 'helper',
    lasts: true,
    effect: `a file of ${FILL_MEBIBYTES} MiB in the container's layer; no space taken`,
    env: { EPHEMERAL_STORAGE_MEBIBYTES: String(FILL_MEBIBYTES) },
    prepare: pod((made) => fillOnlooker(made, FILL_MEBIBYTES)),
  },
  {
    fault: 'pod-network-loss',
    by: 'helper',
    lasts: true,
    effect: 'a connection from outside is not made within 200 ms, counted from its first packet; one is made',
    prepare: pod(connectOnlooker, WEB),
  },
  {
    fault: 'pod-network-latency',
    by: 'helper',
    lasts: true,
    effect: 'an answer to a client outside takes more than 500 ms, counted from its question; one takes less',
    env: { NETWORK_LATENCY: '1000' },
    prepare: pod(slownessOnlooker, WEB),
  },
  {
    fault: 'pod-network-rate-limit',
    by: 'helper',
    lasts: true,
    effect: 'an answer of 64 kB takes more than 500 ms, counted from its question; one takes less',
    env: { NETWORK_BANDWIDTH: SLOW_RATE },
    prepare: pod(slownessOnlooker, WEB),
  },
  {
    fault: 'pod-http-status-code',
    by: 'helper',
    lasts: true,
    effect: 'an answer to a client outside has the status 503; one has 200',
    env: { TARGET_SERVICE_PORT: '8080', STATUS_CODE: '503' },
    prepare: pod(statusOnlooker, WEB),
  },
  {
    fault: 'pod-dns-error',
    by: 'helper',
    lasts: true,
    effect: "a question from the pod's network is answered by: no such name; one by its address",
    env: { TARGET_HOSTNAMES: '["kubernetes.default"]' },
    prepare: pod((made) => questionOnlooker(made, NAME)),
  },
  {
    fault: 'node-cpu-hog',
    by: 'helper',
    lasts: true,
    effect: "two ticks of CPU time by loads in the helper's cgroup; none of them left",
    env: { NODE_CPU_CORE: '1' },
    prepare: async ({ client, nodes: [name = ''] }, namespace) => ({
      onlooker: helperCpuOnlooker(client, namespace, 'node-cpu-hog'),
      env: { TARGET_NODES: name },
    }),
  },
];

/** A Deployment whose one pod stands; gives what makes it the target. */
async function standing(cluster: FaultCluster, namespace: string): Promise<Readonly<Record<string, string>>> {
  await cluster.apply(namespace, deployment());
  const isStanding = (found?: Deployment): boolean => found?.status?.availableReplicas === 1;
  const options = { namespace, timeoutMs: LIMIT_MS };
  await waitForObject<Deployment>(cluster.client, DEPLOYMENTS, HIT, isStanding, options);
  return { TARGETS: `deployment:${namespace}:[app=${HIT}]` };
}

function deployment(): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${HIT}, labels: { app: ${HIT} } }
spec:
  replicas: 1
  selector: { matchLabels: { app: ${HIT} } }
  template:
    metadata: { labels: { app: ${HIT} } }
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{ name: main, image: busybox, command: [/bin/sh, -c, exec sleep 100000] }]
`;
}
