import type { RemoteAccess } from '../remote/index.ts';
import type { OidcSettings } from './oidc-settings.ts';

/** What the server goes by, from its command line and environment. */
export interface ServerSettings {
  /** Product version; agents are asked for the same major one. */
  readonly version: string;
  /** Versions of agents that are known to work. */
  readonly compatibleVersions: readonly string[];
  /** Folder of what is not in the database: clones of hubs, the key for secrets. */
  readonly dataFolder: string;
  /** Address that agents and links are given; undefined: the one that a client has used. */
  readonly publicUrl: string | undefined;
  /** Address within the cluster that this server runs in; agents get it from clients whose own way is a loopback (port-forward). */
  readonly serviceUrl?: string;
  /** Origins of other pages that may call this server from a browser, besides its own. */
  readonly allowedOrigins: readonly RegExp[];
  /** Hosts, without ports, that requests have to be for; undefined: any. */
  readonly hosts?: readonly string[];
  /** Whether reverse proxies in front may say who the client is (`X-Forwarded-For`). */
  readonly trustProxy: boolean;
  /** Seconds that a sign-in holds. */
  readonly sessionSeconds: number;
  /** Certificate authority that agents are to trust, in PEM. */
  readonly agentCa: string | undefined;
  /** Image of the components that manifests of infrastructures install. @default that of this version */
  readonly agentImage?: string;
  /** How servers that users name are asked: those of hubs and repositories. */
  readonly remote: RemoteAccess;
  /** Folder of the built page; the package's own when it is not given. */
  readonly pageFolder?: string;
  /** The identity provider that people sign in by. @default none: by name and password only */
  readonly oidc?: OidcSettings;
}
