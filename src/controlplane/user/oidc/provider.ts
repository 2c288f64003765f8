import type { Configuration } from 'openid-client';
import type { ControlPlane } from '../../access/context.ts';
import type { OidcSettings } from '../../access/oidc-settings.ts';
import { Refusal } from '../../access/refusal.ts';

type OpenidClient = typeof import('openid-client');

/** The provider's configuration, and the library that speaks to it. */
interface Provider {
  readonly client: OpenidClient;
  readonly configuration: Configuration;
  readonly settings: OidcSettings;
}

const ANSWER_SECONDS = 10;

/** Asked for once; what has failed is asked for again. */
const providers = new WeakMap<ControlPlane, Promise<Provider>>();

/** The provider that people sign in by; its library is loaded when the first one does. @throws Refusal when there is none, or it is away */
export function providerOf(plane: ControlPlane): Promise<Provider> {
  const { oidc } = plane.settings;
  if (oidc === undefined) {
    return Promise.reject(new Refusal('not-found', 'signing in by an identity provider is not enabled here'));
  }
  const known = providers.get(plane);
  if (known !== undefined) return known;
  const asked = discover(oidc).catch((cause: unknown) => {
    providers.delete(plane);
    plane.logger.warn({ err: cause, issuer: oidc.issuer }, 'the identity provider does not answer');
    throw new Refusal('unavailable', 'the identity provider does not answer; try again', { cause });
  });
  providers.set(plane, asked);
  return asked;
}

async function discover(settings: OidcSettings): Promise<Provider> {
  const client = await import('openid-client');
  const issuer = new URL(settings.issuer);
  const configuration = await client.discovery(issuer, settings.clientId, settings.clientSecret, undefined, {
    timeout: ANSWER_SECONDS,
    execute: [
      // The token is checked by its signature as well, and not only by the connection that it has come by.
      client.enableNonRepudiationChecks,
      // Settings let plain HTTP through for this machine only.
      ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
    ],
  });
  return { client, configuration, settings };
}
