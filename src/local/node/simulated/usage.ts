import type { Pod } from '../../../api/core.ts';
import type { PodUsage } from '../../apiserver/metrics/usage.ts';
import type { PodPlan } from './plan.ts';

const NANOS_PER_MILLI = 1_000_000;

/** The figures that a plan gives the containers that run by the pod's status; undefined when none does. Pure. */
export function simulatedUsage(
  pod: Pod,
  plan: PodPlan,
  window: Pick<PodUsage, 'atMs' | 'windowMs'>,
): PodUsage | undefined {
  const statuses = [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ].filter(({ state }) => state?.running !== undefined);
  if (statuses.length === 0) return undefined;
  return {
    ...window,
    containers: statuses.map(({ name }) => {
      const { cpuMillis = 0, memoryBytes = 0 } = plan.containers?.[name] ?? plan;
      return { name, cpuNanoCores: cpuMillis * NANOS_PER_MILLI, memoryBytes };
    }),
  };
}
