import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from '@turnsole/kube/text/environment';
import { messageOf } from '@turnsole/kube/text/error-message';
import { Pattern } from '@turnsole/kube/text/pattern';
import { UsageError } from '../../process/usage-error.ts';
import { readOidcSettings } from '../access/oidc-settings.ts';
import type { ServerSettings } from '../access/server-settings.ts';
import { parseTrustedProxies } from '../access/trusted-proxies.ts';
import { readRemoteAccess } from '../remote/remote-access.ts';
import type { StoreLocation } from '../store/open.ts';
import { type ListenAddress, MOST_PORT, parseListenAddress } from './listen-address.ts';
import { type Retention, retentionOf } from './retention-settings.ts';

/** Options of the command line; everything else comes from the environment or has a default. */
export interface ServerOptions {
  /** Folder of the database, the key for secrets, clones of hubs. */
  readonly data?: string;
  /** `postgres://…` */
  readonly database?: string;
  /** `HOST:PORT`, `:PORT` or `PORT`. */
  readonly listen?: string;
  /** `HOST:PORT` of the page of metrics. */
  readonly metricsListen?: string;
  readonly publicUrl?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly allowedOrigin?: readonly string[];
  /** How many reverse proxies are in front, or their networks; true: one. */
  readonly trustProxy?: boolean | string;
  readonly keepRunsDays?: number;
  readonly keepAuditDays?: number;
}

/** The complete settings of a server. */
export interface CompiledOptions {
  readonly location: StoreLocation;
  readonly settings: ServerSettings;
  readonly listen: ListenAddress;
  /** Undefined: no metrics. */
  readonly metricsListen: ListenAddress | undefined;
  /** Files with certificate chain and key in PEM. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly retention: Retention;
}

/** Version of ChaosCenter's API; agents compare theirs with it. */
const SERVED_VERSION = '3.31.0';
const DEFAULT_LISTEN = '127.0.0.1:9002';
const DEFAULT_SESSION_MINUTES = 1_440;
const MINUTE_S = 60;

/**
 * The settings of a server from its command line and its environment, with upstream's names where they mean the same. Pure.
 *
 * @throws UsageError with the name of the option or variable
 */
export function compileServerOptions(options: ServerOptions, env: Environment): CompiledOptions {
  checkDefaultHub(env);
  const dataFolder = resolve(options.data ?? defaultDataFolder(env));
  const database = named('--database', options.database) ?? variable(env, 'TURNSOLE_DATABASE_URL');
  return {
    location: database === undefined ? { folder: dataFolder } : { url: databaseUrl(database) },
    settings: settingsOf(options, env, dataFolder),
    listen: parseListenAddress('--listen', options.listen ?? portOf(env, 'REST_PORT') ?? DEFAULT_LISTEN),
    metricsListen: metricsAddress(options, env),
    tls: tlsOf(options, env),
    retention: retentionOf(options, env),
  };
}

function settingsOf(options: ServerOptions, env: Environment, dataFolder: string): ServerSettings {
  const version = given(env, 'VERSION') ?? SERVED_VERSION;
  const agentImage = given(env, 'AGENT_IMAGE');
  const serviceUrl = addressOf(variable(env, 'TURNSOLE_SERVICE_URL'));
  return {
    version,
    compatibleVersions: versionsOf(env) ?? [version],
    dataFolder,
    publicUrl: publicUrlOf(options, env),
    allowedOrigins: originsOf(options, env),
    sessionSeconds: sessionMinutes(env) * MINUTE_S,
    agentCa: caOf(env),
    remote: remoteAccess(env),
    ...proxiesOf(options),
    ...oidcOf(env),
    ...(agentImage !== undefined && { agentImage }),
    ...(serviceUrl !== undefined && { serviceUrl }),
  };
}

/** Limits of requests to servers that users name. @throws UsageError */
function remoteAccess(env: Environment): ServerSettings['remote'] {
  try {
    return readRemoteAccess(env);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** @throws UsageError */
function proxiesOf({ trustProxy = false }: ServerOptions): Pick<ServerSettings, 'trustedProxies'> {
  if (trustProxy === false) return {};
  try {
    return { trustedProxies: parseTrustedProxies(trustProxy === true ? '1' : trustProxy) };
  } catch (error) {
    throw new UsageError(`--trust-proxy: ${messageOf(error)}`);
  }
}

/** @throws UsageError */
function oidcOf(env: Environment): Pick<ServerSettings, 'oidc'> {
  try {
    const oidc = readOidcSettings(env);
    return oidc === undefined ? {} : { oidc };
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** A text, and the option or variable that a message about it names. */
interface Named {
  readonly name: string;
  readonly text: string;
}

function named(name: string, text: string | undefined): Named | undefined {
  return text === undefined ? undefined : { name, text };
}

function variable(env: Environment, name: string): Named | undefined {
  return named(`variable ${name}`, given(env, name));
}

function given(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === '' ? undefined : text;
}

function defaultDataFolder(env: Environment): string {
  const data = given(env, 'XDG_DATA_HOME') ?? join(given(env, 'HOME') ?? homedir(), '.local', 'share');
  return join(data, 'turnsole', 'server');
}

function databaseUrl({ name, text }: Named): string {
  if (/^postgres(ql)?:\/\//.test(text)) return text;
  throw new UsageError(
    `${name}: expected postgres://USER:PASSWORD@HOST/NAME; without it the database is a file in --data`,
  );
}

function metricsAddress(options: ServerOptions, env: Environment): ListenAddress | undefined {
  const text = options.metricsListen ?? portOf(env, 'METRICS_PORT');
  return text === undefined ? undefined : parseListenAddress('--metrics-listen', text);
}

/** A port from the environment means all addresses, as with upstream's servers. It is a good one: messages about addresses name options. */
function portOf(env: Environment, name: string): string | undefined {
  const port = given(env, name);
  if (port === undefined) return undefined;
  if (!/^\d{1,5}$/.test(port) || Number(port) > MOST_PORT)
    throw new UsageError(`variable ${name}: expected a port, found ${JSON.stringify(port)}`);
  return `:${port}`;
}

function tlsOf(options: ServerOptions, env: Environment): CompiledOptions['tls'] {
  const fromEnv = given(env, 'ENABLE_INTERNAL_TLS')?.toLowerCase() === 'true';
  const certFile = options.tlsCert ?? (fromEnv ? given(env, 'TLS_CERT_PATH') : undefined);
  const keyFile = options.tlsKey ?? (fromEnv ? given(env, 'TLS_KEY_PATH') : undefined);
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    const isOption = options.tlsCert !== undefined || options.tlsKey !== undefined;
    const names = isOption ? '--tls-cert and --tls-key' : 'variables TLS_CERT_PATH and TLS_KEY_PATH';
    throw new UsageError(`${names} belong together: a certificate chain and its key, in PEM`);
  }
  return { certFile, keyFile };
}

function publicUrlOf({ publicUrl }: ServerOptions, env: Environment): string | undefined {
  return addressOf(named('--public-url', publicUrl) ?? variable(env, 'CHAOS_GRAPH_QL_ENDPOINT'));
}

/** @throws UsageError naming the option or variable */
function addressOf(address: Named | undefined): string | undefined {
  if (address === undefined) return undefined;
  const { name, text } = address;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(`${name}: expected http://… or https://…, found ${JSON.stringify(text)}`);
  }
  return text.replace(/\/+$/, '');
}

function originsOf({ allowedOrigin }: ServerOptions, env: Environment): Pattern[] {
  const name = allowedOrigin === undefined ? 'variable ALLOWED_ORIGINS' : '--allowed-origin';
  const texts = allowedOrigin ?? given(env, 'ALLOWED_ORIGINS')?.split(',') ?? [];
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => originPattern({ name, text }));
}

/** Matches the whole origin: an origin that only contains an allowed one is not allowed. */
function originPattern({ name, text }: Named): Pattern {
  try {
    return Pattern.whole(text);
  } catch (error) {
    throw new UsageError(`${name}: ${messageOf(error)}`);
  }
}

function versionsOf(env: Environment): readonly string[] | undefined {
  const text = given(env, 'INFRA_COMPATIBLE_VERSIONS');
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return value;
  } catch {
    // Reported below.
  }
  throw new UsageError(
    'variable INFRA_COMPATIBLE_VERSIONS: expected a JSON array of versions, such as ["3.31.0"]',
  );
}

function sessionMinutes(env: Environment): number {
  const text = given(env, 'JWT_EXPIRY_MINS');
  if (text === undefined) return DEFAULT_SESSION_MINUTES;
  const minutes = Number(text);
  if (Number.isInteger(minutes) && minutes > 0) return minutes;
  throw new UsageError(`variable JWT_EXPIRY_MINS: expected minutes, found ${JSON.stringify(text)}`);
}

function caOf(env: Environment): string | undefined {
  const text = given(env, 'TLS_CERT_B64');
  if (text === undefined) return undefined;
  const pem = Buffer.from(text, 'base64').toString('utf8');
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw new UsageError('variable TLS_CERT_B64: expected a certificate in PEM, as base64');
}

/** ChaosCenter's variables for its default hub. */
const OF_DEFAULT_HUB = /^DEFAULT_HUB_|^DEFAULTHUBGITURL$/;
const CHARTS = /^https:\/\/github\.com\/litmuschaos\/chaos-charts(\.git)?\/?$/;
/** Values of the usual hub, which are in the settings of every installation of ChaosCenter. */
const USUAL: Readonly<Record<string, RegExp>> = {
  DEFAULT_HUB_NAME: /^Litmus ChaosHub$/,
  DEFAULT_HUB_GIT_URL: CHARTS,
  DEFAULTHUBGITURL: CHARTS,
  DEFAULT_HUB_BRANCH_NAME: /./,
  DEFAULT_HUB_IS_PRIVATE: /^false$/i,
  DEFAULT_HUB_AUTH_TYPE: /^none$/i,
};

/**
 * The default hub is that of the package, which needs no network: settings for another one would have no effect. Pure.
 *
 * @throws UsageError naming the variable; its value may be a secret
 */
function checkDefaultHub(env: Environment): void {
  for (const [name, value = ''] of Object.entries(env)) {
    if (!OF_DEFAULT_HUB.test(name) || value.trim() === '') continue;
    if (USUAL[name]?.test(value.trim()) === true) continue;
    throw new UsageError(
      `variable ${name}: the default hub is the one in this package; leave the variable out, and add your hub to a project (addChaosHub, or Hubs of its page)`,
    );
  }
}
