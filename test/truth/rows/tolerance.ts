/** How much may go wrong: criteria over what was measured. */
import { APP_PORT } from '../application.ts';
import { pairs } from '../pairs.ts';
import type { Row } from '../row.ts';
import { backend, FRONT, FRONT_WITH_FALLBACK, SHORT_WAIT_MS } from './shop.ts';

const HELD = { TARGET_SERVICE_PORT: String(APP_PORT), PODS_AFFECTED_PERC: '100', TOTAL_CHAOS_DURATION: '8' };

/** The breaker opens soon after the first failure, or never: some requests fail, or all. */
const breaks = {
  family: 'verdict',
  fault: 'pod-http-status-code',
  env: { ...HELD, STATUS_CODE: '500' },
  asked: FRONT,
  hit: backend(),
  property: 'env.BREAKER_MS',
  resilient: '500',
  fragile: undefined,
  more: { needs: ['nft'] },
} as const;

export const TOLERANCE_ROWS: readonly Row[] = [
  ...pairs({
    ...breaks,
    name: 'an outage is tolerated for a while',
    expected: { tolerance: { outage: '4s' } },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: /outage/ },
      { type: 'http', mode: 'Continuous', reason: /outage/ },
      { type: 'load', mode: 'Continuous', reason: /outage/ },
    ],
  }),
  ...pairs({
    ...breaks,
    name: 'a share of failures is tolerated',
    expected: { tolerance: { failed: '50%' } },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: /failed/ },
      { type: 'load', mode: 'OnChaos', reason: /failed/ },
    ],
  }),
  ...pairs({
    ...breaks,
    name: 'answers have to be quick',
    fault: 'pod-http-latency',
    env: { ...HELD, LATENCY: '3000' },
    asked: FRONT_WITH_FALLBACK,
    property: 'env.TIMEOUT_MS',
    resilient: SHORT_WAIT_MS,
    fragile: undefined,
    expected: { tolerance: { p50: '2s' } },
    checks: [{ type: 'load', mode: 'OnChaos', reason: /p50/ }],
  }),
];
