/** A fault of a cloud in this process, against an embedded API server, and what a run left there. */
import { silentLogger } from '@turnsole/kube/base/log';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import { until as untilSo } from '@turnsole/kube/testing/until';
import { CHAOS_RESULTS, type ChaosResult, type LedgerEntry } from '../../../../src/api/index.ts';
import { type ExperimentOutcome, runExperiment } from '../../../../src/experiment/run/run-experiment.ts';
import { faultRegistry } from '../../../../src/faults/index.ts';
import type { ExperimentCluster } from '../../../support/experiment-cluster.ts';

/** A run that may be under way. */
export interface CloudRun {
  readonly namespace: string;
  readonly outcome: Promise<ExperimentOutcome>;
  result(): Promise<ChaosResult>;
  /** Resolves when the fault is in force on the target whose name ends so. */
  injected(target: string): Promise<void>;
  stop(): void;
}

/** How much faster than the world the clock of runs is: waits of a minute take a few seconds. */
const FACTOR = 30;
/** For what a test waits for. */
const LIMIT_MS = 60_000;

/** Starts a run; in a namespace of another run it is a later run of the same engine. */
export async function startCloudRun(
  cluster: ExperimentCluster,
  name: string,
  env: Readonly<Record<string, string>>,
  { namespace, runId = 'run1' }: { readonly namespace?: string; readonly runId?: string } = {},
): Promise<CloudRun> {
  const fault = await faultRegistry.get(name)?.();
  if (fault === undefined) throw new Error(`there is no fault ${name}`);
  const place = namespace ?? (await cluster.namespace());
  if (namespace === undefined) await cluster.engine(place, name);
  const stop = new AbortController();
  const outcome = runExperiment({
    fault,
    env: { CHAOSENGINE: 'eng', CHAOS_NAMESPACE: place, RUN_ID: runId, ...env },
    client: cluster.client,
    clock: fastClock(FACTOR),
    random: () => 0,
    signal: stop.signal,
    logger: silentLogger,
  });
  outcome.catch(() => {});
  return {
    namespace: place,
    outcome,
    result: () => cluster.result(place, `eng-${name}`),
    injected: async (target) => {
      const isInForce = (result: ChaosResult | undefined): boolean =>
        result !== undefined && ledgerOf(result).includes(`${target} injected`);
      const wait = { namespace: place, timeoutMs: LIMIT_MS };
      await waitForObject<ChaosResult>(cluster.client, CHAOS_RESULTS, `eng-${name}`, isInForce, wait);
    },
    stop: () => stop.abort(new Error('stopped')),
  };
}

/** `Pass`, or `Error CODE: reason`. */
export function verdictOf({ verdict, errorOutput }: ExperimentOutcome): string {
  return errorOutput === undefined ? verdict : `${verdict} ${errorOutput.errorCode}: ${errorOutput.reason}`;
}

/** The ledger's states, by the last parts of the names. */
export function ledgerOf({ status }: ChaosResult): string[] {
  return Object.values<LedgerEntry>(status?.ledger ?? {})
    .map(({ target, state }) => `${target.name.slice(target.name.lastIndexOf('/') + 1)} ${state}`)
    .toSorted();
}

/** Resolves when something is so. */
export function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  return untilSo(ask, `never: ${what}`, LIMIT_MS);
}
