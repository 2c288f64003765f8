import type { Pod } from '@turnsole/kube/kinds/core';

/** What the containers of a pod use, measured over a window of time. */
export interface PodUsage {
  /** End of the window, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly windowMs: number;
  readonly containers: readonly ContainerRate[];
}

/** What one container uses. */
export interface ContainerRate {
  readonly name: string;
  /** CPU time per time, in billionths of a core: the mean of the window. */
  readonly cpuNanoCores: number;
  /** At the end of the window. */
  readonly memoryBytes: number;
}

/** Measures what pods use: the node agents' side of the metrics API. */
export interface UsageSource {
  /** In the order of the pods; undefined for one of which nothing is measured yet, or that does not run. */
  usageOf(pods: readonly Pod[]): Promise<readonly (PodUsage | undefined)[]>;
  /** Usual length of a window in milliseconds. */
  readonly windowMs: number;
}
