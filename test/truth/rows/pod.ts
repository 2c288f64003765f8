/** Pods that are deleted, containers that are killed, workloads that are scaled. */
import { pairs } from '../pairs.ts';
import type { Row } from '../row.ts';
import { backend, FRONT } from './shop.ts';

const NO_ANSWER = /ECONNREFUSED|ECONNRESET|reset|timeout|Actual value/i;
/** Between the end of a pod and the time at which another takes its place. */
const START_MS = '6000';
/** Attempts over so long that services have noticed that a pod is gone, and far shorter than a start, also where the machine is slow. */
const PATIENT = { attempts: 4 };
const ONE_ROUND = { TOTAL_CHAOS_DURATION: '3', CHAOS_INTERVAL: '10' };

const WEB = { name: 'web', env: { START_MS, DRAIN_MS: '1500' } };
const SHOP = { name: 'web', env: { DATA: '/data/orders' } };
const ORDERS = { orders: { application: 'web', count: 3 } };
const ALL_ORDERS = { body: 'orders: 3' };
const LOST = /orders: 0|Actual value/;

const anotherServes = {
  family: 'pod',
  asked: WEB,
  property: 'replicas',
  resilient: 2,
  fragile: 1,
  expected: PATIENT,
} as const;
const ordersStay = {
  family: 'pod',
  asked: SHOP,
  property: 'data',
  more: ORDERS,
  expected: ALL_ORDERS,
} as const;
const withoutDependency = {
  family: 'pod',
  asked: FRONT,
  property: 'env.FALLBACK',
  resilient: 'yes',
  fragile: undefined,
} as const;

export const POD_ROWS: readonly Row[] = [
  ...pairs({
    ...anotherServes,
    name: 'pod-delete, another pod serves',
    fault: 'pod-delete',
    env: ONE_ROUND,
    checks: [
      { type: 'http', mode: 'Continuous', reason: NO_ANSWER },
      { type: 'http', mode: 'OnChaos', reason: NO_ANSWER },
      { type: 'cmd', mode: 'Continuous', expected: { everyMs: 500 } },
      { type: 'prom', mode: 'Continuous' },
    ],
  }),
  ...pairs({
    ...anotherServes,
    name: 'pod-delete, a pod is running',
    fault: 'pod-delete',
    env: ONE_ROUND,
    asked: { name: 'web', initMs: 3000 },
    expected: {},
    checks: [
      { type: 'k8s', mode: 'Continuous' },
      { type: 'k8s', mode: 'OnChaos' },
    ],
  }),
  ...pairs({
    ...ordersStay,
    name: 'pod-delete, what is stored stays',
    fault: 'pod-delete',
    env: ONE_ROUND,
    resilient: 'claim',
    fragile: 'pod',
    checks: [
      { type: 'http', mode: 'EOT', reason: LOST },
      { type: 'http', mode: 'Edge', reason: LOST },
      { type: 'cmd', mode: 'Edge', reason: LOST },
    ],
  }),
  ...pairs({
    ...withoutDependency,
    name: 'pod-delete, without the dependency',
    fault: 'pod-delete',
    env: { ...ONE_ROUND, FORCE: 'true' },
    hit: backend({ START_MS }),
    checks: [
      { type: 'http', mode: 'Continuous', reason: /502|Actual value/ },
      { type: 'prom', mode: 'OnChaos' },
    ],
  }),
  ...pairs({
    ...anotherServes,
    name: 'container-kill, another pod serves',
    fault: 'container-kill',
    env: ONE_ROUND,
    checks: [
      { type: 'http', mode: 'Continuous', reason: NO_ANSWER },
      { type: 'cmd', mode: 'OnChaos' },
      { type: 'prom', mode: 'OnChaos' },
    ],
  }),
  ...pairs({
    ...ordersStay,
    name: 'container-kill, what is stored stays',
    fault: 'container-kill',
    env: ONE_ROUND,
    resilient: 'pod',
    fragile: 'container',
    checks: [
      { type: 'http', mode: 'EOT', reason: LOST },
      { type: 'cmd', mode: 'EOT', reason: LOST },
    ],
  }),
  ...pairs({
    ...withoutDependency,
    name: 'pod-autoscaler to 0, without the dependency',
    fault: 'pod-autoscaler',
    env: { TOTAL_CHAOS_DURATION: '4', REPLICA_COUNT: '0' },
    hit: backend(),
    checks: [
      { type: 'http', mode: 'OnChaos', reason: /502|Actual value/ },
      { type: 'http', mode: 'Continuous', reason: /502|Actual value/ },
      { type: 'cmd', mode: 'OnChaos' },
    ],
  }),
  ...pairs({
    ...ordersStay,
    name: 'pod-autoscaler to 0, what is stored stays',
    fault: 'pod-autoscaler',
    env: { TOTAL_CHAOS_DURATION: '3', REPLICA_COUNT: '0' },
    resilient: 'claim',
    fragile: 'pod',
    checks: [
      { type: 'http', mode: 'EOT', reason: LOST },
      { type: 'cmd', mode: 'Edge', reason: LOST },
    ],
  }),
];
