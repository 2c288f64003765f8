import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import type { ControlPlane, Origin } from '../access/context.ts';
import { SESSION_COOKIE } from './session-cookie.ts';

/** What of a request says who calls: websockets have no more than this either. */
interface RequestHeaders {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | readonly string[] | undefined;
}

/**
 * Who calls: by `Authorization` (with or without `Bearer`, as upstream's clients do), else by the page's cookie.
 *
 * @param mayChange whether the request can change something, as one by POST and a websocket can
 */
export async function callerOf(
  plane: ControlPlane,
  headers: RequestHeaders,
  mayChange: boolean,
): Promise<Caller> {
  const token =
    bearer(headers.authorization) ?? (cookieCounts(headers, mayChange) ? sessionOf(headers) : undefined);
  return token === undefined ? { kind: 'nobody' } : plane.tokens.callerBy(token, plane.store.read);
}

/**
 * Whether the cookie of a request is believed. A browser also sends it with what another page has made it send, so for changes it has to say
 * that a page of this server asks: by an origin, which was checked before (see browser-origins.ts), or by `Sec-Fetch-Site`. Programs that
 * have a token send it as `Authorization`. Pure.
 */
export function cookieCounts(headers: RequestHeaders, mayChange: boolean): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && headers.origin === undefined)
    return false;
  return !mayChange || headers.origin !== undefined || site === 'same-origin';
}

function sessionOf({ cookie: header }: RequestHeaders): string | undefined {
  return cookie(header, SESSION_COOKIE);
}

function bearer(header: string | undefined): string | undefined {
  const token = header?.replace(/^bearer\s+/i, '').trim();
  return token === '' ? undefined : token;
}

function cookie(header: string | undefined, name: string): string | undefined {
  const pairs = header?.split(';').map((pair) => pair.trim().split('='));
  return pairs?.find(([key]) => key === name)?.[1];
}

/** Where a request comes from, and how it has reached the server: upstream's clients say that by `Referer`, also from behind proxies. */
export function originOf(plane: ControlPlane, request: FastifyRequest): Origin {
  const { publicUrl } = plane.settings;
  const asReached = `${request.protocol}://${request.host}`;
  return {
    address: request.ip,
    serverUrl: publicUrl ?? addressOfReferer(request.headers.referer) ?? asReached,
    cookies: request.headers.cookie,
  };
}

/** Scheme and host of a page's address. Pure. */
function addressOfReferer(referer: string | undefined): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const { protocol, origin } = new URL(referer);
  return protocol === 'http:' || protocol === 'https:' ? origin : undefined;
}
