/** The cluster in this process. */
import type { Duration } from './types.ts';

/** How a cluster in this process is started. */
export interface ClusterSettings {
  /** Number of nodes. @default 1 */
  readonly nodes?: number;
  /**
   * Whether pods have networks, processes and files of their own, which takes Linux, and root or a user who may make namespaces: where that is possible as root,
   * never, or also as an ordinary user, and else the start fails. @default 'auto'
   */
  readonly isolation?: 'auto' | 'none' | 'full';
  /** Further images: their names, and the command that stands for each. @default Turnsole's, Node's and those of the host's shell */
  readonly images?: Readonly<Record<string, readonly string[]>>;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
  /** Gets warnings. @default they are dropped */
  readonly onWarning?: (sentence: string) => void;
}

/**
 * A cluster in this process with everything that runs chaos: API server, controllers, nodes whose pods are processes of this machine, and
 * the operator. If this process dies, in whatever way, its pods end and its folder is removed.
 */
export interface ChaosCluster extends AsyncDisposable {
  /** Path of the administrator's kubeconfig, for kubectl and clients of Kubernetes. */
  readonly kubeconfig: string;
  /** `https://127.0.0.1:<port>` */
  readonly server: string;
  /**
   * Applies manifests (YAML), and waits until their workloads are ready.
   *
   * @throws ChaosError INPUT_REFUSED with every object that is refused · WORKLOAD_NOT_READY
   */
  apply(
    manifests: string,
    options?: {
      readonly namespace?: string;
      readonly readyTimeout?: Duration;
      readonly signal?: AbortSignal;
    },
  ): Promise<void>;
  /** Stops pods, operator and server, and removes what was made. Idempotent. */
  close(): Promise<void>;
}
