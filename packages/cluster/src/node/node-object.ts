import { randomUUID } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { arch, cpus, hostname, platform, release, totalmem } from 'node:os';
import { readOrEmpty } from '@turnsole/kube/base/machine';
import type { Node } from '@turnsole/kube/kinds/core';
import { metaTime } from '@turnsole/kube/text/time';
import { KUBERNETES_VERSION } from '../base/version.ts';

/** Facts about the machine when a node is registered. */
interface MachineFacts {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly os: string;
  /** As Go names it: amd64, arm64… */
  readonly architecture: string;
  readonly kernel: string;
  readonly osImage: string;
  readonly machineId: string;
  readonly hostname: string;
}

/** Pods per node; processes of one machine, so far above kubelet's 110. */
const MAX_PODS = 500;

/** Reads the machine's facts; what cannot be read is a plain guess. */
export function readMachine(dataDir: string): MachineFacts {
  const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };
  const disk = statfsSync(dataDir);
  return {
    cpus: Math.max(1, cpus().length),
    memoryBytes: totalmem(),
    diskBytes: disk.blocks * disk.bsize,
    os: platform() === 'win32' ? 'windows' : platform(),
    architecture: architectures[arch()] ?? arch(),
    kernel: release(),
    osImage: readOsName() ?? platform(),
    machineId: readOrEmpty('/etc/machine-id').trim(),
    hostname: hostname(),
  };
}

function readOsName(): string | undefined {
  return /^PRETTY_NAME="?([^"\n]*)/m.exec(readOrEmpty('/etc/os-release'))?.[1];
}

/** Input of a node's registration. */
interface NodeInput {
  readonly name: string;
  readonly address: string;
  readonly podCidr: string;
  readonly runtime: string;
  readonly machine: MachineFacts;
  readonly nowMs: number;
  /** Besides those that say what the node is; they win. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Pods it takes. @default 500 */
  readonly maxPods?: number;
  /** Counts from 0; neighbours are in different zones. @default 0 */
  readonly index?: number;
}

/** Zones of a cluster's only region; the n-th node is in zone n modulo 3. */
const ZONES = ['turnsole-a', 'turnsole-b', 'turnsole-c'] as const;
const REGION = 'turnsole';

/** The Node object as the agent registers it, with its status; pure but for the id of the boot. */
export function nodeObject(input: NodeInput): Node {
  const { name, address, podCidr, runtime, machine, nowMs, labels, maxPods = MAX_PODS, index = 0 } = input;
  const capacity = {
    cpu: String(machine.cpus),
    memory: `${Math.floor(machine.memoryBytes / 1024)}Ki`,
    'ephemeral-storage': `${Math.floor(machine.diskBytes / 1024)}Ki`,
    pods: String(maxPods),
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': machine.os,
        'kubernetes.io/arch': machine.architecture,
        'beta.kubernetes.io/os': machine.os,
        'beta.kubernetes.io/arch': machine.architecture,
        'topology.kubernetes.io/region': REGION,
        'topology.kubernetes.io/zone': ZONES[index % ZONES.length] ?? ZONES[0],
        ...labels,
      },
      annotations: {
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
        ...input.annotations,
      },
    },
    spec: { podCIDR: podCidr, podCIDRs: [podCidr], providerID: `turnsole://${machine.hostname}/${name}` },
    status: {
      capacity,
      allocatable: capacity,
      conditions: nodeConditions(nowMs),
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      nodeInfo: {
        architecture: machine.architecture,
        bootID: randomUUID(),
        containerRuntimeVersion: `turnsole-${runtime}://0.1.0`,
        kernelVersion: machine.kernel,
        kubeProxyVersion: KUBERNETES_VERSION,
        kubeletVersion: KUBERNETES_VERSION,
        machineID: machine.machineId,
        operatingSystem: machine.os,
        osImage: machine.osImage,
        systemUUID: machine.machineId,
      },
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
    },
  };
}

/** Conditions of a healthy node, or of one that is not ready for a reason; pure. */
export function nodeConditions(
  nowMs: number,
  notReady?: string,
): NonNullable<NonNullable<Node['status']>['conditions']> {
  const at = metaTime(nowMs);
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  });
  return [
    condition(
      'MemoryPressure',
      'False',
      'KubeletHasSufficientMemory',
      'kubelet has sufficient memory available',
    ),
    condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    notReady === undefined
      ? condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status')
      : condition('Ready', 'False', 'KubeletNotReady', notReady),
  ];
}
