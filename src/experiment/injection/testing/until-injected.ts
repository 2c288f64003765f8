import type { ExperimentCluster } from '../../../../test/support/experiment-cluster.ts';
import { CHAOS_RESULTS, type ChaosResult, type LedgerEntry } from '../../../api/index.ts';
import type { ExperimentOutcome } from '../../run/run-experiment.ts';

/**
 * Resolves when the ledger of a namespace has an injected entry that is meant.
 *
 * @throws Error with the outcome of the run, when it ends without that
 */
export async function untilInjected(
  cluster: ExperimentCluster,
  namespace: string,
  running: Promise<ExperimentOutcome>,
  isMeant: (entry: LedgerEntry) => boolean = () => true,
): Promise<void> {
  const isOver = running.then((outcome) => {
    throw new Error(`the run ended before anything was injected: ${JSON.stringify(outcome)}`);
  });
  const isInjected = cluster.until<ChaosResult>(CHAOS_RESULTS, namespace, (results) =>
    results.some(({ status }) =>
      Object.values(status?.ledger ?? {}).some((entry) => entry.injectedAt !== undefined && isMeant(entry)),
    ),
  );
  await Promise.race([isInjected, isOver]);
}
