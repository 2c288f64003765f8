import { createHash } from 'node:crypto';

/** Which traffic of a network namespace goes to an interceptor in it; JSON. */
export type Redirect =
  /** TCP that comes in at an interface for a port. */
  | { readonly kind: 'inbound'; readonly device: string; readonly port: number }
  /** UDP and TCP that its processes send to a port, except those with this group. */
  | { readonly kind: 'outbound'; readonly port: number; readonly exceptGroup: number };

/** Address families as nft calls them. */
export type Family = 'ip' | 'ip6';

/**
 * How long the kernel goes on redirecting when nobody renews. An interceptor that has died, however, makes its port dead no
 * longer than this.
 */
export const RULES_TIMEOUT_SECONDS = 6;

/** How often an interceptor renews: twice may fail. */
export const RENEW_INTERVAL_MS = 2_000;

/** The table of an injection; whoever reverts it needs nothing but its id. Pure. */
export function tableOf(injectionId: string): string {
  return `turnsole_${createHash('sha256').update(injectionId).digest('hex').slice(0, 16)}`;
}

/**
 * Input of `nft -f -` that redirects, all or nothing (nft(8)). Pure.
 *
 * The port stands in a set whose element times out. Connections from before cannot be redirected any more: they are reset with
 * the next data they bring, so that clients with connection pools are hit as well, while downloads under way go on.
 */
export function redirectRules(
  table: string,
  families: readonly Family[],
  redirect: Redirect,
  toPort: number,
): string {
  return lines(families, (family) => {
    const own = `${family} ${table}`;
    return [
      `add table ${own}`,
      `delete table ${own}`,
      `add table ${own}`,
      `add set ${own} alive { type inet_service; flags timeout; }`,
      ...(redirect.kind === 'inbound'
        ? inboundChains(own, redirect, toPort)
        : outboundChains(own, redirect, toPort)),
      ...renewLines(own, redirect.port),
    ];
  });
}

/** Input of `nft -f -` that keeps the rules for another while; it fails when they have been removed. Pure. */
export function renewRules(table: string, families: readonly Family[], port: number): string {
  return lines(families, (family) => renewLines(`${family} ${table}`, port));
}

/**
 * Input of `nft -f -` that redirects nothing new. Connections that were redirected go on, as long as the table is there: without it
 * the kernel would not translate them any more. Pure.
 */
export function pauseRules(table: string, families: readonly Family[], port: number): string {
  return lines(families, (family) => renewLines(`${family} ${table}`, port).slice(0, 2));
}

/** Input of `nft -f -` that removes the rules, whether they are there or not. Pure. */
export function removeRules(table: string, families: readonly Family[]): string {
  return lines(families, (family) => [`add table ${family} ${table}`, `delete table ${family} ${table}`]);
}

function inboundChains(own: string, { device }: { readonly device: string }, toPort: number): string[] {
  const arriving = `iifname "${device}" tcp dport @alive`;
  return [
    `add chain ${own} diverted { type nat hook prerouting priority -110; }`,
    `add rule ${own} diverted ${arriving} redirect to :${toPort}`,
    `add chain ${own} former { type filter hook input priority 0; }`,
    // What was redirected has another port by now.
    `add rule ${own} former ${arriving} ct state established tcp flags & psh == psh reject with tcp reset`,
  ];
}

function outboundChains(
  own: string,
  { exceptGroup }: { readonly exceptGroup: number },
  toPort: number,
): string[] {
  return [
    `add chain ${own} diverted { type nat hook output priority -110; }`,
    `add rule ${own} diverted meta skgid ${exceptGroup} return`,
    `add rule ${own} diverted udp dport @alive redirect to :${toPort}`,
    `add rule ${own} diverted tcp dport @alive redirect to :${toPort}`,
    `add chain ${own} former { type filter hook output priority 0; }`,
    `add rule ${own} former meta skgid ${exceptGroup} return`,
    `add rule ${own} former udp dport @alive reject`,
    `add rule ${own} former tcp dport @alive reject with tcp reset`,
  ];
}

/** Older kernels do not prolong an element that is there. */
function renewLines(own: string, port: number): string[] {
  return [
    `add element ${own} alive { ${port} }`,
    `delete element ${own} alive { ${port} }`,
    `add element ${own} alive { ${port} timeout ${RULES_TIMEOUT_SECONDS}s }`,
  ];
}

function lines(families: readonly Family[], of: (family: Family) => readonly string[]): string {
  return `${families.flatMap(of).join('\n')}\n`;
}
