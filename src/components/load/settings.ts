import { readFile } from 'node:fs/promises';
import { plainFieldError } from '@turnsole/kube/schema/field-error';
import { parseDuration } from '@turnsole/kube/text/duration';
import type { Environment } from '@turnsole/kube/text/environment';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject } from '@turnsole/kube/text/json';
import type { LoadProbeInputs } from '../../api/schema/probe.ts';
import { validateLoad } from '../../api/validation/load.ts';
import { compileLoad } from '../../experiment/probes/load/compile-load.ts';
import type { LoadPlan } from '../../experiment/probes/load/load-plan.ts';
import { tlsOptions } from '../../experiment/probes/tls-files.ts';
import { addressFlag, type BindAddress, type FlagValues, textFlag } from '../../process/flags.ts';
import { podPath } from '../../process/pod-path.ts';
import { UsageError } from '../../process/usage-error.ts';

/** Flags win over variables, and variables over the file. */
export const FLAGS = {
  config: textFlag('FILE'),
  url: textFlag('URL'),
  rate: textFlag('PER_SECOND'),
  timeout: textFlag('DURATION'),
  ramp: textFlag('DURATION'),
  connections: textFlag('COUNT'),
  'bind-address': addressFlag({ port: 8080 }),
};

/** Settings of `turnsole load`. */
export interface LoadSettings {
  readonly plan: LoadPlan;
  /** Where counts are served; undefined: nowhere. */
  readonly address: BindAddress | undefined;
}

const DEFAULT_RATE = 50;
const DEFAULT_TIMEOUT = '2s';
/** Of the file; those of a request are its schema's. */
const FIELDS = [
  'rate',
  'ramp',
  'timeout',
  'requests',
  'connections',
  'concurrency',
  'insecureSkipVerify',
  'tlsConfig',
];
const REQUEST_FIELDS = ['url', 'method', 'headers', 'body', 'weight', 'criteria', 'responseCode'];

/** A load as its file holds it: the inputs of a loadProbe, and the limit of a request, which there is probeTimeout. */
type Config = Partial<LoadProbeInputs> & { readonly timeout?: string };

/** @throws UsageError that names the flag, the variable or the field of the file */
export async function readSettings(
  flags: FlagValues<typeof FLAGS>,
  env: Environment,
  signal: AbortSignal,
): Promise<LoadSettings> {
  const path = flags.config ?? named(env.LOAD_CONFIG);
  const file = path === undefined ? {} : await readConfig(path, env);
  const url = flags.url ?? named(env.TARGET_URL);
  const requests = url === undefined ? file.requests : [{ url }];
  if (requests === undefined)
    throw new UsageError('give TARGET_URL, the URL to request, or LOAD_CONFIG, a file with requests');
  const milliseconds = numberOf('TIMEOUT_MS', named(env.TIMEOUT_MS));
  const timeout =
    flags.timeout ?? (milliseconds === undefined ? (file.timeout ?? DEFAULT_TIMEOUT) : `${milliseconds}ms`);
  const inputs = {
    ...file,
    requests,
    rate: numberOf('rate', flags.rate) ?? numberOf('RATE', named(env.RATE)) ?? file.rate ?? DEFAULT_RATE,
    ...given('ramp', flags.ramp ?? named(env.RAMP)),
    ...given('connections', numberOf('connections', flags.connections ?? named(env.CONNECTIONS))),
  };
  const problems = validateLoad(inputs).map(plainFieldError);
  const timeoutMs = millisecondsOf(timeout);
  if (timeoutMs === undefined)
    problems.push(`timeout: ${JSON.stringify(timeout)} is no duration of more than 0`);
  if (problems.length > 0 || timeoutMs === undefined)
    throw new UsageError(`the load cannot be sent: ${problems.join('; ')}`);
  try {
    const { verifyTls = true, tls } = await tlsOptions(inputs, { env, signal });
    const plan = compileLoad(inputs, { timeoutMs, tls: { verifyTls, ...tls } });
    return { plan, address: addressOf(flags, env) };
  } catch (cause) {
    throw new UsageError(messageOf(cause), { cause });
  }
}

/** PORT holds where the flag was left at its default. */
function addressOf(
  { 'bind-address': address }: FlagValues<typeof FLAGS>,
  env: Environment,
): BindAddress | undefined {
  const port = numberOf('PORT', named(env.PORT));
  return port === undefined || address === undefined || address.port !== 8080
    ? address
    : { ...address, port };
}

function named(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function given(name: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value };
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new UsageError(`${name}: ${JSON.stringify(text)} is no number that is not negative`);
  return value;
}

function millisecondsOf(text: unknown): number | undefined {
  try {
    const ms = parseDuration(String(text));
    return ms > 0 ? ms : undefined;
  } catch {
    return undefined;
  }
}

async function readConfig(path: string, env: Environment): Promise<Config> {
  const text = await readFile(podPath(path, env), 'utf8').catch((cause: unknown) => {
    throw new UsageError(`cannot read the load's file ${path}: ${messageOf(cause)}`, { cause });
  });
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    throw new UsageError(`the load's file ${path} is no valid YAML: ${messageOf(cause)}`, { cause });
  }
  if (!isObject(value))
    throw new UsageError(`the load's file ${path} must hold fields such as rate and requests`);
  const requests = Array.isArray(value.requests) ? value.requests.filter(isObject) : [];
  const unknown = [
    ...Object.keys(value).filter((field) => !FIELDS.includes(field)),
    ...requests.flatMap((request) =>
      Object.keys(request)
        .filter((field) => !REQUEST_FIELDS.includes(field))
        .map((field) => `requests[].${field}`),
    ),
  ];
  if (unknown.length > 0)
    throw new UsageError(`the load's file ${path} has fields that a load has not: ${unknown.join(', ')}`);
  // `validateLoad` looks at the types of all fields.
  return value as Config;
}
