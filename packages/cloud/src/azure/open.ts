import { ClientSecretCredential, DefaultAzureCredential } from '@azure/identity';

/** An application that signs in by itself. */
export interface AzurePrincipal {
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where it signs in; default: the public cloud. */
  readonly authority?: string;
}

/** Who asks. */
export interface AzureIdentity {
  /** A token for an API, kept while it is valid. @throws what the vendor's library throws */
  tokenFor(audience: string, signal: AbortSignal): Promise<string>;
}

/**
 * An identity: the application, else the one that the vendor's tools find: AZURE_CLIENT_ID and its kin, a workload identity, that of the machine, or whoever
 * is signed in there. Asks nothing yet, and asks once: the caller tries again.
 */
export function openAzure(principal?: AzurePrincipal): AzureIdentity {
  const credential = principal === undefined ? new DefaultAzureCredential() : credentialOf(principal);
  return {
    tokenFor: async (audience, abortSignal) =>
      (await credential.getToken(`${audience.replace(/\/+$/, '')}/.default`, { abortSignal })).token,
  };
}

function credentialOf({
  tenantId,
  clientId,
  clientSecret,
  authority,
}: AzurePrincipal): ClientSecretCredential {
  return new ClientSecretCredential(tenantId, clientId, clientSecret, {
    retryOptions: { maxRetries: 0 },
    // An authority that was named is not asked for in the public cloud, which may be out of reach.
    ...(authority === undefined ? {} : { authorityHost: authority, disableInstanceDiscovery: true }),
  });
}
