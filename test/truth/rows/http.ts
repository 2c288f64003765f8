/** Requests to a dependency that are answered late, wrongly or not at all. */
import { APP_PORT } from '../application.ts';
import { pairs } from '../pairs.ts';
import type { Row } from '../row.ts';
import {
  backend,
  FRONT,
  FRONT_WITH_FALLBACK,
  LONG_ENOUGH,
  LONG_MS,
  SHORT_WAIT_MS,
  USERS_WAIT,
} from './shop.ts';

const PORT = { TARGET_SERVICE_PORT: String(APP_PORT), TOTAL_CHAOS_DURATION: '4', PODS_AFFECTED_PERC: '100' };
const BAD_ANSWER = /502|Actual value/;
const LATE = /timeout|deadline|no answer/i;

const withFallback = {
  family: 'http',
  asked: FRONT,
  hit: backend(),
  property: 'env.FALLBACK',
  resilient: 'yes',
  fragile: undefined,
  more: { needs: ['nft'] },
} as const;

export const HTTP_ROWS: readonly Row[] = [
  ...pairs({
    ...withFallback,
    name: 'pod-http-status-code 500',
    fault: 'pod-http-status-code',
    env: { ...PORT, STATUS_CODE: '500' },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: BAD_ANSWER },
      { type: 'http', mode: 'Continuous', reason: BAD_ANSWER },
      { type: 'cmd', mode: 'OnChaos' },
      { type: 'prom', mode: 'OnChaos' },
    ],
  }),
  ...pairs({
    ...withFallback,
    name: 'pod-http-latency',
    fault: 'pod-http-latency',
    env: { ...PORT, ...LONG_ENOUGH, LATENCY: String(LONG_MS) },
    asked: FRONT_WITH_FALLBACK,
    property: 'env.TIMEOUT_MS',
    resilient: SHORT_WAIT_MS,
    fragile: undefined,
    expected: USERS_WAIT,
    checks: [
      { type: 'http', mode: 'OnChaos', reason: LATE },
      { type: 'http', mode: 'Continuous', reason: LATE },
      { type: 'prom', mode: 'OnChaos' },
    ],
  }),
  ...pairs({
    ...withFallback,
    name: 'pod-http-modify-header',
    fault: 'pod-http-modify-header',
    env: { ...PORT, HEADERS_MAP: '{"x-version":"2"}' },
    property: 'env.NEEDS_HEADER',
    resilient: undefined,
    fragile: 'x-version:1',
    checks: [
      { type: 'http', mode: 'OnChaos', reason: BAD_ANSWER },
      { type: 'cmd', mode: 'Continuous' },
    ],
  }),
  ...pairs({
    ...withFallback,
    name: 'pod-http-modify-body',
    fault: 'pod-http-modify-body',
    env: { ...PORT, RESPONSE_BODY: 'nonsense' },
    asked: { ...FRONT, env: { ...FRONT.env, NEEDS_BODY: 'served by backend' } },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: BAD_ANSWER },
      { type: 'prom', mode: 'OnChaos' },
    ],
  }),
  ...pairs({
    ...withFallback,
    name: 'pod-http-reset-peer',
    fault: 'pod-http-reset-peer',
    env: { ...PORT, RESET_TIMEOUT: '0' },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: BAD_ANSWER },
      { type: 'http', mode: 'Continuous', reason: BAD_ANSWER },
    ],
  }),
];
