import type { Injection, PlanInput } from '../../../experiment/injection/fault.ts';
import type { TunableSchema } from '../../../experiment/injection/tunables.ts';
import { runningContainer } from '../../container-target.ts';
import { beyondLimits, limitsOf } from './limits.ts';

/** What is loaded in each container. */
interface WantedLoad {
  /** The verb of the error for a container that does not run: `stress`. */
  readonly verb: string;
  /** What it asks for, as far as that is known; a container's limits may allow less. */
  readonly asks: Parameters<typeof beyondLimits>[0];
  readonly parameters: object;
}

/** An injection per container, with what its limits keep from it. Pure. @throws Error for a container that does not run */
export function planLoads<S extends TunableSchema & { readonly TOTAL_CHAOS_DURATION: object }>(
  { tunables, targets }: PlanInput<S>,
  { verb, asks, parameters }: WantedLoad,
): readonly Injection[] {
  // `S` has this setting; TypeScript does not look into a type parameter for its type.
  const seconds = tunables.TOTAL_CHAOS_DURATION as number;
  return targets.map((target) => {
    const containerId = runningContainer(verb, target);
    const { observed: _, ...plain } = target;
    const bounded = beyondLimits(asks, limitsOf(target));
    return {
      ...(bounded !== undefined && { bounded }),
      id: `${target.namespace}.${target.name}.${target.container}`,
      target: plain,
      parameters: { ...parameters, seconds, containerId },
    };
  });
}
