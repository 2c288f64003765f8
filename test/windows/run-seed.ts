import assert from 'node:assert/strict';
import { type ChaosResult, isOpen, type LedgerEntry } from '../../src/api/index.ts';
import { coverageOf } from '../../src/chaos/coverage.ts';
import type { FaultCluster } from '../faults/support/fault-cluster.ts';
import { ForceWatch, statusAsked } from '../faults/support/force-watch.ts';
import { webDeployment } from '../faults/support/web-deployment.ts';
import { Seeded } from '../support/seeded.ts';
import type { Figures } from '../support/seeds.ts';
import { befall, drawMishaps } from './mishaps.ts';

const SECONDS = 12;
const STATUS = 503;

/**
 * Plays one seed: a fault is held, things happen to its pods, and what the ledger says of each must be what the pod itself has said.
 *
 * @throws what is wrong
 */
export async function runSeed(cluster: FaultCluster, seed: number): Promise<Figures> {
  const random = new Seeded(seed);
  const replicas = random.between(1, 3);
  const percentage = random.pick([100, 50]);
  const isSerial = random.chance(0.2);
  const mishaps = drawMishaps(random, (SECONDS - 2) * 1000);
  const namespace = await cluster.namespace();
  await webDeployment(cluster, namespace, replicas);
  const run = await cluster.run('pod-http-status-code', {
    namespace,
    env: {
      TARGETS: `deployment:${namespace}:[app=web]`,
      PODS_AFFECTED_PERC: String(percentage),
      STATUS_CODE: String(STATUS),
      MODIFY_RESPONSE_BODY: 'false',
      TARGET_SERVICE_PORT: '8080',
      TOTAL_CHAOS_DURATION: String(SECONDS),
      ...(isSerial ? { SEQUENCE: 'serial' } : {}),
    },
  });
  await run.injected();
  await using watch = new ForceWatch(cluster.client, namespace, statusAsked(STATUS));
  await befall(cluster, namespace, mishaps);
  const result = await run.ended(SECONDS * 2_000);
  const told = JSON.stringify({ mishaps, status: result.status }, undefined, 1);
  const entries = Object.values(result.status?.ledger ?? {});
  assert.deepEqual(entries.filter(isOpen), [], told);
  watch.assertAgrees(entries);
  assertCoverage(result, entries, isSerial, told);
  await watch.assertOver();
  const gone = entries.filter(({ inForce = [] }) => inForce.some(({ ended }) => ended === 'PodGone'));
  return {
    answers: watch.count,
    mishaps: mishaps.length,
    'pods hit': entries.length,
    'pods gone': gone.length,
    'runs below 90 %': result.status?.experimentStatus?.errorOutput?.errorCode === 'LOW_COVERAGE' ? 1 : 0,
  };
}

/** The verdict is that of the coverage, and the coverage that of the windows; in serial mode the steps are not known here. */
function assertCoverage(
  { status }: ChaosResult,
  entries: readonly LedgerEntry[],
  isSerial: boolean,
  told: string,
): void {
  const { experimentStatus, coverage } = status ?? {};
  const code = experimentStatus?.errorOutput?.errorCode;
  // A serial step of which no pod is left to hit is an error of its own.
  if (isSerial && code !== undefined && code !== 'LOW_COVERAGE') return;
  assert.ok(coverage !== undefined, told);
  assert.deepEqual(
    [experimentStatus?.verdict, code],
    coverage.percent < 90 ? ['Error', 'LOW_COVERAGE'] : ['Pass', undefined],
    told,
  );
  if (isSerial) return;
  const { targets, kind } = coverage;
  const asked = { targets, kind, atOnce: targets, durationMs: SECONDS * 1000 };
  assert.deepEqual(coverageOf([entries], asked, Date.now()), coverage, told);
}
