import type { Clock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';

/** How one container of a simulated pod behaves in each of its runs. Times are in milliseconds. */
export interface ContainerPlan {
  /** Time until it runs. @default 0 */
  readonly startAfterMs?: number;
  /** Why it cannot be started; the run then ends with 128, reason StartError. */
  readonly failStart?: string;
  /** Time from running to ready. @default 0; Infinity = never */
  readonly readyAfterMs?: number;
  /** How long it runs by itself. @default Infinity = until it is stopped */
  readonly runMs?: number;
  /** Exit code of a run that ends by itself. @default 0 */
  readonly exitCode?: number;
  /** Time it takes to end on request; it is killed when that is longer than its grace period. @default 0 */
  readonly stopAfterMs?: number;
  /** CPU it says it uses while it runs, in thousandths of a core. @default 0 */
  readonly cpuMillis?: number;
  /** Memory it says it uses while it runs. @default 0 */
  readonly memoryBytes?: number;
  /**
   * What the container does while it runs, in place of `runMs`: it may act through the API as the container would.
   * Resolves to the exit code (nothing: 0); a rejection ends the run with 1.
   */
  readonly act?: (run: SimulatedRun) => Promise<number> | Promise<void>;
}

/** One run of a simulated container, as its `act` sees it. */
export interface SimulatedRun {
  readonly pod: Pod;
  readonly container: string;
  /** 0 for the first run of the container, then 1… */
  readonly attempt: number;
  /** With the administrator's rights: a simulated container has no token. */
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Aborts when the container is stopped. */
  readonly signal: AbortSignal;
}

/** How a pod is simulated: a plan for all of its regular containers and sidecars, or one for each by name. */
export interface PodPlan extends ContainerPlan {
  /** Plans of single containers, init containers too; they replace the pod's. */
  readonly containers?: Readonly<Record<string, ContainerPlan>>;
}

/**
 * Decides how a pod is simulated; `process` really runs it, and undefined leaves it to the next rule, at last to the
 * pod's annotations. Called when the pod is bound to its node, and again when a client asks for its usage; should be pure.
 */
export type SimulationRule = (pod: Pod) => PodPlan | 'process' | undefined;
