import { createClient } from '@turnsole/kube/client/client';
import type { ImageEntry } from '../node/images/image-entry.ts';
import type { SimulatedRuntimeOptions } from '../node/simulated/runtime-options.ts';
import { accessTo, type ClusterAccess } from './access.ts';
import { startEmbeddedCluster } from './start.ts';
import type { EmbeddedClusterOptions } from './types.ts';

/** How a cluster is started. */
export interface ClusterOptions
  extends Pick<
    EmbeddedClusterOptions,
    | 'nodes'
    | 'isolation'
    | 'imageStore'
    | 'definitions'
    | 'dataDir'
    | 'port'
    | 'nodeLabels'
    | 'nodeGraceMs'
    | 'metricsIntervalMs'
    | 'hasUsage'
    | 'commands'
    | 'hostPaths'
    | 'judges'
    | 'annotateNodes'
    | 'journals'
    | 'onProblem'
    | 'signal'
  > {
  /**
   * What stands for images besides the built-in ones: `name[:tag]` to the words of a command line on this machine, or to all that an image
   * says. @default none
   */
  readonly images?: Readonly<Record<string, readonly string[] | ImageEntry>>;
  /**
   * Whether pods are no processes, but become ready, run and end by rules (`true`: at once, and until they are stopped): for thousands of
   * them. @default false
   */
  readonly simulated?: boolean | Omit<SimulatedRuntimeOptions, 'kind'>;
}

/** A running cluster. `await using` closes it. */
export interface Cluster extends ClusterAccess, AsyncDisposable {
  /** `https://127.0.0.1:<port>`. */
  readonly server: string;
  /** Why pods share networks, processes and files of this machine; undefined where each has its own. */
  readonly notIsolated: string | undefined;
  /** Whether something stands for an image, so that pods with it can start. */
  knowsImage(image: string): boolean;
  /** Stops pods (SIGTERM, then SIGKILL after at most `graceMs`), controllers and server. Idempotent. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Starts a cluster in this process: API server, controllers, scheduler and nodes whose pods are processes of this machine.
 *
 * Resolves when it can be used: the nodes are ready, and the namespace `default` has its service account. Several clusters may run at once.
 * Nothing stays behind: `close` stops everything, and when this process dies in whatever way, a reaper kills the pods and removes the
 * temporary folder.
 *
 * @throws TypeError for an image that is none · Error when the port is in use, the data folder cannot be written, or isolation that was
 *   asked for is not possible · the signal's reason
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { images = {}, simulated = false, ...others } = options;
  const cluster = await startEmbeddedCluster({
    ...others,
    images: new Map(Object.entries(images).map(([name, image]) => [name, entryOf(image)])),
    ...(simulated === false
      ? {}
      : { runtime: { kind: 'simulated', ...(simulated === true ? {} : simulated) } }),
  });
  const client = createClient(cluster.adminConfig);
  const close: Cluster['close'] = async (closing) => {
    client.close();
    await cluster.close(closing);
  };
  const { server, notIsolated, knowsImage, kubeconfigPath } = cluster;
  return {
    ...accessTo(client, kubeconfigPath, 'default'),
    ...{ server, notIsolated, knowsImage, close },
    [Symbol.asyncDispose]: () => close(),
  };
}

function entryOf(image: readonly string[] | ImageEntry): ImageEntry {
  return 'entrypoint' in image ? image : { entrypoint: image };
}
