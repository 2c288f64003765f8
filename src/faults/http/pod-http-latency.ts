import { duration } from '../../experiment/injection/settings/declare.ts';
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
  },
  validate: (settings) => validatePorts(settings),
  intercept: (settings) => interceptHttp(settings, { kind: 'latency', latencyMs: settings.LATENCY }),
});
