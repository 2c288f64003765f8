/** What a verdict must not say: that a fault did what was so before, or that all is well where nothing was done. */
import { APP_PORT } from '../application.ts';
import { pairs } from '../pairs.ts';
import type { Row } from '../row.ts';

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

/** A fault of which it is known that it had no effect, in a run that requires one. */
function withoutEffect(
  name: string,
  fault: string,
  env: Readonly<Record<string, string>>,
  because: string,
): Row {
  return {
    name: `${name}/none`,
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

export const VERDICT_ROWS: readonly Row[] = [
  ...pairs({
    ...broken,
    name: 'broken before',
    fault: 'pod-delete',
    env: ONE_ROUND,
    checks: [
      { type: 'http', mode: 'SOT', reason: /500/ },
      { type: 'http', mode: 'Continuous', reason: /500/ },
      { type: 'http', mode: 'Edge', reason: /500/ },
      { type: 'cmd', mode: 'SOT' },
      { type: 'prom', mode: 'SOT' },
    ],
  }),
  withoutEffect(
    'an effect is required, the port is dead',
    'pod-http-status-code',
    { TARGET_SERVICE_PORT: String(APP_PORT + 1), STATUS_CODE: '500' },
    'nothing listens on the port that is hit',
  ),
  withoutEffect(
    'an effect is required, the name is not asked for',
    'pod-dns-error',
    { TARGET_HOSTNAMES: '["nobody"]' },
    'the application asks for no name',
  ),
];
