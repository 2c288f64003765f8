import type { Random } from '@turnsole/kube/base/clock';
import { flag, list, text } from '../../experiment/injection/settings/declare.ts';
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

/** From which one is drawn when none is set (compatibility reference, section 12.9). */
const USUAL = '200 201 202 204 300 301 302 304 307 400 401 403 404 500 501 502 503 504'.split(' ');

/** Changes the status of a pod's responses, and their body unless it is to stay. See {@link interceptFault}. */
export default interceptFault({
  name: 'pod-http-status-code',
  summary: 'Changes the status of the responses of an HTTP service in pods.',
  tunables: {
    ...HTTP_TUNABLES,
    ...BODY_TUNABLES,
    OPEN_CONNECTIONS,
    STATUS_CODE: list(
      { pattern: '[2-5]\\d\\d', form: 'a status from 200 to 599' },
      'The status, or several of which one is drawn for each pod; empty: a usual one is drawn.',
    ),
    MODIFY_RESPONSE_BODY: flag(true, 'Whether the body is replaced as well.'),
    RESPONSE_BODY: text('The new body; empty: a small HTML page that names the status.'),
  },
  validate: (settings) => validatePorts(settings),
  intercept: (settings, random) => {
    const { STATUS_CODE, MODIFY_RESPONSE_BODY, RESPONSE_BODY, CONTENT_TYPE, CONTENT_ENCODING } = settings;
    const status = Number(draw(STATUS_CODE.length === 0 ? USUAL : STATUS_CODE, random));
    const contentEncoding = encodingOf(CONTENT_ENCODING);
    const text = RESPONSE_BODY === '' ? {} : { text: RESPONSE_BODY };
    const body = MODIFY_RESPONSE_BODY ? { ...text, contentType: CONTENT_TYPE, contentEncoding } : null;
    return interceptHttp(settings, { kind: 'status', status, body }, resetOrKeep(settings.OPEN_CONNECTIONS));
  },
});

function draw(list: readonly string[], random: Random): string {
  return list[Math.floor(random() * list.length)] ?? '500';
}
