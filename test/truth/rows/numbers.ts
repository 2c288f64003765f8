/** How bad it was: numbers of results beside those of the outside observer. */
import { APP_PORT } from '../application.ts';
import { pairs } from '../pairs.ts';
import type { Row, TrueNumber, Truth } from '../row.ts';

/** So often probes measure here, in ms. */
const EVERY_MS = 20;
const START_MS = '3000';
const OFTEN = { everyMs: EVERY_MS };
const OBSERVED = { observed: { application: 'web' } };

const asObserved = (...names: readonly TrueNumber['what'][]): Partial<Truth> => ({
  numbers: names.map((what) => ({ what, of: 'users', is: 'as observed' })),
});

const WEB = { name: 'web', env: { START_MS, DRAIN_MS: '1000' } };
const PORT = { TARGET_SERVICE_PORT: String(APP_PORT), PODS_AFFECTED_PERC: '100' };

export const NUMBER_ROWS: readonly Row[] = [
  ...pairs({
    name: 'how long: pod-delete',
    family: 'pod',
    fault: 'pod-delete',
    env: { TOTAL_CHAOS_DURATION: '5', CHAOS_INTERVAL: '10' },
    asked: WEB,
    property: 'replicas',
    resilient: 2,
    fragile: 1,
    expected: OFTEN,
    more: OBSERVED,
    // Refused requests are quicker than others, so that a probe that waits for answers makes more of them: a share says less than a time.
    ofResilient: asObserved('outage ms'),
    ofFragile: asObserved('outage ms'),
    checks: [{ type: 'http', mode: 'Continuous' }],
  }),
  ...pairs({
    name: 'how long: pod-http-status-code',
    family: 'http',
    fault: 'pod-http-status-code',
    env: { ...PORT, TOTAL_CHAOS_DURATION: '4', STATUS_CODE: '500', PODS_AFFECTED_PERC: '100' },
    asked: { name: 'web', env: { DEPENDENCY: `http://backend:${APP_PORT}/` } },
    hit: { name: 'backend' },
    property: 'env.FALLBACK',
    resilient: 'yes',
    fragile: undefined,
    expected: OFTEN,
    more: { ...OBSERVED, needs: ['nft'] },
    ofResilient: asObserved('outage ms', 'failed share'),
    ofFragile: asObserved('outage ms', 'failed share'),
    checks: [{ type: 'http', mode: 'Continuous' }],
  }),
  ...pairs({
    name: 'how slow: pod-http-latency',
    family: 'http',
    fault: 'pod-http-latency',
    env: { ...PORT, TOTAL_CHAOS_DURATION: '5', LATENCY: '400' },
    asked: { name: 'web', env: { DEPENDENCY: `http://backend:${APP_PORT}/` } },
    hit: { name: 'backend' },
    property: 'env.TIMEOUT_MS',
    resilient: undefined,
    fragile: '200',
    expected: OFTEN,
    more: { ...OBSERVED, needs: ['nft'] },
    ofResilient: asObserved('p50 ms'),
    ofFragile: asObserved('outage ms', 'failed share'),
    checks: [{ type: 'http', mode: 'OnChaos' }],
  }),
];
