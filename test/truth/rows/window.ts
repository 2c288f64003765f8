/** Pods that go and come while a fault is held on them: for how long it was in force, and on what. */
import { APP_PORT } from '../application.ts';
import { containersEnded, podsDeleted, restarted, scaled } from '../deeds.ts';
import { pairs } from '../pairs.ts';
import { users } from '../probes.ts';
import type { Row } from '../row.ts';
import { backend, FRONT, FRONT_WITH_FALLBACK } from './shop.ts';

const HELD = {
  TARGET_SERVICE_PORT: String(APP_PORT),
  STATUS_CODE: '500',
  PODS_AFFECTED_PERC: '100',
  TOTAL_CHAOS_DURATION: '10',
};
/** Of the time, in per cent: far less than what pods need to start, also on a busy machine, and far more than the time before they went. */
const MOST = 40;

const followed = {
  family: 'verdict',
  fault: 'pod-http-status-code',
  env: HELD,
  asked: FRONT,
  hit: backend(),
  property: 'env.FALLBACK',
  resilient: 'yes',
  fragile: undefined,
  ofResilient: { numbers: [{ what: 'coverage %', of: 'backend', is: { from: MOST } }] },
} as const;

const MORE = { needs: ['nft'], engine: { minimumCoverage: MOST } } as const;

/** A front that takes it well, and a backend of which nothing is hit any more soon after the beginning. */
const lost = {
  family: 'verdict',
  fault: 'pod-http-status-code',
  check: 'http OnChaos',
  applications: [backend(), FRONT_WITH_FALLBACK],
  target: 'backend',
  probes: [users('http', 'OnChaos', { application: 'web' })],
  needs: ['nft'],
} as const satisfies Partial<Row>;

export const WINDOW_ROWS: readonly Row[] = [
  ...pairs({
    ...followed,
    name: 'rolled out anew while a fault is held',
    more: { ...MORE, during: restarted('backend') },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: /502/ },
      { type: 'http', mode: 'Continuous', reason: /502/ },
    ],
  }),
  ...pairs({
    ...followed,
    name: 'containers that restart while a fault is held',
    more: { ...MORE, during: containersEnded('backend') },
    checks: [{ type: 'http', mode: 'OnChaos', reason: /502/ }],
  }),
  ...pairs({
    family: 'verdict',
    name: 'pods that are deleted while a load is held, and come back at once or late',
    fault: 'pod-memory-hog',
    env: { TOTAL_CHAOS_DURATION: '12', MEMORY_CONSUMPTION: '50', NUMBER_OF_WORKERS: '1' },
    asked: { name: 'web' },
    property: 'initMs',
    resilient: undefined,
    fragile: 10_000,
    ofFragile: { verdict: 'Error', code: 'LOW_COVERAGE' },
    more: { engine: { minimumCoverage: MOST }, during: podsDeleted('web') },
    checks: [{ type: 'http', mode: 'SOT' }],
  }),
  {
    ...lost,
    name: 'rolled out anew, and not followed/http OnChaos',
    env: { ...HELD, FOLLOW_WORKLOAD: 'false' },
    during: restarted('backend'),
    truth: {
      verdict: 'Error',
      code: 'LOW_COVERAGE',
      because: 'the pods that were hit are gone, and others are not hit',
    },
  },
  {
    ...lost,
    name: 'scaled to 0 while a fault is held/http OnChaos',
    env: HELD,
    during: scaled('backend', 0),
    truth: {
      verdict: 'Error',
      because: 'nothing is left that could be hit, and nothing of the backend is there afterwards',
    },
  },
];
