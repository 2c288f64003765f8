/**
 * Every type of probe in every mode against real peers, from the engine to its result: when the peers are down, which probes
 * fail? The peers follow what the result says while the run goes on, which thereby is shown to be live.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ChaosResult, ProbeStatus } from '../../src/api/index.ts';
import { PROBE_MODES, type ProbeMode } from '../../src/api/schema/vocabulary.ts';
import { ProbeCluster, type ProbeRun, statusesOf, verdictsOf } from './support/probe-cluster.ts';
import { type ObservedServer, prometheusMissing, startPrometheus } from './support/prometheus.ts';
import { startWorld, type World } from './support/world.ts';

/** Long enough for the peers to go down and up again on a busy machine. */
const DURATION_SECONDS = 20;

/** When the peers are down, and what fails by that. */
interface Outage {
  readonly when: string;
  readonly modes: readonly ProbeMode[];
  readonly failing: readonly ProbeMode[];
  readonly downAtFirst: boolean;
  /** Changes the peers while the run goes on. */
  readonly play?: (world: World, run: ProbeRun) => Promise<void>;
}

function allOf(
  result: ChaosResult,
  modes: readonly ProbeMode[],
  holds: (status: ProbeStatus['status']) => boolean,
): boolean {
  const statuses = statusesOf(result).filter(({ mode }) => modes.some((one) => one === mode));
  return statuses.length > 0 && statuses.every(({ status }) => holds(status));
}

/** All that runs before the end has run at least once. */
const allRun = (result: ChaosResult): boolean =>
  allOf(result, ['SOT', 'Edge', 'Continuous', 'OnChaos'], ({ description }) => description !== undefined);

/** All probes of these modes have failed, and the run goes on. */
const failedLive =
  (...modes: ProbeMode[]) =>
  (result: ChaosResult): boolean =>
    result.status?.experimentStatus?.phase === 'Running' &&
    allOf(result, modes, ({ verdict }) => verdict === 'Failed');

const OUTAGES: readonly Outage[] = [
  { when: 'never', modes: PROBE_MODES, failing: [], downAtFirst: false },
  { when: 'always', modes: PROBE_MODES, failing: PROBE_MODES, downAtFirst: true },
  {
    when: 'only while the chaos lasts',
    modes: PROBE_MODES,
    failing: ['Continuous', 'OnChaos'],
    downAtFirst: false,
    play: async (world, run) => {
      await run.result(allRun);
      await world.set(false);
      await run.result(failedLive('Continuous', 'OnChaos'));
      await world.set(true);
    },
  },
  {
    when: 'from the chaos on',
    modes: PROBE_MODES,
    failing: ['EOT', 'Edge', 'Continuous', 'OnChaos'],
    downAtFirst: false,
    play: async (world, run) => {
      await run.result(allRun);
      await world.set(false);
    },
  },
  {
    // Those in the background begin beside each other; here only what waits for nobody.
    when: 'until the chaos',
    modes: ['SOT', 'Edge', 'EOT'],
    failing: ['SOT', 'Edge'],
    downAtFirst: true,
    play: async (world, run) => {
      await run.result(failedLive('SOT', 'Edge'));
      await world.set(true);
    },
  },
];

describe('every type in every mode', { concurrency: 3 }, () => {
  let cluster: ProbeCluster;
  let prometheus: ObservedServer | undefined;
  before(async () => {
    prometheus = prometheusMissing === false ? await startPrometheus(new Map()) : undefined;
    cluster = await ProbeCluster.start();
  });
  after(async () => {
    await cluster?.close();
    await prometheus?.[Symbol.asyncDispose]();
  });

  for (const { when, modes, failing, downAtFirst, play } of OUTAGES) {
    test(`peers are down ${when}`, async (context) => {
      if (prometheusMissing !== false) context.diagnostic(`without promProbes: ${prometheusMissing}`);
      const namespace = await cluster.namespace();
      await using world = await startWorld(cluster.client, namespace, prometheus);
      if (downAtFirst) await world.set(false);
      const probes = modes.flatMap((mode) => world.probes(mode));
      const run = await cluster.run({
        namespace,
        probes,
        durationSeconds: DURATION_SECONDS,
        // What is down from the beginning would keep the fault from being injected.
        ...(downAtFirst && { steadyState: 'ignore' as const }),
      });
      await play?.(world, run);
      const result = await run.ended();
      const expected = probes.map(
        ({ name, mode }) => `${name} ${failing.includes(mode) ? 'Failed' : 'Passed'}`,
      );
      const found = verdictsOf(result);
      const others = statusesOf(result).filter((_, index) => found[index] !== expected[index]);
      const error = result.status?.experimentStatus?.errorOutput;
      assert.deepEqual(others, [], `not as expected: ${JSON.stringify({ others, error }, undefined, 1)}`);
      assert.equal(found.length, expected.length);
      const { phase, verdict, probeSuccessPercentage } = result.status?.experimentStatus ?? {};
      const passed = expected.filter((line) => line.endsWith('Passed')).length;
      assert.deepEqual(
        { phase, verdict, probeSuccessPercentage },
        {
          phase: failing.length === 0 ? 'Completed' : 'Completed_With_Probe_Failure',
          verdict: failing.length === 0 ? 'Pass' : 'Fail',
          probeSuccessPercentage: String(Math.floor((passed * 100) / probes.length)),
        },
      );
      const engine = await run.engineEnded();
      assert.equal(engine.status?.experiments?.[0]?.verdict, verdict);
    });
  }
});
