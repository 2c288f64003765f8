import assert from 'node:assert/strict';
import test from 'node:test';
import { readTraceSettings, type TraceSettings } from './settings.ts';

type Env = Readonly<Record<string, string>>;

function settingsOf(env: Env): TraceSettings {
  const wish = readTraceSettings(env);
  assert.equal(wish.kind, 'on', JSON.stringify(wish));
  return wish.kind === 'on' ? wish.settings : assert.fail();
}

const P = 'OTEL_EXPORTER_OTLP_';
const ADDRESSES: readonly (readonly [name: string, env: Env, protocol: string, url: string])[] = [
  ['as upstream takes it', { [`${P}ENDPOINT`]: 'otel:4317' }, 'grpc', 'http://otel:4317/'],
  ['an address', { [`${P}ENDPOINT`]: '10.0.0.7:4317' }, 'grpc', 'http://10.0.0.7:4317/'],
  ['a URL', { [`${P}ENDPOINT`]: 'https://otel.example:443' }, 'grpc', 'https://otel.example/'],
  ['encrypted', { [`${P}ENDPOINT`]: 'otel:4317', [`${P}INSECURE`]: 'false' }, 'grpc', 'https://otel:4317/'],
  [
    'the port of HTTP',
    { [`${P}ENDPOINT`]: 'http://otel:4318' },
    'http/protobuf',
    'http://otel:4318/v1/traces',
  ],
  [
    'gRPC on that port',
    { [`${P}ENDPOINT`]: 'http://otel:4318', [`${P}PROTOCOL`]: 'grpc' },
    'grpc',
    'http://otel:4318/',
  ],
  [
    'HTTP below a path',
    { [`${P}ENDPOINT`]: 'https://a/otlp/', [`${P}PROTOCOL`]: 'http/json' },
    'http/json',
    'https://a/otlp/v1/traces',
  ],
  [
    'of traces alone, as it is',
    {
      [`${P}ENDPOINT`]: 'otel:4317',
      [`${P}TRACES_ENDPOINT`]: 'http://b:1/x',
      [`${P}TRACES_PROTOCOL`]: 'http/protobuf',
    },
    'http/protobuf',
    'http://b:1/x',
  ],
];
for (const [name, env, protocol, url] of ADDRESSES) {
  test(`where traces go: ${name}`, () => {
    const settings = settingsOf(env);
    assert.deepEqual([settings.protocol, settings.url.href], [protocol, url]);
  });
}

test('the other settings, and their defaults', () => {
  const { url, protocol, ...defaults } = settingsOf({ [`${P}ENDPOINT`]: 'otel:4317' });
  assert.deepEqual(JSON.parse(JSON.stringify(defaults)), {
    headers: {},
    timeoutMs: 10_000,
    isCompressed: false,
    tls: {},
    resource: {},
  });
  const {
    url: _,
    protocol: __,
    ...given
  } = settingsOf({
    [`${P}ENDPOINT`]: 'otel:4317',
    [`${P}HEADERS`]: 'X-Team=shop, authorization=Bearer%20k%2C1',
    [`${P}TRACES_HEADERS`]: 'x-team=web',
    [`${P}TIMEOUT`]: '2500',
    [`${P}COMPRESSION`]: 'gzip',
    [`${P}CERTIFICATE`]: '/ca.pem',
    [`${P}CLIENT_CERTIFICATE`]: '/c.pem',
    [`${P}CLIENT_KEY`]: '/c.key',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod,team=a%3Db',
    OTEL_SERVICE_NAME: 'mine',
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
  });
  assert.deepEqual(given, {
    headers: { 'x-team': 'web', authorization: 'Bearer k,1' },
    timeoutMs: 2500,
    isCompressed: true,
    tls: { ca: '/ca.pem', cert: '/c.pem', key: '/c.key' },
    resource: { 'deployment.environment.name': 'prod', team: 'a=b' },
    serviceName: 'mine',
  });
});

test('without an endpoint, and switched off, nothing is read', () => {
  assert.deepEqual(readTraceSettings({ [`${P}PROTOCOL`]: 'nonsense' }), { kind: 'off' });
  const env = { [`${P}ENDPOINT`]: 'x y', OTEL_SDK_DISABLED: 'true' };
  assert.deepEqual(readTraceSettings(env), { kind: 'off' });
});

const REFUSED: readonly (readonly [env: Env, problem: RegExp])[] = [
  [
    { [`${P}ENDPOINT`]: 'ftp://a' },
    /^OTEL_EXPORTER_OTLP_ENDPOINT is "ftp:\/\/a"; expected HOST:PORT or a URL/,
  ],
  [{ [`${P}ENDPOINT`]: 'a b' }, /^OTEL_EXPORTER_OTLP_ENDPOINT is "a b"/],
  [
    { [`${P}PROTOCOL`]: 'http' },
    /^OTEL_EXPORTER_OTLP_PROTOCOL is "http"; expected grpc or http\/protobuf or http\/json$/,
  ],
  [{ [`${P}TRACES_PROTOCOL`]: 'udp' }, /^OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is "udp"/],
  [
    { [`${P}TIMEOUT`]: '10s' },
    /^OTEL_EXPORTER_OTLP_TIMEOUT is "10s"; expected milliseconds between 1 and 600000$/,
  ],
  [{ [`${P}TIMEOUT`]: '0' }, /^OTEL_EXPORTER_OTLP_TIMEOUT is "0"/],
  [{ [`${P}COMPRESSION`]: 'zstd' }, /^OTEL_EXPORTER_OTLP_COMPRESSION is "zstd"; expected gzip or none$/],
  [
    { [`${P}HEADERS`]: 'secret' },
    /^OTEL_EXPORTER_OTLP_HEADERS is no list of NAME=VALUE, separated by commas$/,
  ],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'a=%zz' }, /^OTEL_RESOURCE_ATTRIBUTES is no list/],
  [{ [`${P}INSECURE`]: 'maybe' }, /^OTEL_EXPORTER_OTLP_INSECURE is "maybe"; expected true or false$/],
  [{ [`${P}HEADERS`]: '=x' }, /^OTEL_EXPORTER_OTLP_HEADERS is no list/],
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /^OTEL_TRACES_EXPORTER is "zipkin"; expected otlp$/],
  [
    { OTEL_TRACES_SAMPLER: 'traceidratio' },
    /^OTEL_TRACES_SAMPLER is "traceidratio"; expected always_on or parentbased_always_on$/,
  ],
];
for (const [env, problem] of REFUSED) {
  test(`refused by name: ${Object.entries(env).join()}`, () => {
    const wish = readTraceSettings({ [`${P}ENDPOINT`]: 'otel:4317', ...env });
    assert.ok(wish.kind === 'refused', JSON.stringify(wish));
    assert.equal(wish.problems.length, 1, wish.problems.join('\n'));
    assert.match(wish.problems[0] ?? '', problem);
    assert.doesNotMatch(wish.problems.join(), /secret/, 'what may be a key is not told');
  });
}
