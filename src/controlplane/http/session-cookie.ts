import type { Context } from '../access/context.ts';

/** Cookie of the page's sign-in; scripts of the page cannot read it. */
export const SESSION_COOKIE = 'turnsole_session';

/** Value of `set-cookie` that stores a token in a browser, or deletes it if the token is empty. */
export function sessionCookie({ plane, origin }: Context, token: string): string {
  const seconds = token === '' ? 0 : plane.settings.sessionSeconds;
  const secure = origin.serverUrl.startsWith('https:') ? '; Secure' : '';
  return `${SESSION_COOKIE}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
