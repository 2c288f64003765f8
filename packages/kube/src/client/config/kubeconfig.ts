import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { ClusterConfig } from '../types.ts';
import { ClusterConfigError } from './errors.ts';
import {
  booleanField,
  fieldError,
  listField,
  type MergedKubeconfig,
  type NamedEntry,
  pathField,
  pemField,
  readKubeconfigFiles,
  readKubeconfigText,
  stringField,
} from './kubeconfig-file.ts';
import { createTokenFile } from './token-file.ts';

/** Where to look for a kubeconfig and what to take from it. */
export interface KubeconfigOptions {
  /** The only file read. @default the files of KUBECONFIG, else ~/.kube/config */
  readonly path?: string | undefined;
  /** The text of a kubeconfig, in place of any file; relative paths in it count from the working directory. */
  readonly text?: string | undefined;
  /** @default the file's current-context */
  readonly context?: string | undefined;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
}

/**
 * The configuration of one context of a kubeconfig.
 *
 * Understands certificates and keys inline or as files, tokens, token files (read again as they rotate), exec
 * plugins and impersonation. (Format: client-go, `tools/clientcmd/api/v1`.)
 *
 * @throws ClusterConfigError that names file and field; also for unsupported fields (proxy-url, basic
 *   authentication, legacy auth providers, as-uid, as-user-extra) rather than connecting without them
 */
export async function loadKubeconfig(options: KubeconfigOptions = {}): Promise<ClusterConfig> {
  const env = options.env ?? process.env;
  const merged =
    options.text === undefined
      ? await readKubeconfigFiles(kubeconfigPaths(options.path, env), {
          mayBeMissing: options.path === undefined,
        })
      : await readKubeconfigText(options.text);
  const { context, cluster, user } = selectContext(merged, options.context);
  return {
    ...clusterPart(cluster),
    ...(user === undefined ? {} : await userPart(user, cluster, { ...options, env })),
    namespace: stringField(context, 'namespace') ?? 'default',
  };
}

/** The files that count, in the order in which they win. (kubectl: --kubeconfig, KUBECONFIG, ~/.kube/config.) */
export function kubeconfigPaths(
  path: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  if (path !== undefined && path !== '') return [path];
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((entry) => entry !== '');
  return listed.length > 0 ? listed : [join(env.HOME ?? homedir(), '.kube', 'config')];
}

interface Selection {
  readonly context: NamedEntry;
  readonly cluster: NamedEntry;
  readonly user: NamedEntry | undefined;
}

/** The entries that a context (by default the current one) names. */
function selectContext(merged: MergedKubeconfig, wanted: string | undefined): Selection {
  const files = merged.files.join(', ');
  const name = wanted ?? merged.currentContext;
  if (name === undefined) {
    throw new ClusterConfigError(
      files,
      'current-context',
      `none is set; choose one of ${listNames(merged.contexts)} with --context`,
    );
  }
  const context = merged.contexts.get(name);
  if (context === undefined) {
    throw new ClusterConfigError(
      files,
      wanted === undefined ? 'current-context' : 'contexts',
      `there is no context ${JSON.stringify(name)}; choose one of ${listNames(merged.contexts)}`,
    );
  }
  const clusterName = stringField(context, 'cluster') ?? '';
  const cluster = merged.clusters.get(clusterName);
  if (cluster === undefined) {
    throw fieldError(
      context,
      'cluster',
      `there is no cluster ${JSON.stringify(clusterName)}; name one of ${listNames(merged.clusters)}`,
    );
  }
  const userName = stringField(context, 'user');
  const user = userName === undefined ? undefined : merged.users.get(userName);
  if (userName !== undefined && user === undefined) {
    throw fieldError(
      context,
      'user',
      `there is no user ${JSON.stringify(userName)}; name one of ${listNames(merged.users)}`,
    );
  }
  return { context, cluster, user };
}

function listNames(entries: ReadonlyMap<string, NamedEntry>): string {
  return entries.size === 0 ? '(none defined)' : [...entries.keys()].sort().join(', ');
}

function clusterPart(cluster: NamedEntry): Omit<ClusterConfig, 'namespace'> {
  const server = stringField(cluster, 'server');
  if (server === undefined) {
    throw fieldError(cluster, 'server', "it is missing; set the server's address");
  }
  if (!URL.canParse(server) || !/^https?:\/\//.test(server)) {
    throw fieldError(cluster, 'server', `${JSON.stringify(server)} is no https:// or http:// address`);
  }
  refuse(
    cluster,
    'proxy-url',
    'connecting through a proxy is not supported; use a server address reached directly',
  );
  const certificateAuthority = pemField(cluster, 'certificate-authority');
  const tlsServerName = stringField(cluster, 'tls-server-name');
  return {
    server,
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(booleanField(cluster, 'insecure-skip-tls-verify') ? { insecureSkipTlsVerify: true } : {}),
  };
}

async function userPart(
  user: NamedEntry,
  cluster: NamedEntry,
  options: KubeconfigOptions & { readonly env: Readonly<Record<string, string | undefined>> },
): Promise<Partial<ClusterConfig>> {
  refuse(user, 'username', 'basic authentication was removed from Kubernetes; use a token or a certificate');
  refuse(user, 'password', 'basic authentication was removed from Kubernetes; use a token or a certificate');
  refuse(
    user,
    'auth-provider',
    'auth providers were removed from Kubernetes clients; use the exec plugin of your provider',
  );
  const clientCertificate = pemField(user, 'client-certificate');
  const clientKey = pemField(user, 'client-key');
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    const missing = clientCertificate === undefined ? 'client-certificate' : 'client-key';
    throw fieldError(user, missing, 'certificate and key are needed together; add it (or its -data form)');
  }
  return {
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(clientKey === undefined ? {} : { clientKey }),
    ...(await tokenPart(user, cluster, options)),
    ...impersonationPart(user),
  };
}

/** Token file wins over token, both over exec: the order of client-go. */
async function tokenPart(
  user: NamedEntry,
  cluster: NamedEntry,
  options: KubeconfigOptions & { readonly env: Readonly<Record<string, string | undefined>> },
): Promise<Partial<ClusterConfig>> {
  const tokenFile = pathField(user, 'tokenFile');
  if (tokenFile !== undefined)
    return createTokenFile(tokenFile, `${user.file}: ${user.at}.tokenFile`, options.clock);
  const token = stringField(user, 'token');
  if (token !== undefined) return { token: () => token };
  if (user.fields.exec === undefined || user.fields.exec === null) return {};
  const { createExecCredentials } = await import('./exec-plugin.ts');
  return createExecCredentials(user, cluster, options);
}

function impersonationPart(user: NamedEntry): Partial<ClusterConfig> {
  for (const field of ['as-uid', 'as-user-extra']) {
    refuse(user, field, 'it is not supported, and without it requests would have other rights; remove it');
  }
  const name = stringField(user, 'as');
  const groups = listField(user, 'as-groups').map((group, index) => {
    if (typeof group === 'string') return group;
    throw fieldError(user, `as-groups[${index}]`, 'a text is expected; put it in quotes');
  });
  if (name === undefined) {
    if (groups.length > 0) throw fieldError(user, 'as-groups', 'groups need a user; set the field as, too');
    return {};
  }
  return { impersonate: { user: name, groups } };
}

function refuse(entry: NamedEntry, key: string, problem: string): void {
  const value = entry.fields[key];
  if (value === undefined || value === null || value === '') return;
  throw fieldError(entry, key, problem);
}
