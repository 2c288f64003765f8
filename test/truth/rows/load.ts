/** Requests beside those of the users, to an application that may take only so many. */
import type { KubeObject } from '../../../src/api/index.ts';
import { APP_PORT, LOAD_IMAGE } from '../application.ts';
import { pairs } from '../pairs.ts';
import type { Row } from '../row.ts';

/** More than users and kubelet ask, and far less than the load. */
const MAX_RATE = '15';

const script: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'k6-script' },
  stringData: {
    'script.js': `import http from 'k6/http'; export default () => http.get('http://web:${APP_PORT}/');`,
  },
} as KubeObject;

export const LOAD_ROWS: readonly Row[] = pairs({
  family: 'load',
  name: 'k6-loadgen',
  fault: 'k6-loadgen',
  env: { TOTAL_CHAOS_DURATION: '5', LIB_IMAGE: LOAD_IMAGE },
  asked: { name: 'web', env: {} },
  property: 'env.MAX_RATE',
  resilient: undefined,
  fragile: MAX_RATE,
  expected: { everyMs: 250 },
  more: { objects: [script], target: undefined },
  checks: [{ type: 'http', mode: 'OnChaos', reason: /503|Actual value/ }],
});
