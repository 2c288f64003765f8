import type { ChaosPlan } from './plan.ts';
import type { ClusterRef, PlanOptions } from './run-options.ts';
import type { Experiment } from './types.ts';

/**
 * What a run of an experiment would do, and what speaks against it: by the same code as `turnsole plan`. Nothing is injected, and nothing is
 * written to a cluster that was given; without one, `options.manifests` are applied to a cluster that ends afterwards.
 *
 * @throws ChaosError CLUSTER_UNUSABLE, EMBEDDED_CLUSTER_FAILED, WORKLOAD_NOT_READY when there is nothing to look at · STOPPED after an abort of
 * `options.signal`. Problems of the experiment are part of the plan, and not thrown.
 */
export async function planChaos(experiment: Experiment, options?: PlanOptions): Promise<ChaosPlan>;
export async function planChaos(
  cluster: ClusterRef | undefined,
  experiment: Experiment,
  options?: PlanOptions,
): Promise<ChaosPlan>;
export async function planChaos(...given: readonly unknown[]): Promise<ChaosPlan> {
  const [{ argumentsOf }, { planExperiment }] = await Promise.all([
    import('./arguments.ts'),
    import('./plan-experiment.ts'),
  ]);
  return planExperiment(argumentsOf<PlanOptions>('planChaos', given));
}
