import type { Context } from '../../access/context.ts';
import { optionalText, readFields } from '../../access/fields.ts';
import type { Arguments } from '../../access/operations.ts';
import { richAnswer } from '../../http/rest.ts';
import { ACCOUNTS } from '../../store/store.ts';
import { providerOf } from './provider.ts';
import { stateCookie } from './state-cookie.ts';

/** Time limit for the sign-in at the provider. */
const LOGIN_SECONDS = 300;

/**
 * Redirects the browser to the identity provider. The answer has to belong to a sign-in that began here (state), in this browser (cookie), and to
 * this attempt (nonce), and its code is useless for others (PKCE).
 *
 * @throws Refusal
 */
export async function beginLogin(args: Arguments, context: Context): Promise<object> {
  const { returnTo } = readFields(args, { returnTo: optionalText(2_000) });
  const { client, configuration, settings } = await providerOf(context.plane);
  const [state, nonce] = [client.randomState(), client.randomNonce()];
  const verifier = client.randomPKCECodeVerifier();
  await context.transaction(ACCOUNTS, async ({ db, now }) => {
    await db
      .insertInto('oidc_logins')
      .values({
        ...{ state, nonce, verifier, return_to: localPath(returnTo) },
        expires_at: now + LOGIN_SECONDS * 1000,
      })
      .execute();
  });
  const target = client.buildAuthorizationUrl(configuration, {
    redirect_uri: settings.callbackUrl,
    scope: 'openid profile email',
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return richAnswer({
    status: 302,
    headers: { location: target.href, 'set-cookie': stateCookie(settings, state, LOGIN_SECONDS) },
  });
}

/** A path of this server; anything else could redirect to another site. Pure. */
export function localPath(text: string | undefined): string {
  const base = 'http://here.invalid';
  if (text === undefined || !text.startsWith('/') || !URL.canParse(text, base)) return '/';
  const { origin, pathname, search, hash } = new URL(text, base);
  // The path of `/..//host` is on this server, but a browser would read its result as another host.
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/';
}
