import { createHash } from 'node:crypto';
import type { Context } from '../access/context.ts';
import { cookieIn, cookieText } from '../http/session-cookie.ts';

/** Purpose for sealing these cookies. */
const DEVICE = 'device of a user';
/** How long a browser counts as one in which its user has signed in; each sign-in by password begins it anew. */
const HOLDS_MS = 180 * 24 * 3_600_000;

/**
 * Value of `set-cookie` that shows, at later sign-ins, that this browser is one in which the user has signed in. It signs nobody in: attempts with it are counted
 * apart, so that wrong passwords from elsewhere do not keep the user out.
 */
export function deviceCookie(context: Context, nameKey: string): string {
  const { secrets, clock, ids } = context.plane;
  const value = secrets.seal(DEVICE, JSON.stringify([nameKey, ids.id(), clock.now() + HOLDS_MS]));
  return cookieText(context, nameOf(context, nameKey), value, HOLDS_MS / 1000);
}

/** Id of the browser of this request, if the user of this name has signed in there; undefined for a cookie of others, and for none. */
export function deviceOf(context: Context, nameKey: string): string | undefined {
  const { secrets, clock } = context.plane;
  const value = cookieIn(nameOf(context, nameKey), context.origin.cookies);
  if (value === undefined) return undefined;
  try {
    // Sealed above: a text that opens is one of those.
    const [name, id, until] = JSON.parse(secrets.open(DEVICE, value)) as [string, string, number];
    return name === nameKey && until > clock.now() ? id : undefined;
  } catch {
    return undefined;
  }
}

/** One for each user of a browser. */
function nameOf({ plane }: Context, nameKey: string): string {
  const user = createHash('sha256').update(nameKey).digest('hex').slice(0, 16);
  return `${plane.tokens.cookieName}_device_${user}`;
}
