import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { addNetwork } from '../remote/index.ts';

/**
 * The reverse proxies in front of the server, which append the address of their client to `X-Forwarded-For`: so many in a row, or those of
 * these networks. What stands further to the left in that header was written by the client, and is believed by neither.
 */
export type TrustedProxies = { readonly hops: number } | { readonly networks: BlockList };

const MOST_HOPS = 10;

/**
 * Reads a number of proxies (`2`), or their addresses and networks (`10.0.0.0/8,192.168.1.7`). Pure.
 *
 * @throws RangeError with what was expected
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  if (/^\d+$/.test(text)) {
    const hops = Number(text);
    if (hops >= 1 && hops <= MOST_HOPS) return { hops };
    throw new RangeError(`expected 1 to ${MOST_HOPS} proxies, found ${text}`);
  }
  const networks = new BlockList();
  for (const entry of text.split(',').map((part) => part.trim())) addNetwork(networks, entry);
  return { networks };
}

/**
 * Whether the sender of a request, or of what a proxy has forwarded, is one of the proxies. Pure.
 *
 * @param hop 0 for the address that the connection comes from, 1 for the last one of `X-Forwarded-For`, and so on to its left
 */
export function isTrusted(proxies: TrustedProxies | undefined, address: string, hop: number): boolean {
  if (proxies === undefined) return false;
  if ('hops' in proxies) return hop < proxies.hops;
  const version = isIP(address);
  return version !== 0 && proxies.networks.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** How a client has reached the server: by the connection, or as a trusted proxy at its other end says. Pure. */
export function asReached(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  proxies: TrustedProxies | undefined,
): { readonly protocol: string; readonly host: string | undefined } {
  const isProxied = isTrusted(proxies, socket.remoteAddress ?? '', 0);
  const forwarded = (name: string): string | undefined => (isProxied ? lastOf(headers[name]) : undefined);
  const own = 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http';
  return {
    protocol: forwarded('x-forwarded-proto') ?? own,
    host: forwarded('x-forwarded-host') ?? headers.host,
  };
}

/** The last entry of a header's list, which the nearest proxy has written. */
function lastOf(header: string | string[] | undefined): string | undefined {
  const last = [header ?? ''].flat().join(',').split(',').at(-1)?.trim();
  return last === '' ? undefined : last;
}
