import type { Environment } from '../../text/environment.ts';
import { isTracing, OTLP_ENDPOINT } from '../../text/otel-variables.ts';

export const PROTOCOLS = ['grpc', 'http/protobuf', 'http/json'] as const;
type Protocol = (typeof PROTOCOLS)[number];

/** Where traces are sent to, and how. */
export interface TraceSettings {
  readonly protocol: Protocol;
  /** For gRPC without the path of a method. */
  readonly url: URL;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** A trace that is not taken by then is given up. */
  readonly timeoutMs: number;
  readonly isCompressed: boolean;
  /** Files. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Attributes of all programs. */
  readonly resource: Readonly<Record<string, string>>;
  /** Name of this program, in place of its own. */
  readonly serviceName?: string;
}

/** What an environment says of traces. */
type TraceWish =
  | { readonly kind: 'off' }
  /** A sentence for each setting that cannot be honoured. */
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  | { readonly kind: 'on'; readonly settings: TraceSettings };

/** OpenTelemetry's own default. */
const DEFAULT_TIMEOUT_MS = 10_000;
const LONGEST_TIMEOUT_MS = 600_000;
/** The port of OTLP over HTTP. Everything else is gRPC, which is all that upstream speaks. */
const HTTP_PORT = '4318';
const HTTP_PATH = 'v1/traces';

/**
 * Reads OpenTelemetry's variables: those for traces count over those for everything. What cannot be honoured is refused by name, never
 * ignored: a user who asked for it would look for traces that went elsewhere. Pure.
 */
export function readTraceSettings(env: Environment): TraceWish {
  if (!isTracing(env)) return { kind: 'off' };
  const problems: string[] = [];
  const refuse = (variable: string, value: string, expected: string): void => {
    problems.push(`${variable} is ${JSON.stringify(value)}; expected ${expected}`);
  };
  const setting = (name: string): Setting | undefined =>
    read(env, `OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? read(env, `OTEL_EXPORTER_OTLP_${name}`);
  for (const { variable, allowed } of ONLY_THESE) {
    const found = read(env, variable);
    if (found !== undefined && !allowed.includes(found.value))
      refuse(variable, found.value, allowed.join(' or '));
  }
  const endpoint = setting('ENDPOINT') ?? { variable: OTLP_ENDPOINT, value: '' };
  const address = parseAddress(endpoint.value, read(env, 'OTEL_EXPORTER_OTLP_INSECURE')?.value === 'false');
  if (address === undefined)
    refuse(endpoint.variable, endpoint.value, 'HOST:PORT or a URL with http or https');
  const wanted = setting('PROTOCOL');
  const protocol = PROTOCOLS.find((one) => one === wanted?.value);
  if (wanted !== undefined && protocol === undefined)
    refuse(wanted.variable, wanted.value, PROTOCOLS.join(', '));
  const timeout = setting('TIMEOUT');
  const timeoutMs = timeout === undefined ? DEFAULT_TIMEOUT_MS : Number(timeout.value);
  if (
    timeout !== undefined &&
    !(Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS)
  )
    refuse(timeout.variable, timeout.value, `milliseconds between 1 and ${LONGEST_TIMEOUT_MS}`);
  const compression = setting('COMPRESSION');
  if (compression !== undefined && !['gzip', 'none'].includes(compression.value))
    refuse(compression.variable, compression.value, 'gzip or none');
  const pairs = (found: Setting | undefined): Record<string, string> => {
    const parsed = parsePairs(found?.value ?? '');
    // The value may be a key.
    if (parsed === undefined)
      problems.push(`${found?.variable} is no list of NAME=VALUE, separated by commas`);
    return parsed ?? {};
  };
  const headers = {
    ...pairs(read(env, 'OTEL_EXPORTER_OTLP_HEADERS')),
    ...pairs(read(env, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS')),
  };
  const resource = pairs(read(env, 'OTEL_RESOURCE_ATTRIBUTES'));
  if (problems.length > 0 || address === undefined) return { kind: 'refused', problems };
  const chosen = protocol ?? (address.port === HTTP_PORT ? 'http/protobuf' : 'grpc');
  const [ca, cert, key] = [setting('CERTIFICATE'), setting('CLIENT_CERTIFICATE'), setting('CLIENT_KEY')];
  const serviceName = read(env, 'OTEL_SERVICE_NAME')?.value;
  return {
    kind: 'on',
    settings: {
      protocol: chosen,
      url: chosen === 'grpc' || endpoint.variable !== OTLP_ENDPOINT ? address : below(address, HTTP_PATH),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      timeoutMs,
      isCompressed: compression?.value === 'gzip',
      tls: {
        ...(ca === undefined ? {} : { ca: ca.value }),
        ...(cert === undefined ? {} : { cert: cert.value }),
        ...(key === undefined ? {} : { key: key.value }),
      },
      resource,
      ...(serviceName === undefined ? {} : { serviceName }),
    },
  };
}

/** A variable and what it says. */
interface Setting {
  readonly variable: string;
  readonly value: string;
}

/** Settings of which only what is done anyway can be honoured: a run is one trace, and none is left out. */
const ONLY_THESE: readonly { readonly variable: string; readonly allowed: readonly string[] }[] = [
  { variable: 'OTEL_TRACES_EXPORTER', allowed: ['otlp'] },
  { variable: 'OTEL_TRACES_SAMPLER', allowed: ['always_on', 'parentbased_always_on'] },
];

/** Empty counts as absent, as OpenTelemetry says. */
function read(env: Environment, variable: string): Setting | undefined {
  const value = (env[variable] ?? '').trim();
  return value === '' ? undefined : { variable, value };
}

/** Upstream takes HOST:PORT, and does not encrypt. */
function parseAddress(text: string, isSecure: boolean): URL | undefined {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const address = hasScheme ? text : `${isSecure ? 'https' : 'http'}://${text}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return ['http:', 'https:'].includes(url.protocol) && url.hostname !== '' ? url : undefined;
}

function below(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
  return url;
}

/** W3C's form of lists, with percent signs for what would end an entry. */
function parsePairs(text: string): Record<string, string> | undefined {
  const entries: [string, string][] = [];
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0)).trim();
    if (name === '') return undefined;
    try {
      entries.push([decodeURIComponent(name), decodeURIComponent(part.slice(at + 1).trim())]);
    } catch {
      return undefined;
    }
  }
  return Object.fromEntries(entries);
}
