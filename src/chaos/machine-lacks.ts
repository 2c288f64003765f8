/**
 * Capabilities and programs that faults may need of their machine, and which of them a machine lacks. An embedded cluster examines its
 * machine when it starts, and notes on its nodes what is missing, where plans read it.
 */
import type { Node } from '@turnsole/kube/kinds/core';
import { CAPABILITY_BITS, type Capability, lackingCapabilities } from '@turnsole/kube/text/capabilities';

/** Programs that faults use, with the package that has them in Debian and its relatives. */
export const TOOL_PACKAGES = {
  du: 'coreutils',
  fallocate: 'util-linux',
  fio: 'fio',
  ip: 'iproute2',
  iptables: 'iptables',
  ip6tables: 'iptables',
  nft: 'nftables',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
  ssh: 'openssh-client',
  'stress-ng': 'stress-ng',
  systemctl: 'systemd',
  tc: 'iproute2',
  unshare: 'util-linux',
} as const;

/** A program that faults use. */
export type Tool = keyof typeof TOOL_PACKAGES;

/** What a machine lacks. JSON. */
export interface MachineLacks {
  readonly capabilities: readonly Capability[];
  readonly tools: readonly Tool[];
  /** The system, where it is not Linux. */
  readonly linux?: string;
  /** Why the pods of its embedded cluster share networks, processes and files; absent where they do not. */
  readonly isolation?: string;
}

/** Facts about a process and its machine. */
interface MachineFeatures {
  /** As Node names it: `linux`, `darwin`… */
  readonly platform: string;
  /** Text of /proc/<pid>/status; empty without one, and then every capability is missing, which is the truth. */
  readonly status: string;
  readonly hasTool: (name: Tool) => boolean;
  /** Whether the process is root of a namespace with one user and one group, so that it has no other to become. @default false */
  readonly hasOneId?: boolean;
  /** Why pods are not isolated; undefined when they are, and where that does not matter. */
  readonly notIsolated?: string | undefined;
}

/** Of no use where there are no other ids. */
export const OF_OTHER_IDS: readonly Capability[] = ['SETUID', 'SETGID'];

/** What a process lacks of all that faults may need. Pure. */
export function machineLacks(features: MachineFeatures): MachineLacks {
  const { platform, status, hasTool, hasOneId = false, notIsolated } = features;
  // The tables have these names and no others.
  const lacking = lackingCapabilities(status, Object.keys(CAPABILITY_BITS) as Capability[]);
  return {
    capabilities: [...new Set([...lacking, ...(hasOneId ? OF_OTHER_IDS : [])])],
    tools: (Object.keys(TOOL_PACKAGES) as Tool[]).filter((name) => !hasTool(name)),
    ...(platform === 'linux' ? {} : { linux: platform }),
    ...(notIsolated === undefined ? {} : { isolation: notIsolated }),
  };
}

/** Annotation of the nodes of an embedded cluster: {@link MachineLacks} as JSON. */
export const LACKS_ANNOTATION = 'turnsole.io/machine-lacks';

/** What a node lacks by its annotation; undefined without the annotation, or when this release cannot read it. Pure. */
export function lacksOfNode({ metadata }: Pick<Node, 'metadata'>): MachineLacks | undefined {
  try {
    const said = JSON.parse(
      metadata.annotations?.[LACKS_ANNOTATION] ?? 'null',
    ) as Partial<MachineLacks> | null;
    if (!Array.isArray(said?.capabilities) || !Array.isArray(said.tools)) return undefined;
    const { capabilities, tools, linux, isolation } = said;
    return {
      capabilities,
      tools,
      ...(typeof linux === 'string' ? { linux } : {}),
      ...(typeof isolation === 'string' ? { isolation } : {}),
    };
  } catch {
    return undefined;
  }
}
