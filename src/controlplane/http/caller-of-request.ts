import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import type { ControlPlane, Origin } from '../access/context.ts';
import { asReached } from '../access/trusted-proxies.ts';
import { sessionOf } from './session-cookie.ts';

/** The headers that identify the caller, also of a websocket. */
interface RequestHeaders {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | readonly string[] | undefined;
}

/**
 * The caller by `Authorization` (with or without `Bearer`, as upstream's clients send it), else by the page's cookie.
 *
 * @param mayChange whether the request can change something, as one by POST and a websocket can
 */
export async function callerOf(
  plane: ControlPlane,
  headers: RequestHeaders,
  mayChange: boolean,
): Promise<Caller> {
  const token =
    bearer(headers.authorization) ??
    (cookieCounts(headers, mayChange) ? sessionOf(plane.tokens, headers.cookie) : undefined);
  return token === undefined ? { kind: 'nobody' } : plane.tokens.callerBy(token, plane.store.read);
}

/**
 * Whether the cookie of a request counts. A browser also sends it with requests that another site triggers. For changes the request therefore
 * has to come from a page of this server, shown by an origin, which was checked before (see browser-origins.ts), or by `Sec-Fetch-Site`. Programs
 * with a token send it as `Authorization`. Pure.
 */
export function cookieCounts(headers: RequestHeaders, mayChange: boolean): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && headers.origin === undefined)
    return false;
  return !mayChange || headers.origin !== undefined || site === 'same-origin';
}

function bearer(header: string | undefined): string | undefined {
  const token = header?.replace(/^bearer\s+/i, '').trim();
  return token === '' ? undefined : token;
}

/** The client's address and the server's address as the client uses it, which upstream's clients send as `Referer`, also behind proxies. */
export function originOf(plane: ControlPlane, request: FastifyRequest): Origin {
  const { publicUrl, trustedProxies } = plane.settings;
  const { protocol, host = 'localhost' } = asReached(request.raw, trustedProxies);
  return {
    address: request.ip,
    serverUrl: publicUrl ?? addressOfReferer(request.headers.referer) ?? `${protocol}://${host}`,
    cookies: request.headers.cookie,
  };
}

/** Scheme and host of a page's address. Pure. */
function addressOfReferer(referer: string | undefined): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const { protocol, origin } = new URL(referer);
  return protocol === 'http:' || protocol === 'https:' ? origin : undefined;
}
