import { text } from '../../experiment/injection/settings/declare.ts';
import { interceptFault } from '../intercept/intercept-fault.ts';
import {
  BODY_TUNABLES,
  encodingOf,
  HTTP_TUNABLES,
  interceptHttp,
  OPEN_CONNECTIONS,
  resetOrKeep,
  validatePorts,
} from './http-tunables.ts';

/** Replaces the body of a pod's responses, with the headers that describe it. See {@link interceptFault}. */
export default interceptFault({
  name: 'pod-http-modify-body',
  summary: 'Replaces the body of the responses of an HTTP service in pods.',
  tunables: {
    ...HTTP_TUNABLES,
    ...BODY_TUNABLES,
    OPEN_CONNECTIONS,
    RESPONSE_BODY: text('The new body; empty: nothing is changed.'),
  },
  validate: (settings) => validatePorts(settings),
  intercept: (settings) => {
    const { RESPONSE_BODY, CONTENT_TYPE, CONTENT_ENCODING } = settings;
    const open = resetOrKeep(settings.OPEN_CONNECTIONS);
    if (RESPONSE_BODY === '') return interceptHttp(settings, { kind: 'none' }, open);
    const contentEncoding = encodingOf(CONTENT_ENCODING);
    const body = { text: RESPONSE_BODY, contentType: CONTENT_TYPE, contentEncoding };
    return interceptHttp(settings, { kind: 'body', body }, open);
  },
});
