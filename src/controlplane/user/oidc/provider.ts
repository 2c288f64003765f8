import type { Configuration } from 'openid-client';
import type { ControlPlane } from '../../access/context.ts';
import type { OidcSettings } from '../../access/oidc-settings.ts';
import { Refusal } from '../../access/refusal.ts';

type OpenidClient = typeof import('openid-client');

/** The provider's configuration, and the client library. */
interface Provider {
  readonly client: OpenidClient;
  readonly configuration: Configuration;
  readonly settings: OidcSettings;
}

const ANSWER_SECONDS = 10;

/** Fetched once; retried after a failure. */
const providers = new WeakMap<ControlPlane, Promise<Provider>>();

/** The identity provider; its library is loaded at the first sign-in. @throws Refusal if there is none, or it is unreachable */
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
      // Verifies the token's signature as well, instead of relying on the connection only.
      client.enableNonRepudiationChecks,
      // Settings allow plain HTTP for this machine only.
      ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
    ],
  });
  return { client, configuration, settings };
}
