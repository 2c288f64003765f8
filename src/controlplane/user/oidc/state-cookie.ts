import { createHash, timingSafeEqual } from 'node:crypto';
import type { OidcSettings } from '../../access/oidc-settings.ts';

const NAME = 'turnsole_oidc';

/**
 * Value of `set-cookie` that proves, when the browser returns, that it has begun this sign-in: following an attacker's link cannot sign a user
 * in as another one. The browser returns from another site, which `Lax` allows.
 */
export function stateCookie({ callbackUrl }: OidcSettings, state: string, seconds: number): string {
  const secure = callbackUrl.startsWith('https:') ? '; Secure' : '';
  return `${NAME}=${seconds === 0 ? '' : hash(state)}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** Whether a browser with these cookies has begun the sign-in of this state. Pure. */
export function hasBegun(cookies: string | undefined, state: string): boolean {
  const pairs = (cookies ?? '').split(';').map((pair) => pair.trim().split('='));
  const shown = Buffer.from(pairs.find(([name]) => name === NAME)?.[1] ?? '');
  const expected = Buffer.from(hash(state));
  return shown.length === expected.length && timingSafeEqual(shown, expected);
}

function hash(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}
