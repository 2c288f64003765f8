/** The identity provider for sign-ins. */
export interface OidcSettings {
  /** The provider's issuer URL; its configuration is below that. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the provider sends browsers back to: `/auth/dex/callback` or `/dex/callback` of this server. */
  readonly callbackUrl: string;
  /**
   * Whether to redirect the browser to `/login?jwtToken=…`, as ChaosCenter does and its page expects. Histories and logs keep addresses,
   * so the default is a cookie.
   */
  readonly tokenInUrl: boolean;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Reads upstream's variables `DEX_ENABLED`, `OIDC_ISSUER`, `DEX_OAUTH_CLIENT_ID`, `DEX_OAUTH_CLIENT_SECRET`, `DEX_OAUTH_CALLBACK_URL`, and
 * `TURNSOLE_OIDC_TOKEN_IN_URL`. Pure.
 *
 * @returns undefined if sign-in by a provider is off
 * @throws RangeError naming the variable
 */
export function readOidcSettings(
  env: Readonly<Record<string, string | undefined>>,
): OidcSettings | undefined {
  if (!isTrue(env.DEX_ENABLED)) return undefined;
  const given = (name: string): string => {
    const text = env[name]?.trim() ?? '';
    if (text === '') throw new RangeError(`${name} is missing, which DEX_ENABLED asks for`);
    return text;
  };
  return {
    issuer: safeUrl('OIDC_ISSUER', given('OIDC_ISSUER')),
    clientId: given('DEX_OAUTH_CLIENT_ID'),
    clientSecret: given('DEX_OAUTH_CLIENT_SECRET'),
    callbackUrl: safeUrl('DEX_OAUTH_CALLBACK_URL', given('DEX_OAUTH_CALLBACK_URL'), true),
    tokenInUrl: isTrue(env.TURNSOLE_OIDC_TOKEN_IN_URL),
  };
}

function isTrue(text: string | undefined): boolean {
  return text?.trim().toLowerCase() === 'true';
}

/** An attacker who reads the traffic with the provider could sign in as any user, so it must be https, except on this machine. */
function safeUrl(name: string, text: string, plainToo = false): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && (plainToo || LOOPBACK.test(url.hostname)));
  if (isSafe) return text;
  throw new RangeError(`${name} is ${JSON.stringify(text)}; expected https://…`);
}
