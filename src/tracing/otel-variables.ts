import type { Environment } from '@turnsole/kube/text/environment';

const PREFIX = 'OTEL_';
export const OTLP_ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';

/**
 * Variables of one process only: its name; files, which other pods do not have; keys of the collector, which must not become readable
 * for all who may read pods.
 */
const OWN = /^OTEL_SERVICE_NAME$|_(HEADERS|CERTIFICATE|CLIENT_KEY)$/;

/** The settings of OpenTelemetry that a process hands on to those that it starts; without empty ones. Pure. */
export function otelHandedOn(env: Environment): Readonly<Record<string, string>> {
  const entries = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith(PREFIX) && !OWN.test(name) && value !== undefined && value.trim() !== ''
      ? [[name, value] as const]
      : [],
  );
  return Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b)));
}

/** Whether a process with this environment sends traces: it has a place to send them to, and they are not switched off. Pure. */
export function isTracing(env: Environment): boolean {
  const isOff = (env['OTEL_SDK_DISABLED'] ?? '').trim().toLowerCase() === 'true';
  const exporter = (env['OTEL_TRACES_EXPORTER'] ?? '').trim();
  return (env[OTLP_ENDPOINT] ?? '').trim() !== '' && !isOff && exporter !== 'none';
}
