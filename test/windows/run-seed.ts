import assert from 'node:assert/strict';
import type { Toleration } from '@turnsole/kube/kinds/core';
import { type ChaosResult, type ForceEnd, isOpen, type LedgerEntry } from '../../src/api/index.ts';
import { coverageOf } from '../../src/chaos/coverage.ts';
import { FaultCluster, ownNodesImpossible } from '../faults/support/fault-cluster.ts';
import { ForceWatch, statusAsked } from '../faults/support/force-watch.ts';
import { webDeployment } from '../faults/support/web-deployment.ts';
import { Seeded } from '../support/seeded.ts';
import type { Figures } from '../support/seeds.ts';
import { befall, bringNodesBack, drawMishaps, losesNode, type Mishap, type MishapKinds } from './mishaps.ts';

const SECONDS = 12;
/** That a node is lost shows after its grace, and its pods are replaced after that. */
const SECONDS_WITHOUT_NODE = 30;
/** What a node that is lost adds to a run at most: its helper is waited for, and then the one that reverts in its stead. */
const NODE_LIMIT_MS = 90_000;
/** For so long a serial step whose pod went before its turn waits for another one: the default of STATUS_CHECK_TIMEOUT. */
const REPLACEMENT_LIMIT_MS = 180_000;
const STATUS = 503;
/** After so long without a sign of life a node counts as lost. */
const NODE_GRACE_MS = 6_000;
/** That, and what the control plane of a busy machine takes to say so. */
const SILENT_MS = NODE_GRACE_MS + 6_000;
const NODES = 3;

/** A cluster; an embedded one can lose all of its nodes but the first. */
export function startCluster(): Promise<FaultCluster> {
  return FaultCluster.start(NODES, undefined, { nodeGraceMs: NODE_GRACE_MS });
}

/** Pods are given up as soon as their node is known to be lost, not after the usual five minutes. */
const LEAVE_AT_ONCE: Toleration[] = ['not-ready', 'unreachable'].map((name) => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 0,
}));

/**
 * Plays one seed: a fault is held, things happen to its pods, and what the ledger says of each must be what the pod itself has said.
 *
 * @throws what is wrong
 */
export async function runSeed(
  cluster: FaultCluster,
  seed: number,
  kinds: MishapKinds = ownNodesImpossible === false ? 'all' : 'on pods',
): Promise<Figures> {
  const random = new Seeded(seed);
  const replicas = random.between(1, 3);
  const percentage = random.pick([100, 50]);
  const isSerial = random.chance(0.2);
  const mishaps = drawMishaps(random, kinds, (isNodeLost) => (secondsOf(isNodeLost) - 2) * 1000);
  const drawn = { replicas, percentage, isSerial, mishaps, isNodeLost: mishaps.some(losesNode) };
  if (!drawn.isNodeLost) return play(cluster, drawn);
  try {
    return await play(cluster, drawn);
  } finally {
    await bringNodesBack(cluster);
  }
}

/** What a seed says. */
interface Drawn {
  readonly replicas: number;
  readonly percentage: number;
  readonly isSerial: boolean;
  readonly mishaps: readonly Mishap[];
  readonly isNodeLost: boolean;
}

/** For how long the fault is held on each target. */
function secondsOf(isNodeLost: boolean): number {
  return isNodeLost ? SECONDS_WITHOUT_NODE : SECONDS;
}

async function play(cluster: FaultCluster, drawn: Drawn): Promise<Figures> {
  const { replicas, percentage, isSerial, mishaps, isNodeLost } = drawn;
  const seconds = secondsOf(isNodeLost);
  const [kept = ''] = cluster.nodes;
  const namespace = await cluster.namespace();
  await webDeployment(cluster, namespace, replicas, { tolerations: LEAVE_AT_ONCE });
  // Runner and experiment stay where the lights are on.
  const stays = { nodeSelector: { 'kubernetes.io/hostname': kept } };
  const run = await cluster.run('pod-http-status-code', {
    namespace,
    ...(isNodeLost ? { ...stays, engine: { components: { runner: stays } } } : {}),
    env: {
      TARGETS: `deployment:${namespace}:[app=web]`,
      PODS_AFFECTED_PERC: String(percentage),
      STATUS_CODE: String(STATUS),
      MODIFY_RESPONSE_BODY: 'false',
      TARGET_SERVICE_PORT: '8080',
      TOTAL_CHAOS_DURATION: String(seconds),
      ...(isSerial ? { SEQUENCE: 'serial' } : {}),
    },
  });
  await run.injected();
  await using watch = new ForceWatch(cluster.client, namespace, statusAsked(STATUS));
  await befall(cluster, namespace, mishaps, kept);
  const stepsMs = isSerial ? (replicas - 1) * (seconds * 1_000 + REPLACEMENT_LIMIT_MS) : 0;
  const result = await run.ended(seconds * 2_000 + stepsMs + (isNodeLost ? NODE_LIMIT_MS : 0));
  const told = JSON.stringify({ mishaps, status: result.status }, undefined, 1);
  const entries = Object.values(result.status?.ledger ?? {});
  assert.deepEqual(entries.filter(isOpen), [], told);
  watch.assertAgrees(entries);
  watch.assertHeard(entries, SILENT_MS);
  assertCoverage(result, entries, drawn, told);
  await watch.assertOver();
  const ends = (why: ForceEnd): number =>
    entries.filter(({ inForce = [] }) => inForce.some(({ ended }) => ended === why)).length;
  const code = result.status?.experimentStatus?.errorOutput?.errorCode;
  return {
    answers: watch.count,
    mishaps: mishaps.length,
    'nodes lost': mishaps.filter(losesNode).length,
    'pods hit': entries.length,
    'pods gone': ends('PodGone'),
    'helpers lost': ends('HelperLost'),
    'runs below 90 %': code === 'LOW_COVERAGE' ? 1 : 0,
    'runs without a helper': code === 'HELPER_ERROR' ? 1 : 0,
  };
}

/**
 * The coverage is that of the windows, and the verdict that of the coverage, unless a helper was lost with its node: that is an error of
 * its own, however much there was. In serial mode the steps are not known here.
 */
function assertCoverage(
  { status }: ChaosResult,
  entries: readonly LedgerEntry[],
  { isSerial, isNodeLost }: Drawn,
  told: string,
): void {
  const { experimentStatus, coverage } = status ?? {};
  const { verdict, errorOutput } = experimentStatus ?? {};
  const code = errorOutput?.errorCode;
  const ends = entries.flatMap(({ inForce = [] }) => inForce.map(({ ended }) => ended));
  const isHelperLost = isNodeLost && code === 'HELPER_ERROR';
  if (ends.includes('HelperLost')) assert.ok(isHelperLost, told);
  // A serial step of which no pod is left to hit is an error of its own.
  if (isSerial && !isHelperLost && code !== undefined && code !== 'LOW_COVERAGE') return;
  assert.ok(coverage !== undefined, told);
  const expected = isHelperLost
    ? ['Error', 'HELPER_ERROR']
    : coverage.percent < 90
      ? ['Error', 'LOW_COVERAGE']
      : ['Pass', undefined];
  assert.deepEqual([verdict, code], expected, told);
  if (isSerial) return;
  const { targets, kind } = coverage;
  const asked = { targets, kind, atOnce: targets, durationMs: secondsOf(isNodeLost) * 1000 };
  assert.deepEqual(coverageOf([entries], asked, Date.now()), coverage, told);
}
