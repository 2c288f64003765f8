import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import type { ControlPlane, Origin } from '../access/context.ts';

/** The page's sign-in; scripts of the page cannot read it. */
export const SESSION_COOKIE = 'turnsole_session';

/** What of a request says who calls: websockets have no more than this either. */
interface RequestHeaders {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
}

/** Who calls: by `Authorization` (with or without `Bearer`, as upstream's clients do), else by the page's cookie. */
export async function callerOf(plane: ControlPlane, headers: RequestHeaders): Promise<Caller> {
  const token = bearer(headers.authorization) ?? cookie(headers.cookie, SESSION_COOKIE);
  return token === undefined ? { kind: 'nobody' } : plane.tokens.callerBy(token, plane.store.read);
}

function bearer(header: string | undefined): string | undefined {
  const token = header?.replace(/^bearer\s+/i, '').trim();
  return token === '' ? undefined : token;
}

function cookie(header: string | undefined, name: string): string | undefined {
  const pairs = header?.split(';').map((pair) => pair.trim().split('='));
  return pairs?.find(([key]) => key === name)?.[1];
}

/** Where a request comes from, and how it has reached the server. */
export function originOf(plane: ControlPlane, request: FastifyRequest): Origin {
  return {
    address: request.ip,
    serverUrl: plane.settings.publicUrl ?? `${request.protocol}://${request.host}`,
  };
}
