import type { ClusterConfig } from '../kube/client/types.ts';

/** How an embedded cluster is started. */
export interface EmbeddedClusterOptions {
  /** Where the cluster keeps pods' directories, logs, its kubeconfig and keys. @default a new folder below the temp folder, removed on close */
  readonly dataDir?: string;
  /** Loopback port of the API server. @default 0 = any free one */
  readonly port?: number;
  /** Number of nodes: `turnsole-1`… @default 1 */
  readonly nodes?: number;
  /** Further images: `name[:tag]` to the command that stands for it. */
  readonly images?: ReadonlyMap<string, ImageEntry>;
  /** Aborts the start; a cluster that has started is stopped by `close` only. */
  readonly signal?: AbortSignal;
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
  /** Stops pods (SIGTERM, then SIGKILL after at most `graceMs`), controllers and server, and removes a temporary data folder. Idempotent. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
