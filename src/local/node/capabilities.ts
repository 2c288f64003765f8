import { readFileSync } from 'node:fs';
import type { EmbeddedCluster } from '../types.ts';

/** What the capabilities follow from. */
export interface CapabilityInput {
  readonly platform: NodeJS.Platform;
  readonly root: boolean;
  /** Whether pods and services have addresses of their own. */
  readonly separateAddresses: boolean;
  /** Lowest port that an ordinary user may listen on. */
  readonly firstFreePort: number;
}

/** What this machine lets the process runtime do, and what not, as sentences for people; pure. */
export function describeCapabilities(input: CapabilityInput): EmbeddedCluster['capabilities'] {
  const { platform, root, separateAddresses, firstFreePort } = input;
  const isLinux = platform === 'linux';
  const allPorts = root || firstFreePort <= 1;
  return [
    {
      name: 'pod-addresses',
      available: separateAddresses,
      note: separateAddresses
        ? 'each pod and service has an address of its own in 127.0.0.0/8'
        : 'all pods share 127.0.0.1: two pods cannot listen on the same port, and cluster IPs are not served',
    },
    {
      name: 'service-ports-below-1024',
      available: separateAddresses && allPorts,
      note: allPorts
        ? 'services can listen on any port'
        : `services on ports below ${firstFreePort} are served on another port; Node programs in pods find it by themselves`,
    },
    {
      name: 'stray-processes',
      available: isLinux,
      note: isLinux
        ? 'processes that leave their container’s process group are found by their environment and stopped with it'
        : 'a process that leaves its container’s process group (setsid) is not found when the container stops',
    },
    {
      name: 'namespaces',
      available: false,
      note: 'containers share the machine’s network, processes and files; mounts are below $TURNSOLE_POD_ROOT',
    },
    {
      name: 'resource-limits',
      available: false,
      note: 'CPU and memory limits are not enforced',
    },
    {
      name: 'exec',
      available: false,
      note: 'kubectl exec, attach and port-forward are not served; exec probes and hooks are',
    },
  ];
}

/** Lowest port that an ordinary user may listen on. */
export function readFirstFreePort(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  } catch {
    return 1024;
  }
}
