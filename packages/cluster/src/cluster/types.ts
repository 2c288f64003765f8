import type { ClusterConfig } from '@turnsole/kube/client/types';
import type { Resource } from '@turnsole/kube/kinds/resources';
import type { CustomResourceDefinition } from '@turnsole/kube/schema/definition';
import type { Judge } from '../apiserver/index.ts';
import type { Capability } from '../node/capabilities.ts';
import type { BringOptions, BroughtImage, ImagePlace } from '../node/images/bring-image.ts';
import type { ImageEntry } from '../node/images/image-entry.ts';
import type { StoredImages } from '../node/images/image-sources.ts';
import type { Journals } from '../node/runtime/journals.ts';
import type { SimulatedRuntimeOptions } from '../node/simulated/runtime-options.ts';
import type { Outside } from '../rootless/inside.ts';

/** How an embedded cluster is started. */
export interface EmbeddedClusterOptions {
  /**
   * Folder in which the cluster is kept: objects and their history, certificates, keys, tokens, claims. A cluster that is
   * started with it again goes on where it was. What its pods run with is in a temporary folder in any case.
   * @default everything in memory and in a temporary folder that is removed on close
   */
  readonly dataDir?: string;
  /** Loopback port of the API server. @default 0 = the last one if that is free, else any free one */
  readonly port?: number;
  /** Number of nodes: `turnsole-1`… @default as many as the last time, 1 at first */
  readonly nodes?: number;
  /** What runs pods. @default 'process' */
  readonly runtime?: 'process' | 'simulated' | SimulatedRuntimeOptions;
  /** Labels of nodes besides those that the cluster sets (host name, system, architecture); by a node's name, or for all of them under `*`. */
  readonly nodeLabels?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A node that is silent for this long is taken for lost. @default 40_000 */
  readonly nodeGraceMs?: number;
  /**
   * Time from one measurement of what pods use to the next, while clients ask for it, and from one decision of a
   * HorizontalPodAutoscaler to the next. @default 5_000
   */
  readonly metricsIntervalMs?: number;
  /** Whether usage of pods and nodes is served, as by a metrics server: for `kubectl top` and autoscalers. @default true */
  readonly hasUsage?: boolean;
  /**
   * Whether pods have networks, processes, files and limits of their own, which takes root of this process's namespaces on Linux: where
   * that is possible, never, or else the start fails. @default auto
   */
  readonly isolation?: 'auto' | 'none' | 'full';
  /**
   * The process outside, where this one is root of namespaces of its own (rootless/): it listens for the clients that are there, and says
   * how connections of pods get out. @default this process is in the network of its clients
   */
  readonly outside?: Outside;
  /** Why this process is not root of namespaces of its own either, where it is not root. @default it was not tried */
  readonly notRootless?: string;
  /** Images besides the built-in ones, before which they win: `name[:tag]` to the command that stands for it. */
  readonly images?: ReadonlyMap<string, ImageEntry>;
  /** The images that are no commands, pulled where they are missing; containers of them need isolation. @default the user's own store */
  readonly imageStore?: StoredImages;
  /**
   * Commands that the shells of all containers find: name to the words that are run for it. `kubectl` counts only where this machine has
   * none. @default `node` alone
   */
  readonly commands?: ReadonlyMap<string, readonly string[]>;
  /** Files and folders of this machine that isolated containers see although they are at places of their own, such as `/tmp`. @default none */
  readonly hostPaths?: readonly string[];
  /** Custom kinds that are served from the start on; those that are there already stay as they are. @default none */
  readonly definitions?: readonly CustomResourceDefinition[];
  /** What refuses writes of kinds, beside their schemas. @default none */
  readonly judges?: readonly { readonly resource: Resource; readonly judge: Judge }[];
  /** Annotations of all nodes. Called once, with what the start has found out about this machine. @default none */
  readonly annotateNodes?: (machine: {
    /** As `notIsolated` of the cluster. */
    readonly notIsolated: string | undefined;
  }) => Readonly<Record<string, string>>;
  /** Files outside of the cluster's folders that pods leave when they are killed; removed when the cluster has ended, in whatever way. @default none */
  readonly journals?: Journals;
  /** Receives sentences about what goes wrong beside the requests of clients. @default a warning of the process */
  readonly onProblem?: (message: string) => void;
  /** Aborts the start; a cluster that has started is stopped by `close` only. */
  readonly signal?: AbortSignal;
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
  /** What the process runtime can and cannot do on this machine, as sentences for people. */
  readonly capabilities: readonly Capability[];
  /** Why pods share networks, processes and files of this machine; undefined where they do not. */
  readonly notIsolated: string | undefined;
  /** Whether pods with an image can start: a command of this machine stands for it, or it can be pulled and run. */
  knowsImage(image: string): boolean;
  /** Where an image is, without a question to its registry; simulated pods need none. */
  placeOfImage(image: string): Promise<ImagePlace>;
  /** Whether containers of an image find /bin/sh; undefined where that is not known. */
  hasShell(image: string): Promise<boolean | undefined>;
  /**
   * Makes an image be there before pods ask for it; does nothing for one that is, or that a command of this machine stands for.
   *
   * @throws ImageError, or Error with what to do where containers of images cannot run
   */
  bringImage(image: string, options?: BringOptions): Promise<BroughtImage>;
  /** All names of {@link imageOf}, and what they start, as plain data. */
  images(): ReadonlyMap<string, Pick<ImageEntry, 'entrypoint' | 'args'>>;
  /** What an image starts here; undefined where nothing stands for it. */
  imageOf(image: string): Pick<ImageEntry, 'entrypoint' | 'args'> | undefined;
  /** Stops pods (SIGTERM, then SIGKILL after at most `graceMs`), controllers and server, and removes a temporary data folder. Idempotent. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
