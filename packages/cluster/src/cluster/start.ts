import { systemClock } from '@turnsole/kube/runtime/index';
import { UndoStack } from '../base/undo-stack.ts';
import {
  bringImage,
  describeCapabilities,
  hasShell,
  placeOfImage,
  readFirstFreePort,
  readUserNamespace,
} from '../node/index.ts';
import { type Api, startApi } from './api.ts';
import { startControlPlane } from './control-plane.ts';
import { claimHost, type Host } from './host.ts';
import { type NetworkOutcome, startNetwork } from './network.ts';
import { createAgents } from './nodes.ts';
import { openPodRuntime, type PodRuntime } from './pod-runtime.ts';
import type { EmbeddedCluster, EmbeddedClusterOptions } from './types.ts';

const DEFAULT_CLOSE_GRACE_MS = 2_000;

/**
 * Starts a cluster in this process: API server, controllers, scheduler and nodes whose pods are local processes.
 *
 * Resolves when it can be used: default roles and the definitions it was given are there, the namespace `default` has its service
 * account, every node is ready. Several clusters may run at once. Nothing stays behind: `close` stops everything, and
 * if this process dies in whatever way, a reaper kills the pods and removes the temporary folder.
 *
 * @throws Error when the port is in use, the data folder cannot be written, or the signal aborts meanwhile
 */
export async function startEmbeddedCluster(options: EmbeddedClusterOptions = {}): Promise<EmbeddedCluster> {
  const { signal: outer } = options;
  const stack = new UndoStack();
  // What works in the background ends with the cluster, or with a failed start; the caller's signal counts until then.
  const life = new AbortController();
  const onAbort = (): void => life.abort(outer?.reason);
  outer?.addEventListener('abort', onAbort, { once: true });
  try {
    outer?.throwIfAborted();
    const cluster = await start(options, stack, life.signal);
    life.signal.throwIfAborted();
    return cluster;
  } catch (error) {
    life.abort(error);
    await stack.disposeAsync();
    throw error;
  } finally {
    outer?.removeEventListener('abort', onAbort);
  }
}

/** Each stage pushes its undo onto the stack, so that closing goes through them in reverse. */
async function start(
  options: EmbeddedClusterOptions,
  stack: UndoStack,
  signal: AbortSignal,
): Promise<EmbeddedCluster> {
  const clock = systemClock;
  const host = await claimHost(options, stack);
  const api = await startApi(host, options, clock, stack);
  const network = await startNetwork(host, api, clock, stack);
  const pods = await openPodRuntime({ host, api, network, options, clock }, stack);
  const agents = createAgents({ host, api, network, pods, options, clock });
  let graceMs = DEFAULT_CLOSE_GRACE_MS;
  stack.defer(async () => {
    const deadlineMs = clock.now() + graceMs;
    await Promise.all(agents.map((agent) => agent.stop(deadlineMs)));
  });
  await startControlPlane({ api, agents, options, clock, signal }, stack);
  const removed = removeRemains();
  stack.defer(() => removed);
  let closed: Promise<void> | undefined;
  return {
    ...describe(host, api, network, pods, options),
    close: (closeOptions = {}) => {
      graceMs = closeOptions.graceMs ?? DEFAULT_CLOSE_GRACE_MS;
      closed ??= stack.disposeAsync();
      return closed;
    },
  };
}

/** Removes what killed clusters left, beside this one, which has started by now. Never rejects. */
async function removeRemains(): Promise<void> {
  const { removeDeadRuns } = await import('./dead-runs.ts');
  await removeDeadRuns();
}

/** The description of a cluster that has started. */
function describe(
  { isolated, simulated, notIsolated, dataDir, addresses }: Host,
  { server }: Api,
  { policiesMissing }: NetworkOutcome,
  { images, hasOwnTemp }: PodRuntime,
  { outside }: EmbeddedClusterOptions,
): Omit<EmbeddedCluster, 'close'> {
  return {
    server: server.server,
    kubeconfigPath: server.kubeconfigPath,
    dataDir,
    adminConfig: server.adminConfig,
    capabilities: describeCapabilities({
      platform: process.platform,
      root: process.getuid?.() === 0,
      separateAddresses: addresses.separate,
      firstFreePort: readFirstFreePort(),
      policiesMissing,
      hasOwnTemp,
      limits: isolated.isolation?.limits,
      missing: notIsolated,
      users: readUserNamespace(),
      outward: outside?.outward,
    }),
    notIsolated,
    imageOf: (image) => images.catalogue.find(image)?.entry,
    // Simulated pods need none.
    images: () => images.catalogue.entries(),
    bringImage: (image, bringing) =>
      simulated === undefined ? bringImage(images, image, bringing) : Promise.resolve('there'),
    placeOfImage: (image) =>
      simulated === undefined ? placeOfImage(images, image) : Promise.resolve('there'),
    hasShell: (image) => (simulated === undefined ? hasShell(images, image) : Promise.resolve(undefined)),
    // What nothing stands for is pulled, where its containers can run.
    knowsImage: (image) =>
      simulated !== undefined || !('missing' in images.stored) || images.catalogue.find(image) !== undefined,
  };
}
