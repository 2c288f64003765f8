import { choice } from '../../experiment/injection/settings/declare.ts';
import type { TunableProblem } from '../../experiment/injection/settings/parse-tunables.ts';
import { interceptFault } from '../intercept/intercept-fault.ts';
import {
  HTTP_TUNABLES,
  interceptHttp,
  OPEN_CONNECTIONS,
  resetOrKeep,
  validatePorts,
} from './http-tunables.ts';

/** Headers that say where a message ends: with others the connection could not be read any more. */
const FRAMING = ['content-length', 'transfer-encoding'];

/** Sets headers of the requests to a pod, or of its responses. See {@link interceptFault}. */
export default interceptFault({
  name: 'pod-http-modify-header',
  summary: 'Sets headers in the requests to, or the responses of, an HTTP service in pods.',
  tunables: {
    ...HTTP_TUNABLES,
    OPEN_CONNECTIONS,
    HEADERS_MAP: {
      type: 'map',
      default: {},
      description: 'Headers and their values, as JSON; they take the place of those that are there.',
    },
    HEADER_MODE: choice(
      { choices: ['response', 'request'], default: 'response' },
      'Whether headers of responses or of requests are set.',
    ),
  },
  validate: (settings) => [...validatePorts(settings), ...headerProblems(settings.HEADERS_MAP)],
  intercept: (settings) =>
    interceptHttp(
      settings,
      {
        kind: 'header',
        direction: settings.HEADER_MODE === 'request' ? 'request' : 'response',
        headers: settings.HEADERS_MAP,
      },
      resetOrKeep(settings.OPEN_CONNECTIONS),
    ),
});

function headerProblems(headers: Readonly<Record<string, string>>): TunableProblem[] {
  return Object.entries(headers)
    .filter(
      ([name, value]) =>
        !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) ||
        !/^[\t\x20-\x7e\x80-\xff]*$/.test(value) ||
        FRAMING.includes(name.toLowerCase()),
    )
    .map(([name, value]) => ({
      variable: 'HEADERS_MAP',
      found: `${name}: ${value}`,
      expected: 'names and values that HTTP allows (RFC 9110), but not Content-Length or Transfer-Encoding',
    }));
}
