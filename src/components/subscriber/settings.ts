import { join } from 'node:path';
import type { Environment } from '@turnsole/kube/text/environment';
import { isObject } from '@turnsole/kube/text/json';
import { parseLabelSelector } from '@turnsole/kube/text/label-selector';
import { splitList } from '@turnsole/kube/text/split-list';
import { parse } from 'yaml';
import { type ControlPlaneAddress, readAddress, requiredVariable } from '../../agent-link/settings.ts';
import { TRIED_BY_DEFAULT } from '../../api/probe-types/index.ts';
import { ELECTED_FLAGS, type ElectedSettings, electedSettings } from '../../process/elected.ts';
import { type FlagValues, textFlag } from '../../process/flags.ts';
import { podPath } from '../../process/pod-path.ts';
import { UsageError } from '../../process/usage-error.ts';
import { type AllowedChanges, DEFAULT_KINDS } from './commands/allowed.ts';

export const FLAGS = {
  kubeconfig: textFlag('FILE'),
  ...ELECTED_FLAGS,
};

/** Settings of the subscriber. */
export interface SubscriberSettings
  extends Pick<ElectedSettings, 'leaderElect' | 'metricsAddress' | 'healthAddress'> {
  readonly address: ControlPlaneAddress;
  readonly infraID: string;
  readonly version: string;
  /** Key of the Secret; another one once the infrastructure is confirmed. */
  readonly accessKey: string;
  readonly namespace: string;
  readonly isClusterScoped: boolean;
  /** Label selectors of the pods that belong to the infrastructure. */
  readonly components: readonly string[];
  /** Milliseconds since 1970. */
  readonly startTime: number;
  readonly allowed: AllowedChanges;
  /** Types of probes that a server may have tried; `*` is every one. */
  readonly allowedProbes: ReadonlySet<string>;
  readonly spoolFolder: string;
  /** Whether a person chose the folder: then no other place may stand in for it. */
  readonly isSpoolChosen: boolean;
  readonly spoolBytes: number;
  readonly logBytes: number;
}

const MIB = 1024 * 1024;
const DEFAULT_SPOOL = '/var/spool/turnsole';

/** Reads flags and environment as upstream does, and our own. @throws UsageError that names the variable */
export function readSettings(flags: FlagValues<typeof FLAGS>, env: Environment): SubscriberSettings {
  const namespace = requiredVariable(env, 'INFRA_NAMESPACE');
  return {
    ...electedSettings(flags),
    address: readAddress(env),
    infraID: requiredVariable(env, 'INFRA_ID'),
    version: requiredVariable(env, 'VERSION'),
    accessKey: requiredVariable(env, 'ACCESS_KEY'),
    namespace,
    isClusterScoped: readScope(env) === 'cluster',
    components: readComponents(env),
    startTime: readStartTime(env),
    allowed: {
      kinds: readNames(env, 'ALLOWED_KINDS', DEFAULT_KINDS),
      namespaces: readNames(env, 'ALLOWED_NAMESPACES', [namespace]),
      ownNamespace: namespace,
    },
    allowedProbes: readNames(env, 'ALLOWED_PROBES', TRIED_BY_DEFAULT),
    // By default in the pod's own files, also where it is a plain local process: two of them may not share a spool.
    spoolFolder: env.SPOOL_DIR
      ? podPath(env.SPOOL_DIR, env)
      : join(env.TURNSOLE_POD_ROOT || '/', DEFAULT_SPOOL),
    isSpoolChosen: Boolean(env.SPOOL_DIR),
    spoolBytes: readMebibytes(env, 'SPOOL_LIMIT_MIB', 64, 4),
    logBytes: readMebibytes(env, 'LOG_LIMIT_MIB', 1, 1),
  };
}

function readScope(env: Environment): string {
  const scope = requiredVariable(env, 'INFRA_SCOPE');
  if (scope === 'cluster' || scope === 'namespace') return scope;
  throw new UsageError(`INFRA_SCOPE must be cluster or namespace, not ${JSON.stringify(scope)}`);
}

function readStartTime(env: Environment): number {
  const text = requiredVariable(env, 'START_TIME');
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`START_TIME must be milliseconds since 1970, not ${JSON.stringify(text)}`);
}

function readNames(env: Environment, name: string, absent: readonly string[]): ReadonlySet<string> {
  const names = splitList(env[name] ?? '');
  const wrong = names.find((part) => part !== '*' && !/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(part));
  if (wrong !== undefined) throw new UsageError(`${name}: ${JSON.stringify(wrong)} is no name`);
  return new Set(names.length === 0 ? absent : names);
}

function readMebibytes(env: Environment, name: string, absent: number, least: number): number {
  const text = env[name] ?? '';
  if (text === '') return absent * MIB;
  const count = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= least) return count * MIB;
  throw new UsageError(
    `${name} must be a whole number of MiB, at least ${least}, not ${JSON.stringify(text)}`,
  );
}

/** COMPONENTS: YAML with a list DEPLOYMENTS of label selectors. */
function readComponents(env: Environment): readonly string[] {
  const text = requiredVariable(env, 'COMPONENTS');
  const expected = 'COMPONENTS must be YAML with a list DEPLOYMENTS of label selectors';
  try {
    const value: unknown = parse(text);
    const selectors: unknown = isObject(value) ? value.DEPLOYMENTS : undefined;
    if (!Array.isArray(selectors)) throw new TypeError('there is no such list');
    for (const selector of selectors) parseLabelSelector(String(selector));
    return selectors.map(String);
  } catch (cause) {
    throw new UsageError(`${expected}: ${(cause as Error).message}`, { cause });
  }
}
