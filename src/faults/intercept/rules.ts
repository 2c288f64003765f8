import { createHash } from 'node:crypto';

/** The traffic of a network namespace that is redirected to an interceptor in it; JSON. */
export type Redirect =
  /** TCP that arrives at an interface for these ports. */
  | { readonly kind: 'inbound'; readonly device: string; readonly ports: readonly number[] }
  /** UDP and TCP that its processes send to these ports, except those with this group. */
  | { readonly kind: 'outbound'; readonly ports: readonly number[]; readonly exceptGroup: number };

/** Address families as nft calls them. */
export type Family = 'ip' | 'ip6';

/**
 * How long the kernel goes on redirecting without a renewal. An interceptor that has died, however, makes its port dead no
 * longer than this.
 */
export const RULES_TIMEOUT_SECONDS = 6;

/** How often an interceptor renews: twice may fail. */
export const RENEW_INTERVAL_MS = 2_000;

/** Chain that rejects what connections from before bring, and counts it. */
export const FORMER_CHAIN = 'former';

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
 * The ports stand in a set whose elements time out. Connections from before cannot be redirected any more: they are reset with
 * the next data they bring, so that clients with connection pools are hit as well, while downloads under way go on.
 *
 * @param toPorts one for each port that is redirected
 */
export function redirectRules(
  table: string,
  families: readonly Family[],
  redirect: Redirect,
  toPorts: readonly number[],
): string {
  return lines(families, (family) => {
    const own = `${family} ${table}`;
    return [
      `add table ${own}`,
      `delete table ${own}`,
      `add table ${own}`,
      `add set ${own} alive { type inet_service; flags timeout; }`,
      ...(redirect.kind === 'inbound'
        ? inboundChains(own, redirect, toPorts)
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
  const arriving = `iifname "${device}" tcp dport @alive`;
  return [
    `add chain ${own} diverted { type nat hook prerouting priority -110; }`,
    ...ports.map(
      (port, index) =>
        `add rule ${own} diverted ${arriving} tcp dport ${port} redirect to :${toPorts[index]}`,
    ),
    `add chain ${own} ${FORMER_CHAIN} { type filter hook input priority 0; }`,
    // Redirected connections have another port by now.
    `add rule ${own} ${FORMER_CHAIN} ${arriving} ct state established tcp flags & psh == psh counter reject with tcp reset`,
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
