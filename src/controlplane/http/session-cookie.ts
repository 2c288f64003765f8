import type { Context } from '../access/context.ts';
import type { Tokens } from '../access/tokens.ts';

/** Browsers take a cookie with this prefix only by HTTPS, from the host itself. */
const SECURE_PREFIX = '__Host-';

/** Value of `set-cookie` that stores a token in a browser, or deletes it if the token is empty. Scripts of the page cannot read it. */
export function sessionCookie({ plane, origin }: Context, token: string): string {
  const seconds = token === '' ? 0 : plane.settings.sessionSeconds;
  const isSecure = origin.serverUrl.startsWith('https:');
  const name = `${isSecure ? SECURE_PREFIX : ''}${plane.tokens.cookieName}`;
  return `${name}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}

/** The token in a request's header `cookie`. Pure. */
export function sessionOf(
  { cookieName }: Pick<Tokens, 'cookieName'>,
  header: string | undefined,
): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='));
  const valueOf = (name: string): string | undefined => pairs.find(([key]) => key === name)?.[1];
  return valueOf(`${SECURE_PREFIX}${cookieName}`) ?? valueOf(cookieName);
}
