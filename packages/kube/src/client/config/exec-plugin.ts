import { execFile } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ClusterConfig } from '../types.ts';
import type { ClusterConfigError } from './errors.ts';
import {
  booleanField,
  fieldError,
  listField,
  type NamedEntry,
  pemField,
  stringField,
} from './kubeconfig-file.ts';

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
/** Credentials are replaced this long before they expire, for requests under way and clocks that differ. */
const EXPIRY_MARGIN_MS = 10_000;
/** A plugin that asks its cloud takes seconds; one that hangs must not hang us. */
const PLUGIN_TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Command and environment of a plugin. */
interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string;
  readonly installHint: string | undefined;
}

/** What a plugin answered. */
interface ExecCredential {
  readonly token?: string;
  readonly identity?: { readonly certificate: string; readonly key: string };
  /** Milliseconds since the epoch; absent = good for the life of the process. */
  readonly expiresAt?: number;
}

interface ExecContext {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
}

/**
 * Credentials from an exec plugin: run at the first request, kept until shortly before they expire or a 401.
 *
 * Concurrent requests share one run. (KEP-541 external client-go credential providers, v1 and v1beta1.)
 *
 * @throws ClusterConfigError at once for a wrong entry; from `token()` when the plugin fails
 */
export function createExecCredentials(
  user: NamedEntry,
  cluster: NamedEntry,
  context: ExecContext,
): Required<Pick<ClusterConfig, 'token' | 'clientIdentity' | 'refreshCredentials'>> {
  const clock = context.clock ?? systemClock;
  const entry = execEntry(user);
  const plugin = readExecPlugin(entry);
  const info = execInfo(plugin, cluster);
  let current: Promise<ExecCredential> | undefined;
  let isRunning = false;
  let expiresAt = Number.POSITIVE_INFINITY;

  const credential = (): Promise<ExecCredential> => {
    if (current !== undefined && clock.now() < expiresAt - EXPIRY_MARGIN_MS) return current;
    expiresAt = Number.POSITIVE_INFINITY;
    isRunning = true;
    const run = runPlugin(entry, plugin, info, context.env ?? process.env)
      .finally(() => {
        isRunning = false;
      })
      .then((answer) => {
        if (current === run) expiresAt = answer.expiresAt ?? Number.POSITIVE_INFINITY;
        return answer;
      });
    current = run;
    run.catch(() => {
      if (current === run) current = undefined;
    });
    return run;
  };

  return {
    token: async () => (await credential()).token ?? '',
    clientIdentity: async () => (await credential()).identity,
    refreshCredentials: () => {
      // Requests that are refused together ask for this one after the other: the run that the first has begun is for all.
      if (!isRunning) current = undefined;
    },
  };
}

function execEntry(user: NamedEntry): NamedEntry {
  const { exec } = user.fields;
  if (typeof exec !== 'object' || exec === null || Array.isArray(exec)) {
    throw fieldError(user, 'exec', 'a mapping is expected');
  }
  // A mapping of the YAML reader; its values stay unknown.
  return { ...user, at: `${user.at}.exec`, fields: exec as Record<string, unknown> };
}

/** The `exec` entry of a user, checked. */
function readExecPlugin(entry: NamedEntry): ExecPlugin {
  const apiVersion = stringField(entry, 'apiVersion') ?? '(none)';
  if (!API_VERSIONS.includes(apiVersion)) {
    throw fieldError(
      entry,
      'apiVersion',
      `${apiVersion} is not supported; use ${API_VERSIONS.join(' or ')} (update the plugin or rewrite the kubeconfig with it)`,
    );
  }
  const command = stringField(entry, 'command');
  if (command === undefined) {
    throw fieldError(entry, 'command', 'it is missing; name the plugin');
  }
  return {
    apiVersion,
    // A bare name is looked up in PATH; a relative path counts from the kubeconfig.
    command: command.includes('/') ? resolve(dirname(entry.file), command) : command,
    args: listField(entry, 'args').map(String),
    env: readEnv(entry),
    provideClusterInfo: booleanField(entry, 'provideClusterInfo'),
    interactiveMode: stringField(entry, 'interactiveMode') ?? 'IfAvailable',
    installHint: stringField(entry, 'installHint'),
  };
}

function readEnv(entry: NamedEntry): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [index, item] of listField(entry, 'env').entries()) {
    const pair: { name?: unknown; value?: unknown } = typeof item === 'object' && item !== null ? item : {};
    if (typeof pair.name !== 'string' || typeof pair.value !== 'string') {
      throw fieldError(entry, `env[${index}]`, 'name and value are expected, as texts');
    }
    env[pair.name] = pair.value;
  }
  return env;
}

/** Value of KUBERNETES_EXEC_INFO: the version in which the plugin is to answer, and the cluster if it asked for it. */
function execInfo(plugin: ExecPlugin, cluster: NamedEntry): string {
  const isInteractive = plugin.interactiveMode !== 'Never' && process.stdin.isTTY === true;
  const authority = plugin.provideClusterInfo ? pemField(cluster, 'certificate-authority') : undefined;
  const clusterInfo = plugin.provideClusterInfo
    ? {
        cluster: {
          server: stringField(cluster, 'server'),
          'tls-server-name': stringField(cluster, 'tls-server-name'),
          'insecure-skip-tls-verify': booleanField(cluster, 'insecure-skip-tls-verify') || undefined,
          'certificate-authority-data':
            authority === undefined ? undefined : Buffer.from(authority).toString('base64'),
        },
      }
    : {};
  return JSON.stringify({
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: isInteractive, ...clusterInfo },
  });
}

async function runPlugin(
  entry: NamedEntry,
  plugin: ExecPlugin,
  info: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ExecCredential> {
  if (plugin.interactiveMode === 'Always' && process.stdin.isTTY !== true) {
    throw fieldError(
      entry,
      'interactiveMode',
      `${plugin.command} asks questions and there is no terminal; log in with it first or use another credential`,
    );
  }
  const output = await new Promise<string>((resolveOutput, reject) => {
    const child = execFile(
      plugin.command,
      [...plugin.args],
      {
        env: { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: info },
        timeout: PLUGIN_TIMEOUT_MS,
        maxBuffer: MAX_OUTPUT_BYTES,
      },
      (error, stdout, stderr) => {
        if (error === null) resolveOutput(stdout);
        else reject(pluginFailure(entry, plugin, error, stderr));
      },
    );
    // Node gives a pipe; without its end a plugin that reads its input would wait for ever.
    child.stdin?.end();
  });
  return interpretExecCredential(entry, plugin, output);
}

function pluginFailure(
  entry: NamedEntry,
  plugin: ExecPlugin,
  error: Error,
  stderr: string,
): ClusterConfigError {
  // A folder on PATH that may not be read turns "not found" into EACCES; only a path says where the file should be.
  const isName = !plugin.command.includes('/');
  const isMissing = 'code' in error && (error.code === 'ENOENT' || (isName && error.code === 'EACCES'));
  const said = stderr.trim() === '' ? '' : `: ${stderr.trim().slice(-500)}`;
  const hint = plugin.installHint === undefined ? '' : `; ${plugin.installHint.trim()}`;
  return fieldError(
    entry,
    'command',
    isMissing
      ? `the credential plugin ${plugin.command} was not found; install it or correct PATH${hint}`
      : `the credential plugin ${plugin.command} failed (${error.message.split('\n')[0]})${said}; run it by hand to see why`,
    { cause: error },
  );
}

/** Reads a plugin's answer. @throws ClusterConfigError when it is no ExecCredential of the asked version */
function interpretExecCredential(entry: NamedEntry, plugin: ExecPlugin, output: string): ExecCredential {
  const fail = (problem: string, cause?: unknown): ClusterConfigError =>
    fieldError(
      entry,
      'command',
      `the credential plugin ${plugin.command} ${problem}`,
      cause === undefined ? undefined : { cause },
    );
  let answer: { kind?: unknown; apiVersion?: unknown; status?: Record<string, unknown> };
  try {
    // Checked field by field below.
    answer = JSON.parse(output) as typeof answer;
  } catch (error) {
    throw fail('did not answer in JSON; its output must be an ExecCredential', error);
  }
  if (answer.kind !== 'ExecCredential' || answer.apiVersion !== plugin.apiVersion) {
    throw fail(
      `answered with ${String(answer.apiVersion)} ${String(answer.kind)}; ${plugin.apiVersion} ExecCredential is expected`,
    );
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = answer.status ?? {};
  const hasIdentity = typeof clientCertificateData === 'string' && typeof clientKeyData === 'string';
  if (typeof token !== 'string' && !hasIdentity) {
    throw fail('answered with neither status.token nor status.clientCertificateData and clientKeyData');
  }
  const expiresAt = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
  return {
    ...(typeof token === 'string' ? { token } : {}),
    ...(hasIdentity ? { identity: { certificate: clientCertificateData, key: clientKeyData } } : {}),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
  };
}
