/** Requests beside those of the users, to an application that may take only so many. */
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { APP_PORT, LOAD_IMAGE } from '../application.ts';
import { pairs } from '../pairs.ts';
import type { Row, Truth } from '../row.ts';
import { backend, FRONT } from './shop.ts';

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

/** A load is sent at its rate, whatever becomes of the requests, as the observer's are: shares can be compared. */
const MEASURED: Partial<Truth> = {
  numbers: [
    { what: 'outage ms', of: 'users', is: 'as observed' },
    { what: 'failed share', of: 'users', is: 'as observed' },
  ],
};

const UNDER_WAY = { name: 'web', replicas: 2, env: { WORK_MS: '300' } };

export const LOAD_ROWS: readonly Row[] = [
  ...pairs({
    family: 'load',
    name: 'pod-delete, requests under way',
    fault: 'pod-delete',
    env: { TOTAL_CHAOS_DURATION: '4', CHAOS_INTERVAL: '10' },
    asked: UNDER_WAY,
    property: 'env.DRAIN_MS',
    resilient: '2000',
    fragile: undefined,
    checks: [{ type: 'load', mode: 'Continuous', reason: /reset|refused/ }],
    more: { observed: { application: 'web' } },
    ofResilient: { numbers: [{ what: 'failed share', of: 'users', is: 'as observed' }] },
  }),
  ...pairs({
    family: 'load',
    name: 'pod-http-status-code 500 under load',
    fault: 'pod-http-status-code',
    env: { TARGET_SERVICE_PORT: String(APP_PORT), TOTAL_CHAOS_DURATION: '4', STATUS_CODE: '500' },
    asked: FRONT,
    hit: backend(),
    property: 'env.FALLBACK',
    resilient: 'yes',
    fragile: undefined,
    checks: [{ type: 'load', mode: 'OnChaos', reason: /502/ }],
    more: { needs: ['nft'] },
  }),
  ...pairs({
    family: 'load',
    name: 'how much: pod-delete under load',
    fault: 'pod-delete',
    env: { TOTAL_CHAOS_DURATION: '8', CHAOS_INTERVAL: '20' },
    asked: { name: 'web', env: { START_MS: '3000', DRAIN_MS: '1000' } },
    property: 'replicas',
    resilient: 2,
    fragile: 1,
    checks: [{ type: 'load', mode: 'Continuous' }],
    more: { observed: { application: 'web' } },
    ofResilient: MEASURED,
    ofFragile: MEASURED,
  }),
  ...pairs({
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
    // Five seconds of what the application takes: fewer requests are no overload.
    ofFragile: { requests: 5 * Number(MAX_RATE) },
    checks: [{ type: 'http', mode: 'OnChaos', reason: /503|Actual value/ }],
  }),
];
