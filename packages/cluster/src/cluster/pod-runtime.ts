/** Fourth stage: what pods of all nodes run with. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, EventRecorder } from '@turnsole/kube/runtime/index';
import type { UndoStack } from '../base/undo-stack.ts';
import { imagesDirectory } from '../images/directory.ts';
import type { ImageStore } from '../images/types.ts';
import {
  builtInImages,
  type ContainerRuntime,
  connectStreaming,
  findTempTools,
  ImageCatalogue,
  type ImageSources,
  installImages,
  LogStore,
  MachineServer,
  NodeLogSource,
  PipePool,
  ProcessRuntime,
  Simulation,
  type StoredImages,
  StreamableRuntime,
  type TempTools,
  UsageSampler,
  whyUnreachable,
} from '../node/index.ts';
import type { Api } from './api.ts';
import type { Host } from './host.ts';
import type { NetworkOutcome } from './network.ts';
import type { EmbeddedClusterOptions } from './types.ts';

/** Images, containers and logs of a cluster. */
export interface PodRuntime {
  /** Folder of the files of images. */
  readonly imagesDirectory: string;
  readonly images: ImageSources;
  readonly runtime: StreamableRuntime;
  readonly logs: LogStore;
  /** Whether each container has a `/tmp` of its own. */
  readonly hasOwnTemp: boolean;
  /** Socket on which containers ask the machine to stop and start nodes. */
  readonly machineSocket: string;
  /** Undefined where pods are processes. */
  readonly simulation: Simulation | undefined;
  /** Shared by all nodes with simulated pods. */
  readonly simulatedEvents: EventRecorder | undefined;
}

export interface PodRuntimeParts {
  readonly host: Host;
  readonly api: Api;
  readonly network: NetworkOutcome;
  readonly options: EmbeddedClusterOptions;
  readonly clock: Clock;
}

/** Shorter than the 15 s of metrics-server: a cluster of a few pods on one machine is measured in a moment. */
const DEFAULT_METRICS_INTERVAL_MS = 5_000;
/** Events of simulated pods that wait to be written; more are dropped, for they are news and there may be thousands a second. */
const MAX_SIMULATED_EVENTS = 100;

export async function openPodRuntime(parts: PodRuntimeParts, stack: UndoStack): Promise<PodRuntime> {
  const { host, api, options, clock } = parts;
  const { server, client } = api;
  const { runDir, simulated } = host;
  const machineSocket = join(runDir, 'machine.sock');
  const machineServer = new MachineServer({
    ...{ path: machineSocket, client, clock },
    onProblem: options.onProblem ?? ((message) => process.emitWarning(message)),
  });
  await machineServer.start();
  stack.defer(() => machineServer.close());
  const imagesDirectory = join(runDir, 'images');
  const builtIn = builtInImages({ directory: imagesDirectory, commands: options.commands });
  const isIsolated = host.isolated.isolation !== undefined;
  const tempTools = isIsolated ? undefined : await findTempTools();
  const runtime = new StreamableRuntime(await openContainers(parts, imagesDirectory, tempTools, stack));
  stack.defer(connectStreaming(server, runtime, clock));
  const logs = new LogStore(join(runDir, 'logs'), clock);
  server.setPodLogSource(new NodeLogSource(logs, clock));
  server.setNodeReach(whyUnreachable);
  const simulation = simulated && new Simulation({ ...simulated, client, clock });
  stack.defer(() => simulation?.close());
  const sampler = new UsageSampler({
    containers: () => runtime.containers(),
    clock,
    intervalMs: options.metricsIntervalMs ?? DEFAULT_METRICS_INTERVAL_MS,
  });
  stack.defer(() => sampler.close());
  if (options.hasUsage ?? true)
    server.serveMetrics(simulation === undefined ? sampler : simulation.usageSource(sampler));
  return {
    imagesDirectory,
    images: {
      catalogue: new ImageCatalogue(builtIn, installImages(imagesDirectory, options.images ?? new Map())),
      stored: storedImages(host, options, stack),
    },
    runtime,
    logs,
    hasOwnTemp: isIsolated || tempTools !== undefined,
    machineSocket,
    simulation,
    simulatedEvents:
      simulation &&
      new EventRecorder({ client, component: 'kubelet', clock, maxPending: MAX_SIMULATED_EVENTS }),
  };
}

/** Containers as processes, isolated where this machine can. */
async function openContainers(
  { host, network, options }: PodRuntimeParts,
  imagesDirectory: string,
  tempTools: TempTools | undefined,
  stack: UndoStack,
): Promise<ContainerRuntime> {
  const { runDir, addresses, reaper, isolated } = host;
  const pipes = new PipePool(join(runDir, 'pipes'));
  stack.defer(async () => {
    pipes.close();
    await pipes.ready();
  });
  const { isolation } = isolated;
  const needs = [...(options.hostPaths ?? []), process.execPath];
  if (isolation === undefined) {
    // Commands name files of the project, which may lie below /tmp itself.
    const project = process.cwd() === '/tmp' || process.cwd() === '/' ? [] : [process.cwd()];
    const ownTemp = tempTools && { tools: tempTools, needs: [...needs, runDir, ...project] };
    return new ProcessRuntime({
      podsDirectory: join(runDir, 'pods'),
      addresses,
      groups: reaper,
      pipes,
      ownTemp,
    });
  }
  return isolation.runtime({ pipes, policies: network.policies, imagesDirectory, needs });
}

/** The images that are no commands of this machine, where containers of them can run. */
function storedImages(
  { isolated }: Pick<Host, 'isolated'>,
  { imageStore, onProblem }: Pick<EmbeddedClusterOptions, 'imageStore' | 'onProblem'>,
  stack: UndoStack,
): ImageSources['stored'] {
  if (isolated.isolation === undefined) {
    return { missing: `containers of images need isolation, which is not there: ${isolated.missing}` };
  }
  return imageStore ?? ownStore(onProblem, stack);
}

/** The user's own store, opened when it is first needed: most clusters have no image to run. */
function ownStore(onNote: ((sentence: string) => void) | undefined, stack: UndoStack): StoredImages {
  let opened: Promise<ImageStore> | undefined;
  stack.defer(async () => (await opened?.catch(() => undefined))?.close());
  return {
    mayHaveAny: () => existsSync(imagesDirectory()),
    open: () => {
      opened ??= openStore(onNote);
      return opened;
    },
  };
}

async function openStore(onNote: ((sentence: string) => void) | undefined): Promise<ImageStore> {
  const { openImageStore } = await import('../images/open-image-store.ts');
  return await openImageStore({ onNote });
}
