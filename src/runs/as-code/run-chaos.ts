import type { RunResult } from './result.ts';
import type { ClusterRef, RunOptions } from './run-options.ts';
import type { Experiment } from './types.ts';

/**
 * Runs an experiment and gives its result, whatever the verdict: by the same code as `turnsole run`. Without a cluster one is started in this
 * process, and closed at the end. What the run creates, its results included, is deleted at the end; what was there stays as it was, but for
 * what the fault itself did.
 *
 * An abort of `options.signal` stops the experiment: what is in force is reverted and awaited, and everything is deleted; then the promise is
 * rejected with a ChaosError of the code STOPPED, whose `cause` is the signal's reason and whose `result` is what became of the run. A run
 * that `options.timeout` ends is rejected likewise, with the code RUN_TIMEOUT.
 *
 * @throws ChaosError INPUT_REFUSED with every problem, before anything was injected · MACHINE_UNFIT, WORKLOAD_NOT_READY, CLUSTER_UNUSABLE,
 * EMBEDDED_CLUSTER_FAILED when it cannot be run · STOPPED · RUN_TIMEOUT
 *
 * @example
 * const result = await runChaos(podDelete({ target: 'deployment/web', duration: '15s' }), { manifests, signal });
 * assert.equal(result.verdict, 'Pass', result.reason);
 */
export async function runChaos(experiment: Experiment, options?: RunOptions): Promise<RunResult>;
export async function runChaos(
  cluster: ClusterRef | undefined,
  experiment: Experiment,
  options?: RunOptions,
): Promise<RunResult>;
export async function runChaos(...given: readonly unknown[]): Promise<RunResult> {
  const [{ argumentsOf }, { runExperiment }] = await Promise.all([
    import('./arguments.ts'),
    import('./run-experiment.ts'),
  ]);
  return runExperiment(argumentsOf<RunOptions>('runChaos', given));
}
