import { fromIni, fromNodeProviderChain, fromTokenFile } from '@aws-sdk/credential-providers';

/** Where credentials come from; the first that is given counts. Without any: the machine's own, as the vendor's tools find them. */
export interface AwsCredentials {
  /** A key in plain text. */
  readonly key?: { readonly id: string; readonly secret: string; readonly sessionToken?: string };
  /** A role that is taken on with the token in a file. */
  readonly webIdentity?: { readonly roleArn: string; readonly tokenFile: string };
  /** A shared credentials file, which has to have the profile. */
  readonly file?: string;
  /** @default default */
  readonly profile?: string;
}

/** What the vendor's clients take as credentials. */
type Provider =
  | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
  | ReturnType<typeof fromNodeProviderChain>;

/** The provider of these credentials. Reads nothing yet. */
export function providerOf(
  { key, webIdentity, file, profile }: AwsCredentials,
  place: { readonly region: string; readonly stsEndpoint: string | undefined },
): Provider {
  const clientConfig = {
    region: place.region,
    ...(place.stsEndpoint === undefined ? {} : { endpoint: place.stsEndpoint }),
  };
  if (key !== undefined) {
    const { id, secret, sessionToken } = key;
    return {
      accessKeyId: id,
      secretAccessKey: secret,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    };
  }
  if (webIdentity !== undefined) {
    const { roleArn, tokenFile: webIdentityTokenFile } = webIdentity;
    return fromTokenFile({ roleArn, webIdentityTokenFile, clientConfig });
  }
  const ofProfile = profile === undefined ? {} : { profile };
  // The file may also lead to a role that is taken on by one of its keys.
  if (file !== undefined) return fromIni({ filepath: file, ...ofProfile, clientConfig });
  return fromNodeProviderChain({ ...ofProfile, clientConfig });
}
