import type { IncomingMessage } from 'node:http';
import type { Pattern } from '@turnsole/kube/text/pattern';
import type { ServerSettings } from '../access/server-settings.ts';
import { asReached } from '../access/trusted-proxies.ts';

/**
 * The origins of the server's own pages: how the client has reached it, by scheme, host and port, and its public address. A server behind a
 * proxy that ends TLS knows its scheme by `--trust-proxy` or `--public-url`. Pure.
 */
export function ownOrigins(
  { publicUrl, trustedProxies }: Pick<ServerSettings, 'publicUrl' | 'trustedProxies'>,
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
): readonly string[] {
  const { protocol, host } = asReached(request, trustedProxies);
  const reached = host === undefined || host === '' ? undefined : `${protocol}://${host}`;
  return [reached, publicUrl]
    .filter((url) => url !== undefined)
    .filter((url) => URL.canParse(url))
    .map((url) => new URL(url).origin);
}

/**
 * Whether pages of this origin may call the server: those of the server itself, and those that the settings allow. The whole origin is
 * compared: a page of the same host by another scheme can be that of anyone on the network. Programs send no origin. Pure.
 */
export function originAllowed(
  origin: string | undefined,
  own: readonly string[],
  allowed: readonly Pattern[],
): boolean {
  if (origin === undefined) return true;
  return own.includes(origin) || allowed.some((pattern) => pattern.isIn(origin));
}
