/** Where chaos is run, and how. */
import type { ChaosCluster } from './cluster.ts';
import type { Duration } from './types.ts';

/**
 * A cluster: one of `startCluster`; the path of a kubeconfig, or its text (YAML, or the JSON of `KubeConfig.exportConfig()` of
 * `@kubernetes/client-node`); or path and context. Of an object with a `kubeconfig` that is taken, so that clusters of other packages fit.
 */
export type ClusterRef = ChaosCluster | string | { readonly kubeconfig?: string; readonly context?: string };

/** What planning and running have in common. */
export interface PlanOptions {
  /** Ends the work; see `runChaos` and `planChaos`. */
  readonly signal?: AbortSignal;
  /** Namespace of objects that name none. @default that of the experiment, else that of the kubeconfig, else default */
  readonly namespace?: string;
  /**
   * Manifests (YAML) of what belongs to the experiment, such as the application that it hits. They are applied before, their workloads are
   * waited for, and what was created for the run is deleted after it.
   */
  readonly manifests?: string | readonly string[];
  /** Limit for these workloads to become ready. @default '2m' */
  readonly readyTimeout?: Duration;
  /** Refuses experiments that no probe judges. @default false */
  readonly requireChecks?: boolean;
  /** Image of the experiment's pods on a cluster that is not embedded. @default turnsole/turnsole with the version of this package */
  readonly image?: string;
}

/** How an experiment is run. */
export interface RunOptions extends PlanOptions {
  /** Limit of the whole run. @default '30m' */
  readonly timeout?: Duration;
  /** Gets each step as a sentence, as the command prints it, warnings included. @default nothing is told */
  readonly onStep?: (sentence: string) => void;
}
