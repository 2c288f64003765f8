import assert from 'node:assert/strict';
import test from 'node:test';
import { isTracing, otelHandedOn } from './otel-variables.ts';

test('settings of OpenTelemetry are handed on, but for names, files, keys of the collector and empty ones', () => {
  const env = {
    PATH: '/bin',
    OTEL_RESOURCE_ATTRIBUTES: 'team=shop',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'otel:4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TIMEOUT: ' ',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer secret',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Bearer secret',
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/ca.pem',
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: '/client.pem',
    OTEL_EXPORTER_OTLP_CLIENT_KEY: '/client.key',
    OTEL_SERVICE_NAME: 'my-operator',
    NOT_OTEL_X: 'x',
  };
  assert.deepEqual(Object.entries(otelHandedOn(env)), [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'otel:4317'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'team=shop'],
  ]);
});

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'otel:4317' };
const ROWS: readonly (readonly [name: string, env: Readonly<Record<string, string>>, traces: boolean])[] = [
  ['no endpoint', {}, false],
  ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
  ['an endpoint', ENDPOINT, true],
  ['switched off', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, false],
  ['not switched off', { ...ENDPOINT, OTEL_SDK_DISABLED: 'false' }, true],
  ['no exporter wanted', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, false],
];
for (const [name, env, traces] of ROWS)
  test(`traces are sent or not: ${name}`, () => assert.equal(isTracing(env), traces));
