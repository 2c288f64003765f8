import { text } from '../../experiment/injection/settings/declare.ts';
import { interceptFault } from '../intercept/intercept-fault.ts';
import { BODY_TUNABLES, encodingOf, HTTP_TUNABLES, interceptHttp, validatePorts } from './http-tunables.ts';

/** Replaces the body of a pod's responses, with the headers that describe it. See {@link interceptFault}. */
export default interceptFault({
  name: 'pod-http-modify-body',
  summary: 'Replaces the body of the responses of an HTTP service in pods.',
  tunables: {
    ...HTTP_TUNABLES,
    ...BODY_TUNABLES,
    RESPONSE_BODY: text('The new body; empty: nothing is changed.'),
  },
  validate: (settings) => validatePorts(settings),
  intercept: (settings) => {
    const { RESPONSE_BODY, CONTENT_TYPE, CONTENT_ENCODING } = settings;
    if (RESPONSE_BODY === '') return interceptHttp(settings, { kind: 'none' });
    const contentEncoding = encodingOf(CONTENT_ENCODING);
    return interceptHttp(settings, {
      kind: 'body',
      body: { text: RESPONSE_BODY, contentType: CONTENT_TYPE, contentEncoding },
    });
  },
});
