import type { MachineLacks } from '../api/machine-lacks.ts';
import type { ClusterConfig } from '../kube/client/types.ts';
import type { SimulationRule } from './node/simulated/plan.ts';

/** How an embedded cluster is started. */
export interface EmbeddedClusterOptions {
  /**
   * Folder in which the cluster is kept: objects and their history, certificates, keys, tokens, claims. A cluster that is
   * started with it again goes on where it was. What its pods run with is in a temporary folder in any case.
   * @default everything in memory and in a temporary folder that is removed on close
   */
  readonly dataDir?: string;
  /** Loopback port of the API server. @default 0 = the one of the last time if that is free, else any free one */
  readonly port?: number;
  /** Number of nodes: `turnsole-1`… @default as many as the last time, 1 at first */
  readonly nodes?: number;
  /** What runs pods. @default 'process' */
  readonly runtime?: 'process' | 'simulated' | SimulatedRuntimeOptions;
  /** Labels of nodes besides those that say what they are; by a node's name, or for all of them under `*`. */
  readonly nodeLabels?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A node that is silent for this long is taken for lost. @default 40_000 */
  readonly nodeGraceMs?: number;
  /**
   * Time from one measurement of what pods use to the next, while somebody asks for it, and from one decision of a
   * HorizontalPodAutoscaler to the next. @default 5_000
   */
  readonly metricsIntervalMs?: number;
  /**
   * Whether pods have networks, processes, files and limits of their own, which takes root on Linux: where that is
   * possible, never, or else the start fails. @default auto
   */
  readonly isolation?: 'auto' | 'none' | 'full';
  /** Further images: `name[:tag]` to the command that stands for it. */
  readonly images?: ReadonlyMap<string, ImageEntry>;
  /** Aborts the start; a cluster that has started is stopped by `close` only. */
  readonly signal?: AbortSignal;
}

/** Pods become ready, run and end by rules, without processes: for thousands of them. */
export interface SimulatedRuntimeOptions {
  readonly kind: 'simulated';
  /** The first that gives a plan decides; pods without one follow their annotations `simulated.turnsole.io/…`. */
  readonly rules?: readonly SimulationRule[];
  /** The same seed gives pods of the same names the same times. @default '' */
  readonly seed?: string;
  /** Whether pods of Turnsole's own images really run, as processes, unless a rule says otherwise. @default true */
  readonly realComponents?: boolean;
  /** What each node has. @default 32 cores, 256 GiB, 500 pods */
  readonly capacity?: { readonly cpus?: number; readonly memoryBytes?: number; readonly pods?: number };
}

/** What an image of the catalogue runs: its entry point and defaults, as an image's configuration would say. */
export interface ImageEntry {
  /** ENTRYPOINT; `command` of the container replaces it. */
  readonly entrypoint: readonly string[];
  /** CMD; `args` of the container replaces it. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute path on the host; @default the container's own empty folder */
  readonly workingDir?: string;
  /** In a container with a root of its own, `workingDir` counts only if the command names files of it. @default false */
  readonly workingDirIfNamed?: boolean;
  /** Its containers may tell the machine to stop and start nodes, as privileged ones may. @default false */
  readonly reachesMachine?: boolean;
}

/** A running embedded cluster. */
export interface EmbeddedCluster {
  /** `https://127.0.0.1:<port>`. */
  readonly server: string;
  /** File of mode 0600 with the administrator's credentials, for kubectl and any other client. */
  readonly kubeconfigPath: string;
  readonly dataDir: string;
  /** Administrator's configuration for components that run in this process (Unix socket, no TLS). */
  readonly adminConfig: ClusterConfig;
  /** What this machine lets the process runtime do, and what not, as sentences for people. */
  readonly capabilities: readonly {
    readonly name: string;
    readonly available: boolean;
    readonly note: string;
  }[];
  /** What of this machine faults may need and it lacks; its nodes say the same. */
  readonly lacks: MachineLacks;
  /** The images that run Turnsole's code here (TURNSOLE_KNOWN_IMAGES). */
  readonly knownImages: readonly string[];
  /** Whether something stands for an image here, so that pods with it can start. */
  knowsImage(image: string): boolean;
  /** Stops pods (SIGTERM, then SIGKILL after at most `graceMs`), controllers and server, and removes a temporary data folder. Idempotent. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
