import type { Pattern } from '@turnsole/kube/text/pattern';
import type { RemoteAccess } from '../remote/index.ts';
import type { OidcSettings } from './oidc-settings.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Settings of the server, from its command line and environment. */
export interface ServerSettings {
  /** Product version; agents need the same major version. */
  readonly version: string;
  /** Versions of agents that are known to work. */
  readonly compatibleVersions: readonly string[];
  /** Folder of data outside of the database: clones of hubs, the key for secrets. */
  readonly dataFolder: string;
  /** Address for agents and links; undefined: the one that the client has used. */
  readonly publicUrl: string | undefined;
  /** Address within this server's cluster; agents get it when the client uses a loopback address (port-forward). */
  readonly serviceUrl?: string;
  /** Origins of other pages that may call this server from a browser, besides its own. */
  readonly allowedOrigins: readonly Pattern[];
  /** Accepted values of the Host header, without ports; undefined: any. */
  readonly hosts?: readonly string[];
  /** Reverse proxies in front that may say who the client is (`X-Forwarded-For`) and how it has reached them. @default none */
  readonly trustedProxies?: TrustedProxies;
  /** Lifetime of a sign-in in seconds. */
  readonly sessionSeconds: number;
  /** Certificate authority that agents should trust, in PEM. */
  readonly agentCa: string | undefined;
  /** Image of the components that manifests of infrastructures install. @default that of this version */
  readonly agentImage?: string;
  /** Limits of requests to servers that users name: those of hubs and repositories. */
  readonly remote: RemoteAccess;
  /** Folder of the built page. @default the package's own */
  readonly pageFolder?: string;
  /** The identity provider for sign-ins. @default none: by name and password only */
  readonly oidc?: OidcSettings;
}
