import { chaosDuration } from '../../experiment/injection/settings/common-tunables.ts';
import { choice, patterned, port } from '../../experiment/injection/settings/declare.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import type { InterceptParameters, Service } from '../intercept/config.ts';
import { idleReason } from '../intercept/effect.ts';
import type { OpenConnections } from '../intercept/rules.ts';
import type { HttpFault } from './proxy/http-fault.ts';

/** Settings that all HTTP faults have. */
export const HTTP_TUNABLES = {
  TOTAL_CHAOS_DURATION: chaosDuration(60, 'How long requests are hit.'),
  TARGET_SERVICE_PORT: port(80, 'Port of the container the requests come in at.'),
  PROXY_PORT: port(20_000, 'Port that the proxy takes in the pod; nothing else may have it.'),
  NETWORK_INTERFACE: patterned(
    { default: 'eth0', pattern: '^[A-Za-z0-9_.:-]{1,15}$', form: 'the name of an interface' },
    'Interface in the pod at which the requests come in.',
  ),
  TOXICITY: {
    type: 'percentage',
    default: 100,
    description:
      'Share of the requests that is hit; of the connections for resets and for what is no HTTP/1.',
  },
} as const satisfies TunableSchema;

/** OPEN_CONNECTIONS of faults that change what passes. */
export const OPEN_CONNECTIONS = choice(
  { choices: ['reset', 'keep'], default: 'reset' },
  'Connections that are open when it begins, which cannot be led through the proxy any more. reset: their next data resets them, so that ' +
    'clients open new ones, which are hit; keep: they are left alone, and what comes on them is not hit.',
);

/** Settings of a body that stands in for the server's. */
export const BODY_TUNABLES = {
  CONTENT_TYPE: patterned(
    { default: 'text/plain', pattern: '[ -~]+', form: 'a media type' },
    'Content-Type of the new body.',
  ),
  CONTENT_ENCODING: choice(
    { choices: ['', 'gzip', 'deflate', 'br'], default: '' },
    'How the new body is compressed; empty: not at all.',
  ),
} as const satisfies TunableSchema;

/** What an HTTP fault redirects to what. Pure. */
export function interceptHttp(
  settings: Tunables<typeof HTTP_TUNABLES>,
  fault: HttpFault,
  open: OpenConnections,
): InterceptParameters {
  const { TARGET_SERVICE_PORT: port, PROXY_PORT, NETWORK_INTERFACE: device, TOXICITY: toxicity } = settings;
  const service: Service = { kind: 'http', port: PROXY_PORT, fault, toxicity };
  return {
    redirect: { kind: 'inbound', device, ports: [port] },
    service,
    // What asks for nothing resets nothing.
    open: idleReason(service) === undefined ? open : { kind: 'keep' },
  };
}

/** OPEN_CONNECTIONS as the interceptor has it; the schema allows nothing else. Pure. */
export function resetOrKeep(text: string): OpenConnections {
  return text === 'keep' ? { kind: 'keep' } : { kind: 'reset' };
}

/** A port cannot be redirected to itself. Pure. */
export function validatePorts({ TARGET_SERVICE_PORT, PROXY_PORT }: Tunables<typeof HTTP_TUNABLES>) {
  return TARGET_SERVICE_PORT === PROXY_PORT
    ? [
        {
          variable: 'PROXY_PORT',
          found: String(PROXY_PORT),
          expected: 'another port than TARGET_SERVICE_PORT',
        },
      ]
    : [];
}

/** The encoding as the proxy has it; the schema allows nothing else. */
export function encodingOf(text: string): '' | 'gzip' | 'deflate' | 'br' {
  return text === 'gzip' || text === 'deflate' || text === 'br' ? text : '';
}
