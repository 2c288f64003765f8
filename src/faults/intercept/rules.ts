import { createHash } from 'node:crypto';
import type { Span } from '../../chaos/force-windows.ts';

/** The traffic of a network namespace that is redirected to an interceptor in it; JSON. */
export type Redirect =
  /** TCP that arrives at an interface for these ports. */
  | { readonly kind: 'inbound'; readonly device: string; readonly ports: readonly number[] }
  /** UDP and TCP that its processes send to these ports, except those with this group. */
  | { readonly kind: 'outbound'; readonly ports: readonly number[]; readonly exceptGroup: number };

/** What becomes of connections that are open when the redirection begins: the kernel redirects new ones only. JSON. */
export type OpenConnections =
  /** They are reset with the next data that they bring, so that their clients open new ones; a download under way goes on. */
  | { readonly kind: 'reset' }
  /** They are left alone, and what comes on them is not hit. */
  | { readonly kind: 'keep' }
  /** Percent of the answers that the pod sends on them come so much later. */
  | { readonly kind: 'delay'; readonly delayMs: number; readonly percent: number };

/** Address families as nft calls them. */
export type Family = 'ip' | 'ip6';

/**
 * How long the kernel goes on redirecting without a renewal. An interceptor that has died, however, makes its port dead no
 * longer than this.
 */
export const RULES_TIMEOUT_SECONDS = 6;

/** How often an interceptor renews: twice may fail. */
export const RENEW_INTERVAL_MS = 2_000;

/**
 * When rules did not redirect, as far as that can be: they had been loaded at the earliest when that was asked for, and then again at the latest
 * when that was done. Undefined where they had not expired. All in milliseconds. Pure.
 */
export function lapseOf(loadedMs: number, loadedAgainMs: number): Span | undefined {
  const fromMs = loadedMs + RULES_TIMEOUT_SECONDS * 1_000;
  return fromMs < loadedAgainMs ? { fromMs, toMs: loadedAgainMs } : undefined;
}

/** Chain that rejects what connections from before bring, and counts it. */
export const FORMER_CHAIN = 'former';

/** Chain that holds back what is sent on connections from before, and counts how often. */
export const HELD_CHAIN = 'held';

/** All packets that the rules of a listing have counted (`nft list chain`). Pure. */
export function countedPackets(listing: string): number {
  return [...listing.matchAll(/\bcounter packets (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** What a table redirects at the moment. */
export interface Redirection {
  readonly kind: Redirect['kind'];
  readonly ports: readonly number[];
  /** Where its interceptor listens. */
  readonly toPorts: readonly number[];
}

/** Tables of interceptors in a listing (`nft list tables`). Pure. */
export function parseTables(listing: string): string[] {
  return [...listing.matchAll(/^table ip (turnsole_[0-9a-f]{16})$/gm)].map(([, name = '']) => name);
}

/** The redirection by the listing of a table (`nft list table`); undefined when its ports have expired or it is none of these. Pure. */
export function parseRedirection(listing: string): Redirection | undefined {
  const elements = /elements = \{([^}]*)\}/.exec(listing)?.[1] ?? '';
  const ports = [...elements.matchAll(/(\d+) timeout /g)].map(([, port]) => Number(port));
  const hook = /type nat hook (prerouting|output)/.exec(listing)?.[1];
  if (ports.length === 0 || hook === undefined) return undefined;
  const toPorts = [...listing.matchAll(/ redirect to :(\d+)/g)].map(([, port]) => Number(port));
  return { kind: hook === 'prerouting' ? 'inbound' : 'outbound', ports, toPorts };
}

/** The table of an injection; a revert needs nothing but its id. Pure. */
export function tableOf(injectionId: string): string {
  return `turnsole_${createHash('sha256').update(injectionId).digest('hex').slice(0, 16)}`;
}

/**
 * Input of `nft -f -` that redirects, all or nothing (nft(8)). Pure.
 *
 * The ports stand in a set whose elements time out. Connections from before cannot be redirected any more.
 *
 * @param toPorts one for each port that is redirected
 * @param open connections from before, of an inbound redirection
 */
export function redirectRules(
  table: string,
  families: readonly Family[],
  redirect: Redirect,
  toPorts: readonly number[],
  open: OpenConnections,
): string {
  return lines(families, (family) => {
    const own = `${family} ${table}`;
    return [
      `add table ${own}`,
      `delete table ${own}`,
      `add table ${own}`,
      `add set ${own} alive { type inet_service; flags timeout; }`,
      ...(redirect.kind === 'inbound'
        ? [...inboundChains(own, redirect, toPorts), ...openChains(family, own, redirect, open)]
        : outboundChains(own, redirect, toPorts)),
      ...renewLines(own, redirect.ports),
    ];
  });
}

/** Input of `nft -f -` that keeps the rules for another while; it fails when they have been removed. Pure. */
export function renewRules(table: string, families: readonly Family[], ports: readonly number[]): string {
  return lines(families, (family) => renewLines(`${family} ${table}`, ports));
}

/**
 * Input of `nft -f -` that redirects nothing new. Connections that were redirected go on, as long as the table is there: without it
 * the kernel would not translate them any more. Pure.
 */
export function pauseRules(table: string, families: readonly Family[], ports: readonly number[]): string {
  return lines(families, (family) => renewLines(`${family} ${table}`, ports).slice(0, 2));
}

/** Input of `nft -f -` that removes the rules, whether they are there or not. Pure. */
export function removeRules(table: string, families: readonly Family[]): string {
  return lines(families, (family) => [`add table ${family} ${table}`, `delete table ${family} ${table}`]);
}

function inboundChains(
  own: string,
  { device, ports }: Extract<Redirect, { kind: 'inbound' }>,
  toPorts: readonly number[],
): string[] {
  // The kernel may have followed no connection before: without the flags it would take the middle of one for the beginning of another.
  const arriving = `iifname "${device}" tcp dport @alive tcp flags & (fin | syn | rst | ack) == syn`;
  return [
    `add chain ${own} diverted { type nat hook prerouting priority -110; }`,
    ...ports.map(
      (port, index) =>
        `add rule ${own} diverted ${arriving} tcp dport ${port} redirect to :${toPorts[index]}`,
    ),
  ];
}

/** Connections that are open when it begins. Redirected ones have another port by the time that these rules are asked. */
function openChains(
  family: Family,
  own: string,
  { device }: Extract<Redirect, { kind: 'inbound' }>,
  open: OpenConnections,
): string[] {
  switch (open.kind) {
    case 'keep':
      return [];
    case 'reset':
      return [
        `add chain ${own} ${FORMER_CHAIN} { type filter hook input priority 0; }`,
        `add rule ${own} ${FORMER_CHAIN} iifname "${device}" tcp dport @alive tcp flags & psh == psh counter reject with tcp reset`,
      ];
    case 'delay':
      return delayChains(family, own, device, open);
  }
}

/** A pause after which the next data is delayed anew, also where the client has sent nothing in between: a stream has gone on. */
const BURST_PAUSE_MS = 100;
/** Time in which all of a long answer that was held back comes through, whatever its client sends meanwhile. */
const BACKLOG_MS = 50;
/** TCP sends again what got no answer, with pauses that double, up to two minutes. */
const LONGEST_RESEND_MS = 130_000;
/** No packet without data is longer, whatever its options are. */
const LONGEST_EMPTY_BYTES = 100;
/** A packet that is longer is part of a long answer. */
const LONG_BYTES = 1000;

/**
 * Delays what is sent on connections, without a queue: the first packets of an answer are dropped until the delay is over, so that what
 * arrives is the first one that TCP sends again after it. A connection is `young` while it waits, `waiting` until a packet of it has
 * come through, and `flowing` while its packets follow one another and its client sends nothing new. TCP resends after 200 ms at the
 * earliest, then in pauses that double: the delay is at least that, and less than twice as long as wanted when it is longer.
 *
 * A `long` answer has packets waiting behind the first one: when that has come through, the others do, though the client may send more
 * (`through`). Else each of them would be delayed by itself.
 */
function delayChains(
  family: Family,
  own: string,
  device: string,
  { delayMs, percent }: Extract<OpenConnections, { kind: 'delay' }>,
): string[] {
  const flow = `${family} daddr . tcp dport . tcp sport`;
  const back = `${family} saddr . tcp sport . tcp dport`;
  const address = family === 'ip' ? 'ipv4_addr' : 'ipv6_addr';
  const set = (name: string): string =>
    `add set ${own} ${name} { type ${address} . inet_service . inet_service; flags dynamic,timeout; size 65535; }`;
  const put = (name: string, ms: number): string => `@${name} { ${flow} timeout ${ms}ms }`;
  const drop = (name: string): string => `delete @${name} { ${flow} }`;
  const flows = `add ${put('flowing', BURST_PAUSE_MS)} accept`;
  const waits = `add ${put('young', delayMs)} add ${put('waiting', delayMs + LONGEST_RESEND_MS)}`;
  const long = `add ${put('long', delayMs + LONGEST_RESEND_MS)}`;
  const rule = `add rule ${own} late`;
  const data = ['tcp flags & psh == psh', `meta length > ${LONGEST_EMPTY_BYTES}`];
  return [
    ...['young', 'waiting', 'flowing', 'long', 'through'].map(set),
    `add chain ${own} ${HELD_CHAIN}`,
    `add rule ${own} ${HELD_CHAIN} counter drop`,
    `add chain ${own} late`,
    `${rule} ${flow} @flowing update ${put('flowing', BURST_PAUSE_MS)} accept`,
    `${rule} ${flow} @young meta length > ${LONG_BYTES} ${long} drop`,
    `${rule} ${flow} @young drop`,
    `${rule} ${flow} @waiting ${flow} @long ${drop('waiting')} ${drop('long')} add ${put('through', BACKLOG_MS)} ${flows}`,
    `${rule} ${flow} @waiting ${drop('waiting')} ${flows}`,
    ...(percent < 100 ? [`${rule} numgen random mod 10000 >= ${Math.round(percent * 100)} ${flows}`] : []),
    `${rule} meta length > ${LONG_BYTES} ${waits} ${long} goto ${HELD_CHAIN}`,
    `${rule} ${waits} goto ${HELD_CHAIN}`,
    `add chain ${own} sent { type filter hook output priority 0; }`,
    ...data.map((is) => `add rule ${own} sent oifname "${device}" tcp sport @alive ${is} goto late`),
    `add chain ${own} asked { type filter hook input priority 0; }`,
    ...data.map(
      (is) =>
        `add rule ${own} asked iifname "${device}" tcp dport @alive ${is} ${back} != @through delete @flowing { ${back} }`,
    ),
  ];
}

function outboundChains(
  own: string,
  { exceptGroup, ports }: Extract<Redirect, { kind: 'outbound' }>,
  toPorts: readonly number[],
): string[] {
  return [
    `add chain ${own} diverted { type nat hook output priority -110; }`,
    `add rule ${own} diverted meta skgid ${exceptGroup} return`,
    ...ports.flatMap((port, index) =>
      ['udp', 'tcp'].map(
        (protocol) =>
          `add rule ${own} diverted ${protocol} dport @alive ${protocol} dport ${port} redirect to :${toPorts[index]}`,
      ),
    ),
    `add chain ${own} ${FORMER_CHAIN} { type filter hook output priority 0; }`,
    `add rule ${own} ${FORMER_CHAIN} meta skgid ${exceptGroup} return`,
    `add rule ${own} ${FORMER_CHAIN} udp dport @alive counter reject`,
    `add rule ${own} ${FORMER_CHAIN} tcp dport @alive counter reject with tcp reset`,
  ];
}

/** Older kernels do not prolong an element that is there. */
function renewLines(own: string, ports: readonly number[]): string[] {
  const renewed = ports.map((port) => `${port} timeout ${RULES_TIMEOUT_SECONDS}s`);
  return [
    `add element ${own} alive { ${ports.join(', ')} }`,
    `delete element ${own} alive { ${ports.join(', ')} }`,
    `add element ${own} alive { ${renewed.join(', ')} }`,
  ];
}

function lines(families: readonly Family[], of: (family: Family) => readonly string[]): string {
  return `${families.flatMap(of).join('\n')}\n`;
}
