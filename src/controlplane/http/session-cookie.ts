import type { Context } from '../access/context.ts';
import type { Tokens } from '../access/tokens.ts';

/** Browsers take a cookie with this prefix only by HTTPS, from the host itself. */
const SECURE_PREFIX = '__Host-';

/** Value of `set-cookie` that stores a token in a browser, or deletes it if the token is empty. Scripts of the page cannot read it. */
export function sessionCookie(context: Context, token: string): string {
  const { settings, tokens } = context.plane;
  return cookieText(context, tokens.cookieName, token, token === '' ? 0 : settings.sessionSeconds);
}

/** Value of `set-cookie` for a cookie that only this server gets, and no script. */
export function cookieText(
  { origin }: Pick<Context, 'origin'>,
  name: string,
  value: string,
  seconds: number,
): string {
  const isSecure = origin.serverUrl.startsWith('https:');
  const prefix = isSecure ? SECURE_PREFIX : '';
  return `${prefix}${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}

/** The token in a request's header `cookie`. Pure. */
export function sessionOf(
  { cookieName }: Pick<Tokens, 'cookieName'>,
  header: string | undefined,
): string | undefined {
  return cookieIn(cookieName, header);
}

/** The value of a cookie that `cookieText` has made. Pure. */
export function cookieIn(name: string, header: string | undefined): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='));
  const valueOf = (wanted: string): string | undefined => pairs.find(([key]) => key === wanted)?.[1];
  return valueOf(`${SECURE_PREFIX}${name}`) ?? valueOf(name);
}
