import type { OpenConnections } from '../intercept/rules.ts';
import {
  isVersion4,
  type PacketFilter,
  type PacketSelection,
  type PortRange,
  portMasks,
} from './packet-filter.ts';
import type { QueueCount } from './queue-count.ts';

/** The effect on the selected packets; JSON. Shares and correlations are percentages. */
export type PacketEffect =
  /** A netem queue delays them. */
  | {
      readonly kind: 'delay';
      readonly delayMs: number;
      readonly jitterMs: number;
      /** Correlation of one packet's jitter with that of the packet before. */
      readonly correlation: number;
      /** Where proxies stand in for the queue. */
      readonly open: OpenConnections;
    }
  /** A netem queue hits a share of them. */
  | { readonly kind: NetemShare; readonly percent: number; readonly correlation: number }
  /** A token bucket queue limits their rate; in the words of tc, empty for unset ones. */
  | {
      readonly kind: 'rate';
      readonly rate: string;
      readonly burst: string;
      readonly limit: string;
      readonly peakRate: string;
      readonly minBurst: string;
    }
  /** A proxy delays the responses of the pod's TCP servers; no queue is needed. */
  | { readonly kind: 'proxy'; readonly delayMs: number; readonly open: OpenConnections }
  /** A share of them is lost, 0 to 1, each packet on its own. */
  | { readonly kind: 'drop'; readonly probability: number };

/** The effect of a netem queue on a share of packets; its own words. */
type NetemShare = 'loss' | 'corrupt' | 'duplicate';

/** The effects that a queue makes: all but those of proxies. */
export type QueueEffect = Exclude<PacketEffect, { readonly kind: 'proxy' }>;

/** The queue that separates packets: usually `prio`, or `htb` where the kernel has no `prio`. */
type Splitter = 'prio' | 'htb';

/** Everything the commands depend on. */
export interface TcPlanInput {
  readonly device: string;
  /** Handle of the root queue, `7c12:`. */
  readonly handle: string;
  readonly effect: QueueEffect;
  /** Hosts have been replaced by addresses. */
  readonly selection: Pick<PacketSelection, 'only' | 'except'>;
  readonly splitter: Splitter;
}

/** The queue of a plan that hits packets, from the list of `tc qdisc show`; undefined when the plan is not in force. Pure. */
export function hitQueue(queues: readonly QueueCount[], root: string): QueueCount | undefined {
  const byHandle = (handle: string): QueueCount | undefined => queues.find((one) => one.handle === handle);
  const own = byHandle(root);
  return own && (byHandle(DROP) ?? byHandle(LEAF) ?? own);
}

/** Handles of what hangs below the root; only one fault can be at a device's root, so these never meet others. */
const LEAF = '7f01:';
const DROP = '7f02:';
const OTHERS = '7f03:';
const OTHERS_OF_LEAF = '7f04:';

/** Root handles are 7000: to 7eff:; no other tool counts so high. */
export function isOwnHandle(handle: string): boolean {
  return /^7[0-9a-e][0-9a-f]{2}:$/.test(handle);
}

/**
 * The lines for `tc -batch` that make packets leaving a device suffer; pure. Without a selection all of them (ARP too), as
 * upstream. Deleting the root queue by its handle undoes all of it.
 *
 * A split has two ways: the first (or none) for packets that are left alone, `:2` for those that are hit. Losing packets
 * without netem is a filter that draws a number per packet and sends some into a queue that drops everything.
 */
export function tcPlan({ device, handle, effect, selection, splitter }: TcPlanInput): string[] {
  const all = selection.only.length === 0 && selection.except.length === 0;
  if (all) return effectLines(device, 'root', handle, effect, splitter);
  return [
    ...splitLines(device, 'root', handle, splitter),
    ...effectLines(device, `parent ${handle}2`, LEAF, effect, splitter),
    ...filterLines(device, handle, selection),
  ];
}

function effectLines(
  device: string,
  place: string,
  handle: string,
  effect: QueueEffect,
  splitter: Splitter,
): string[] {
  const add = `qdisc add dev ${device} ${place} handle ${handle}`;
  if (effect.kind !== 'drop') return [`${add} ${queueArguments(effect)}`];
  if (effect.probability >= 1) return [`${add} blackhole`];
  return [
    ...splitLines(device, place, handle, splitter),
    `qdisc add dev ${device} parent ${handle}2 handle ${DROP} blackhole`,
    `filter add dev ${device} parent ${handle} protocol all prio 1 bpf bytecode "${chanceProgram(effect.probability)}" classid ${handle}2`,
  ];
}

/** Packets a netem queue may hold: its own default of 1000 would lose some of a fast stream that is only to be late. */
const NETEM_LIMIT = 20_000;

/** Kind and arguments of the queue that has an effect, as tc(8) reads them. */
function queueArguments(effect: Exclude<QueueEffect, { readonly kind: 'drop' }>): string {
  switch (effect.kind) {
    case 'delay': {
      const { delayMs, jitterMs, correlation } = effect;
      const jitter = jitterMs > 0 ? ` ${jitterMs}ms` : '';
      return `netem limit ${NETEM_LIMIT} delay ${delayMs}ms${jitter}${jitterMs > 0 ? correlated(correlation) : ''}`;
    }
    case 'rate': {
      const { rate, burst, limit, peakRate, minBurst } = effect;
      const peak = peakRate === '' ? '' : ` peakrate ${peakRate}`;
      return `tbf rate ${rate} burst ${burst} limit ${limit}${peak}${minBurst === '' ? '' : ` mtu ${minBurst}`}`;
    }
    default:
      return `netem ${effect.kind} ${effect.percent}%${correlated(effect.correlation)}`;
  }
}

function correlated(percent: number): string {
  return percent > 0 ? ` ${percent}%` : '';
}

/** Queues for packets that are left alone hold as many as a usual device's. */
const QUEUE_PACKETS = 1000;

function splitLines(device: string, place: string, handle: string, splitter: Splitter): string[] {
  const add = `qdisc add dev ${device} ${place} handle ${handle} ${splitter}`;
  if (splitter === 'prio') {
    // The usual map would send some types of service into the second band.
    return [
      `${add} bands 2 priomap ${'0 '.repeat(16).trim()}`,
      `qdisc add dev ${device} parent ${handle}1 handle ${handle === LEAF ? OTHERS_OF_LEAF : OTHERS} pfifo limit ${QUEUE_PACKETS}`,
    ];
  }
  return [
    // Default 0: packets that no filter selects go straight through.
    `${add} default 0 direct_qlen ${QUEUE_PACKETS}`,
    `class add dev ${device} parent ${handle} classid ${handle}2 htb rate 100gbit quantum 60000`,
  ];
}

/**
 * A classic BPF program (struct sock_filter: code, jt, jf, k) that says yes to a share of packets: load a random word
 * (SKF_AD_OFF + SKF_AD_RANDOM), compare, return all ones (the class of the filter) or 0 (no match).
 */
function chanceProgram(probability: number): string {
  const limit = Math.min(0xffffffff, Math.round(probability * 2 ** 32));
  return `4,32 0 0 4294963256,53 1 0 ${limit},6 0 0 4294967295,6 0 0 0`;
}

/** Filters apply in the order of their priority; one priority has one protocol. */
function filterLines(device: string, handle: string, { only, except }: TcPlanInput['selection']): string[] {
  const add = (priority: number, protocol: string, match: string, way: 1 | 2): string =>
    `filter add dev ${device} parent ${handle} protocol ${protocol} prio ${priority} u32 ${match} flowid ${handle}${way}`;
  const each = (filters: readonly PacketFilter[], priority: number, way: 1 | 2): string[] =>
    filters.flatMap((filter) => [
      ...matches(filter, 'ip').map((match) => add(priority, 'ip', match, way)),
      ...matches(filter, 'ip6').map((match) => add(priority + 1, 'ipv6', match, way)),
    ]);
  return [
    ...each(except, 1, 1),
    ...each(only, 3, 2),
    ...(only.length === 0 ? [add(5, 'all', 'match u32 0 0', 2)] : []),
  ];
}

/** TCP, UDP and SCTP have their ports at the same place. */
const PORT_PROTOCOLS = [6, 17, 132] as const;

function matches({ destination, destinationPort, sourcePort }: PacketFilter, family: 'ip' | 'ip6'): string[] {
  if (destination !== undefined && isVersion4(destination) !== (family === 'ip')) return [];
  const address = destination === undefined ? '' : `match ${family} dst ${destination}`;
  const ports = [
    ...portMatches(family, 'dport', destinationPort),
    ...portMatches(family, 'sport', sourcePort),
  ];
  if (ports.length === 0) return [address];
  return ports.flatMap((port) =>
    PORT_PROTOCOLS.map((protocol) => `${address} match ${family} protocol ${protocol} 0xff ${port}`.trim()),
  );
}

function portMatches(family: string, side: 'dport' | 'sport', range: PortRange | undefined): string[] {
  if (range === undefined) return [];
  return portMasks(range).map(
    ({ value, mask }) => `match ${family} ${side} ${value} 0x${mask.toString(16).padStart(4, '0')}`,
  );
}
