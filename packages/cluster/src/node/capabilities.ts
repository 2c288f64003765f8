import type { Outward } from '../rootless/messages.ts';
import type { UserNamespace } from './user-namespace.ts';

/** Something that this machine lets pods do or not. */
export interface Capability {
  readonly name: string;
  readonly available: boolean;
  readonly note: string;
}

/** What the capabilities follow from. */
interface CapabilityInput {
  readonly platform: NodeJS.Platform;
  readonly root: boolean;
  /** The ids that this process can give, and whether it is root of the machine or of namespaces of its own. */
  readonly users: Pick<UserNamespace, 'isMachine' | 'hasUser'>;
  /** How a network of the cluster's own reaches the world; undefined in the machine's. */
  readonly outward?: Outward | undefined;
  /** Whether pods and services have addresses of their own. */
  readonly separateAddresses: boolean;
  /** Lowest port that an ordinary user may listen on. */
  readonly firstFreePort: number;
  /** Controllers whose limits hold, where pods are isolated. */
  readonly limits?: ReadonlySet<string>;
  /** Why NetworkPolicies are not enforced; undefined when they are. */
  readonly policiesMissing: string | undefined;
  /** Whether each container has a `/tmp` of its own. */
  readonly hasOwnTemp: boolean;
  /** Why pods are not isolated. */
  readonly missing?: string;
}

/** What the process runtime can and cannot do on this machine, as sentences for people; pure. */
export function describeCapabilities(input: CapabilityInput): readonly Capability[] {
  const { platform, root, separateAddresses, firstFreePort, limits, policiesMissing, hasOwnTemp, missing } =
    input;
  const isIsolated = limits !== undefined;
  const isLinux = platform === 'linux';
  const isOwn = isIsolated && !input.users.isMachine;
  const allPorts = root || firstFreePort <= 1;
  return [
    {
      name: 'pod-addresses',
      available: separateAddresses,
      note: isIsolated
        ? `each pod has a network of its own, and each service an address that pods ${isOwn ? 'reach; from outside, kubectl port-forward leads to them' : 'and the host reach'}`
        : separateAddresses
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
        ? `processes that leave their container’s process group are found by their ${isIsolated ? 'cgroup' : 'environment'} and stopped with it`
        : 'a process that leaves its container’s process group (setsid) is not found when the container stops',
    },
    {
      name: 'namespaces',
      available: isIsolated,
      note: isIsolated
        ? 'each container has a network, processes and files of its own'
        : `containers share the machine’s network, processes and files; mounts are below $TURNSOLE_POD_ROOT: ${missing ?? 'not known why'}`,
    },
    {
      name: 'own-tmp',
      available: hasOwnTemp,
      note: hasOwnTemp
        ? 'each container has a /tmp of its own'
        : 'containers share the machine’s /tmp, so that what one writes there is in the way of others: this user may not have namespaces (unshare --user --mount)',
    },
    {
      name: 'network-policies',
      available: policiesMissing === undefined,
      note:
        policiesMissing === undefined
          ? 'NetworkPolicies are enforced'
          : `NetworkPolicies are stored and not enforced: ${policiesMissing}`,
    },
    {
      name: 'resource-limits',
      available: limits?.has('memory') === true && limits.has('cpu'),
      note: limitsNote(limits),
    },
    ...(isOwn ? ofOwnNamespaces(input) : []),
  ];
}

/** What root of namespaces of his own cannot do as a matter of course. */
function ofOwnNamespaces({ users, outward }: CapabilityInput): readonly Capability[] {
  const hasUsers = users.hasUser(1);
  const missing = outward !== undefined && 'missing' in outward ? outward.missing : undefined;
  return [
    {
      name: 'user-ids',
      available: hasUsers,
      note: hasUsers
        ? 'containers have users and groups of their own'
        : 'containers have one user, who is root to them: runAsUser, fsGroup, and programs that change users or owners of files do not work. It takes newuidmap (package uidmap), and a line for this user in /etc/subuid and /etc/subgid (usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER)',
    },
    {
      name: 'outward-connections',
      available: missing === undefined,
      note:
        missing === undefined
          ? 'pods reach what this machine reaches'
          : `pods reach one another and nothing beyond the cluster: ${missing}`,
    },
  ];
}

function limitsNote(limits: ReadonlySet<string> | undefined): string {
  if (limits === undefined) return 'CPU and memory limits are not enforced';
  const lacking = ['cpu', 'memory'].filter((name) => !limits.has(name));
  return lacking.length === 0
    ? 'CPU and memory limits are enforced'
    : `limits of ${lacking.join(' and ')} are not enforced: this machine hands down no such cgroup controller; where systemd is, "systemd-run --user --scope -p Delegate=yes turnsole …" has an ordinary user given them`;
}
