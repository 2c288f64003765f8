import type { Environment } from '@turnsole/kube/text/environment';
import { isTracing, OTLP_ENDPOINT } from '../../tracing/otel-variables.ts';
import { SettingReader } from './setting-reader.ts';

export const PROTOCOLS = ['grpc', 'http/protobuf', 'http/json'] as const;
type Protocol = (typeof PROTOCOLS)[number];

/** Address of the collector, and how to reach it. */
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
  readonly tls: {
    readonly ca?: string | undefined;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
  };
  /** Attributes of all programs. */
  readonly resource: Readonly<Record<string, string>>;
  /** Name of this program, in place of its own. */
  readonly serviceName?: string | undefined;
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
 * Reads OpenTelemetry's variables. What cannot be honoured is refused by name, never ignored: a user who asked for it would look for
 * traces that went elsewhere. Pure.
 */
export function readTraceSettings(env: Environment): TraceWish {
  if (!isTracing(env)) return { kind: 'off' };
  const reader = new SettingReader(env);
  // A run is one trace, and none is left out: nothing else can be honoured.
  reader.word(reader.find('OTEL_TRACES_EXPORTER'), 'otlp');
  reader.word(reader.find('OTEL_TRACES_SAMPLER'), 'always_on', 'parentbased_always_on');
  const address = readAddress(reader);
  const headers = [...HEADERS].flatMap((variable) => Object.entries(reader.pairs(variable)));
  const settings = {
    ...address,
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    timeoutMs:
      reader.count(reader.ofTraces('TIMEOUT'), LONGEST_TIMEOUT_MS, 'milliseconds') ?? DEFAULT_TIMEOUT_MS,
    isCompressed: reader.word(reader.ofTraces('COMPRESSION'), 'gzip', 'none') === 'gzip',
    tls: {
      ca: reader.ofTraces('CERTIFICATE')?.value,
      cert: reader.ofTraces('CLIENT_CERTIFICATE')?.value,
      key: reader.ofTraces('CLIENT_KEY')?.value,
    },
    resource: reader.pairs('OTEL_RESOURCE_ATTRIBUTES'),
    serviceName: reader.find('OTEL_SERVICE_NAME')?.value,
  };
  const { problems } = reader;
  const { url, protocol } = settings;
  if (problems.length > 0 || url === undefined || protocol === undefined)
    return { kind: 'refused', problems };
  return { kind: 'on', settings: { ...settings, url, protocol } };
}

/** Those for traces count over those for everything. */
const HEADERS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'] as const;

/** Where, and by which protocol; nothing where that is refused. */
function readAddress(reader: SettingReader): Partial<Pick<TraceSettings, 'url' | 'protocol'>> {
  const endpoint = reader.ofTraces('ENDPOINT');
  const insecure = reader.word(reader.ofTraces('INSECURE'), 'true', 'false');
  const url = parseAddress(endpoint?.value ?? '', insecure === 'false');
  if (url === undefined) reader.refuse(endpoint, 'HOST:PORT or a URL with http or https');
  const wanted = reader.ofTraces('PROTOCOL');
  const chosen = reader.word(wanted, ...PROTOCOLS);
  if (url === undefined || (wanted !== undefined && chosen === undefined)) return {};
  const protocol = chosen ?? (url.port === HTTP_PORT ? 'http/protobuf' : 'grpc');
  // The endpoint of traces alone is taken as it is, as OpenTelemetry says.
  const isWhole = protocol === 'grpc' || endpoint?.variable !== OTLP_ENDPOINT;
  return { protocol, url: isWhole ? url : below(url, HTTP_PATH) };
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
