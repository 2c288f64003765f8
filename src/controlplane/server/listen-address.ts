import { isIP } from 'node:net';
import { UsageError } from '../../process/usage-error.ts';

/** Address on which a server listens. */
export interface ListenAddress {
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
}

/** Both IPv6 and IPv4. */
const ALL = '::';
/** The highest port there is. */
export const MOST_PORT = 65_535;

/**
 * Reads `HOST:PORT`, `[IPv6]:PORT`, `:PORT` (all addresses) and `PORT` (this machine only). Pure.
 *
 * @throws UsageError that names the option
 */
export function parseListenAddress(option: string, text: string): ListenAddress {
  const match = /^(?:(?<host>\[[^\]]+\]|[^:]*)(?<colon>:))?(?<port>\d{1,5})$/.exec(text.trim());
  const { host = '', colon, port = '' } = match?.groups ?? {};
  if (match === null || Number(port) > MOST_PORT) {
    throw new UsageError(`${option}: expected HOST:PORT, :PORT or PORT, found ${JSON.stringify(text)}`);
  }
  if (colon === undefined) return { host: '127.0.0.1', port: Number(port) };
  return { host: host === '' ? ALL : host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** The URL for clients; for a server on all addresses that of this machine. Pure. */
export function urlOf(scheme: 'http' | 'https', { host, port }: ListenAddress): string {
  const name = host === ALL || host === '0.0.0.0' ? 'localhost' : host;
  return `${scheme}://${isIP(name) === 6 ? `[${name}]` : name}:${port}`;
}
