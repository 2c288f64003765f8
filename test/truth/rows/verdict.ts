/** What a verdict must not say: that a fault did what was so before, or that all is well where nothing was done. */
import { APP_PORT } from '../application.ts';
import { scaled } from '../deeds.ts';
import { pairs } from '../pairs.ts';
import { users } from '../probes.ts';
import type { Row } from '../row.ts';
import { BACKEND_URL, backend } from './shop.ts';

const ONE_ROUND = { TOTAL_CHAOS_DURATION: '2', CHAOS_INTERVAL: '10' };
const WEB = { name: 'web', replicas: 2, env: { DRAIN_MS: '1500' } };
const PATIENT = { attempts: 6 };

const broken = {
  family: 'verdict',
  asked: WEB,
  property: 'env.BROKEN_STATUS',
  resilient: undefined,
  fragile: '500',
  expected: PATIENT,
} as const;

/** Nothing is injected into what is broken already. */
const NOT_STEADY = {
  verdict: 'Error',
  code: 'NOT_STEADY',
  numbers: [{ what: 'targets hit', of: 'web', is: { to: 0 } }],
} as const;

/** A fault without effect, in a run that requires one. Where it is known from the settings, nothing needs to be counted. */
function withoutEffect(
  name: string,
  fault: string,
  env: Readonly<Record<string, string>>,
  because: string,
): Row {
  return {
    name: `an effect is required, ${name}/none`,
    family: 'verdict',
    fault,
    check: 'none',
    applications: [{ name: 'web' }],
    target: 'web',
    env: { TOTAL_CHAOS_DURATION: '3', ...env },
    probes: [],
    engine: { requireEffect: true },
    needs: ['nft'],
    truth: { verdict: 'Fail', code: 'NO_EFFECT', because },
  };
}

const PORT = { TARGET_SERVICE_PORT: String(APP_PORT) };

const WITHOUT_EFFECT: readonly Row[] = [
  withoutEffect(
    'the port is dead',
    'pod-http-status-code',
    { TARGET_SERVICE_PORT: String(APP_PORT + 1), STATUS_CODE: '500' },
    'nothing listens on the port that is hit',
  ),
  withoutEffect(
    'the name is not asked for',
    'pod-dns-error',
    { TARGET_HOSTNAMES: '["nobody"]' },
    'the application asks for no name',
  ),
  withoutEffect(
    'TOXICITY is 0',
    'pod-http-status-code',
    { ...PORT, STATUS_CODE: '500', TOXICITY: '0' },
    'no request is hit',
  ),
  withoutEffect(
    'no header is set',
    'pod-http-modify-header',
    { ...PORT, HEADERS_MAP: '{}' },
    'the map is empty',
  ),
  withoutEffect('no name is another', 'pod-dns-spoof', { SPOOF_MAP: '{}' }, 'the map is empty'),
  withoutEffect('0 ms are added', 'pod-network-latency', { NETWORK_LATENCY: '0' }, 'no packet is late'),
  withoutEffect(
    '0 % are lost',
    'pod-network-loss',
    { NETWORK_PACKET_LOSS_PERCENTAGE: '0' },
    'no packet is lost',
  ),
  withoutEffect(
    '0 % of a processor',
    'pod-cpu-hog',
    { CPU_CORES: '1', CPU_LOAD: '0' },
    'no load is asked for',
  ),
  withoutEffect('as many replicas', 'pod-autoscaler', { REPLICA_COUNT: '1' }, 'there are as many already'),
];

function scaledWhile(replicas: number, truth: Row['truth']): Row {
  return {
    name: `scaled to ${replicas} while it is hit/none`,
    family: 'verdict',
    fault: 'pod-delete',
    check: 'none',
    applications: [WEB],
    target: 'web',
    env: { TOTAL_CHAOS_DURATION: '3', CHAOS_INTERVAL: '10' },
    probes: [],
    during: scaled('web', replicas),
    truth,
  };
}

/** Nested repetitions, and text that they match in exponentially many ways but for its last character. */
const NESTED = '^(0+)+\\s*$';
const ZEROS = '0'.repeat(40);

export const VERDICT_ROWS: readonly Row[] = [
  ...pairs({
    ...broken,
    name: 'broken before',
    fault: 'pod-delete',
    env: ONE_ROUND,
    ofFragile: NOT_STEADY,
    checks: [
      { type: 'http', mode: 'SOT', reason: /500/ },
      { type: 'http', mode: 'Continuous', reason: /500/ },
      { type: 'http', mode: 'Edge', reason: /500/ },
      { type: 'cmd', mode: 'SOT' },
      { type: 'prom', mode: 'SOT' },
    ],
  }),
  ...pairs({
    ...broken,
    name: 'broken before, and hit all the same',
    fault: 'pod-delete',
    env: ONE_ROUND,
    ofFragile: { verdict: 'Fail' },
    more: { engine: { steadyState: 'ignore' } },
    checks: [
      { type: 'http', mode: 'SOT', reason: /500/ },
      { type: 'http', mode: 'Continuous', reason: /500/ },
    ],
  }),
  ...pairs({
    ...broken,
    name: 'broken at first',
    fault: 'pod-delete',
    ofFragile: NOT_STEADY,
    env: { ...ONE_ROUND, RAMP_TIME: '5' },
    asked: { ...WEB, replicas: 3, env: { ...WEB.env, BROKEN_STATUS: '500' } },
    property: 'env.BROKEN_MS',
    resilient: '1000',
    fragile: undefined,
    // Pods that are new are broken at first as well.
    expected: { attempts: 30 },
    checks: [{ type: 'http', mode: 'Continuous', reason: /500/ }],
  }),
  ...pairs({
    family: 'verdict',
    name: 'an effect is required, a name is asked for or not',
    fault: 'pod-dns-error',
    env: { TOTAL_CHAOS_DURATION: '3', TARGET_HOSTNAMES: '["backend"]' },
    asked: { name: 'web', env: { FALLBACK: 'yes' } },
    others: [backend()],
    property: 'env.DEPENDENCY',
    resilient: BACKEND_URL,
    fragile: undefined,
    ofFragile: { code: 'NO_EFFECT' },
    more: { needs: ['nft'], engine: { requireEffect: true } },
    checks: [{ type: 'http', mode: 'OnChaos' }],
  }),
  ...pairs({
    family: 'verdict',
    name: 'a pattern with nested repetitions',
    fault: 'pod-delete',
    env: ONE_ROUND,
    asked: { ...WEB, env: { ...WEB.env } },
    property: 'env.SAYS',
    resilient: ZEROS,
    fragile: `${ZEROS}!`,
    expected: { ...PATIENT, matches: NESTED },
    checks: [
      { type: 'http', mode: 'EOT' },
      { type: 'http', mode: 'OnChaos' },
    ],
  }),
  ...WITHOUT_EFFECT,
  {
    name: 'a load above the limit of memory/http OnChaos',
    family: 'verdict',
    fault: 'pod-memory-hog',
    check: 'http OnChaos',
    applications: [{ name: 'web', limits: { memory: '200Mi' } }],
    target: 'web',
    env: { TOTAL_CHAOS_DURATION: '5', MEMORY_CONSUMPTION: '500', NUMBER_OF_WORKERS: '1' },
    probes: [users('http', 'OnChaos', { application: 'web' })],
    truth: {
      verdict: 'Pass',
      told: [/killed/, /200 ?MiB/],
      because: 'the kernel kills the load and not the application, and the result says so',
    },
  },
  scaledWhile(0, {
    verdict: 'Error',
    code: 'STATUS_CHECKS_ERROR',
    because: 'nothing of the application is left',
  }),
  scaledWhile(1, { verdict: 'Pass', because: 'the application has the pods that it is to have' }),
];
