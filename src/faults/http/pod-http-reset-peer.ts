import { duration } from '../../experiment/injection/settings/declare.ts';
import { interceptFault } from '../intercept/intercept-fault.ts';
import { HTTP_TUNABLES, interceptHttp, validatePorts } from './http-tunables.ts';

/** Resets connections to a pod after their first byte, TLS too; no request is answered. See {@link interceptFault}. */
export default interceptFault({
  name: 'pod-http-reset-peer',
  summary: 'Resets the connections to an HTTP service in pods.',
  tunables: {
    ...HTTP_TUNABLES,
    RESET_TIMEOUT: duration(
      { unit: 'milliseconds', default: 0, maximumMs: 86_400_000 },
      'Time from the first byte of a connection until it is reset.',
    ),
  },
  validate: (settings) => validatePorts(settings),
  intercept: (settings) =>
    interceptHttp(settings, { kind: 'reset', timeoutMs: settings.RESET_TIMEOUT }, { kind: 'reset' }),
});
