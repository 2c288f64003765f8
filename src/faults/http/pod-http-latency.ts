import { duration } from '../../experiment/injection/settings/declare.ts';
import { DELAYED_CONNECTIONS, delayed } from '../intercept/delayed-connections.ts';
import { interceptFault } from '../intercept/intercept-fault.ts';
import { HTTP_TUNABLES, interceptHttp, validatePorts } from './http-tunables.ts';

/** Delays the responses of a pod; connections that carry no HTTP/1, such as TLS, as a whole. See {@link interceptFault}. */
export default interceptFault({
  name: 'pod-http-latency',
  summary: 'Delays the responses of an HTTP service in pods.',
  tunables: {
    ...HTTP_TUNABLES,
    LATENCY: duration(
      { unit: 'milliseconds', default: 6000, minimumMs: 1, maximumMs: 86_400_000 },
      'Time from the response of the server until the client gets it.',
    ),
    OPEN_CONNECTIONS: DELAYED_CONNECTIONS,
  },
  validate: (settings) => validatePorts(settings),
  intercept: (settings) => {
    const { LATENCY: latencyMs, TOXICITY: percent, OPEN_CONNECTIONS } = settings;
    return interceptHttp(
      settings,
      { kind: 'latency', latencyMs },
      delayed(OPEN_CONNECTIONS, latencyMs, percent),
    );
  },
});
