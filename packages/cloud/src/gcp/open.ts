import { GoogleAuth, JWT } from 'google-auth-library';

/** A key of a service account, as its file has it. */
export interface ServiceAccountKey {
  readonly client_email: string;
  readonly private_key: string;
  readonly private_key_id?: string;
}

/** Who asks. */
export interface GcpIdentity {
  /** Headers for a request to this URL. @throws what the vendor's library throws */
  headersFor(url: string): Promise<Readonly<Record<string, string>>>;
}

const SCOPES = ['https://www.googleapis.com/auth/cloud-platform'];

/**
 * An identity: the service account of the key, else the one that the vendor's tools find: GOOGLE_APPLICATION_CREDENTIALS, gcloud's own, or that of the
 * machine and its workload identity. Asks nothing yet.
 */
export function openGcp(key?: ServiceAccountKey): GcpIdentity {
  const auth = key === undefined ? new GoogleAuth({ scopes: SCOPES }) : undefined;
  const own = key === undefined ? undefined : jwtOf(key);
  return {
    headersFor: async (url) => {
      const client = own ?? (await auth?.getClient());
      const headers = await client?.getRequestHeaders(url);
      return Object.fromEntries(new Headers(headers).entries());
    },
  };
}

/** Signs its tokens itself, which spares a request for one. */
function jwtOf({ client_email: email, private_key: pem, private_key_id: keyId }: ServiceAccountKey): JWT {
  const jwt = new JWT({ email, key: pem, scopes: SCOPES, ...(keyId === undefined ? {} : { keyId }) });
  jwt.useJWTAccessWithScope = true;
  return jwt;
}
