import type { Fault, PlanInput } from '../../experiment/injection/fault.ts';
import { chaosDuration } from '../../experiment/injection/settings/common-tunables.ts';
import type { TunableSchema, Tunables } from '../../experiment/injection/tunables.ts';
import { ENTERING_HELPER, POD_HELPER_RULES } from '../by-helper.ts';
import { observeContainer } from '../container-target.ts';
import { endStress, keepStress, type StressParameters, stressEffect } from './load/keep-load.ts';
import { idleLoad, type Load } from './load/load.ts';
import { planLoads } from './load/plan-loads.ts';
import { sweepStress } from './load/sweep.ts';

/** The parts of a fault that loads containers that differ. */
interface PodStressDefinition<S extends TunableSchema>
  extends Pick<Fault<S>, 'name' | 'summary' | 'tunables' | 'validate'> {
  /** Pure. */
  load(tunables: Tunables<S>): Load;
}

/** TOTAL_CHAOS_DURATION of a fault that loads. */
export function stressDuration(seconds: number) {
  return chaosDuration(seconds, 'How long the load lasts.');
}

/**
 * A fault that loads a container: by processes in its cgroups and in a process namespace below its own, so that its limits hold for
 * them, what they use counts as its own, and nothing of them stays when they end.
 *
 * What is touched: nothing but these processes. How it is undone: they are killed. What remains if the helper dies: nothing, they
 * end with it. When the container restarts they are started again while time is left. They are the first that the kernel kills
 * when memory runs out.
 */
export function podStressFault<S extends TunableSchema & { readonly TOTAL_CHAOS_DURATION: object }>(
  definition: PodStressDefinition<S>,
): Fault<S> {
  const { load, ...rest } = definition;
  return {
    ...rest,
    targets: 'containers',
    severalContainers: true,
    shape: 'sustained',
    where: 'node',
    permissions: POD_HELPER_RULES,
    needs: {
      capabilities: ['SYS_ADMIN', 'SYS_PTRACE', 'KILL'],
      tools: ['nsenter', 'unshare'],
      isolatedPods: true,
    },
    helper: ENTERING_HELPER,
    observe: observeContainer,
    idleReason: (tunables) => idleLoad(load(tunables)),
    plan: (input: PlanInput<S>) => {
      const wanted = load(input.tunables);
      const parameters: Pick<StressParameters, 'load'> = { load: wanted };
      return planLoads(input, { verb: 'stress', asks: wanted, parameters });
    },
    inject: keepStress,
    effect: stressEffect,
    revert: async ({ id }) => {
      if (!(await endStress(id))) await sweepStress(id);
    },
  };
}
