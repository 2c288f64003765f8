/** Packets of a dependency that are late, lost, stopped or slow; names that are not found or lead elsewhere. */
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

const ALL = { PODS_AFFECTED_PERC: '100' };
const DURATION = { ...ALL, TOTAL_CHAOS_DURATION: '4' };
const LONG = { ...ALL, ...LONG_ENOUGH };
const LATE = /timeout|deadline|no answer/i;
const BAD_ANSWER = /502|Actual value/;

const impatient = {
  family: 'network',
  asked: FRONT_WITH_FALLBACK,
  // The embedded cluster's proxies of services reset what no pod accepts within 3 s; nothing of it may be between the two here.
  hit: { ...backend(), headless: true },
  property: 'env.TIMEOUT_MS',
  resilient: SHORT_WAIT_MS,
  fragile: undefined,
  expected: USERS_WAIT,
} as const;

const keepsAddresses = {
  family: 'dns',
  asked: FRONT,
  others: [backend()],
  property: 'env.KEEPS_ADDRESSES',
  resilient: 'yes',
  fragile: undefined,
  more: { needs: ['nft'] },
} as const;

export const NETWORK_ROWS: readonly Row[] = [
  ...pairs({
    ...impatient,
    name: 'pod-network-latency',
    fault: 'pod-network-latency',
    env: { ...LONG, NETWORK_LATENCY: String(LONG_MS) },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: LATE },
      { type: 'http', mode: 'Continuous', reason: LATE },
    ],
  }),
  ...pairs({
    ...impatient,
    name: 'pod-network-loss 100 %',
    fault: 'pod-network-loss',
    // Of its answers alone: without ARP a neighbour would be told after 3 s that there is no route.
    env: { ...LONG, NETWORK_PACKET_LOSS_PERCENTAGE: '100', SOURCE_PORTS: String(APP_PORT) },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: LATE },
      { type: 'prom', mode: 'OnChaos' },
    ],
  }),
  ...pairs({
    ...impatient,
    name: 'pod-network-corruption',
    fault: 'pod-network-corruption',
    env: { ...LONG, NETWORK_PACKET_CORRUPTION_PERCENTAGE: '100' },
    more: { needs: ['netem'] },
    checks: [{ type: 'http', mode: 'OnChaos', reason: LATE }],
  }),
  ...pairs({
    ...impatient,
    name: 'pod-network-partition',
    fault: 'pod-network-partition',
    env: LONG,
    checks: [
      { type: 'http', mode: 'OnChaos', reason: LATE },
      { type: 'http', mode: 'Continuous', reason: LATE },
    ],
  }),
  ...pairs({
    family: 'network',
    name: 'pod-network-rate-limit',
    fault: 'pod-network-rate-limit',
    env: { ...LONG, NETWORK_BANDWIDTH: '256kbit' },
    asked: { name: 'web', env: {} },
    property: 'env.BODY_KIB',
    resilient: undefined,
    fragile: '500',
    // A status is there before the limit counts: users want the whole answer.
    expected: { ...USERS_WAIT, body: 'served by web' },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: LATE },
      { type: 'http', mode: 'Continuous', reason: LATE },
    ],
  }),
  ...pairs({
    ...keepsAddresses,
    name: 'pod-dns-error',
    fault: 'pod-dns-error',
    env: { ...DURATION, TARGET_HOSTNAMES: '["backend"]' },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: BAD_ANSWER },
      // The question that is under way when the fault begins may be the first one that is lost.
      { type: 'http', mode: 'Continuous', reason: /502|Actual value|timeout/ },
      { type: 'prom', mode: 'OnChaos' },
    ],
  }),
  ...pairs({
    ...keepsAddresses,
    name: 'pod-dns-spoof',
    fault: 'pod-dns-spoof',
    env: { ...DURATION, SPOOF_MAP: '{"backend":"decoy"}' },
    others: [backend(), { name: 'decoy' }],
    expected: { body: 'served by backend' },
    checks: [
      { type: 'http', mode: 'OnChaos', reason: /decoy|Actual value/ },
      { type: 'cmd', mode: 'OnChaos', reason: /decoy|Actual value/ },
    ],
  }),
];
