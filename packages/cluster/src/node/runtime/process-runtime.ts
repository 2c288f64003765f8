import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AddressBlock } from '../network/address-block.ts';
import type { AddressLease } from '../network/address-pool.ts';
import { underRoot } from '../volumes/mounts.ts';
import { StrayKiller } from './orphaned-processes.ts';
import { ownTempCommand, type TempTools } from './own-temp.ts';
import type { PipePool } from './pipe-pool.ts';
import { type ProcessKeeper, startProcess } from './process-container.ts';
import { ProcessUsageReader } from './process-usage.ts';
import type { GroupRegistry } from './reaper.ts';
import {
  type ContainerLaunch,
  type ContainerRuntime,
  type PodSandbox,
  type RunningContainer,
  RuntimeError,
  type SandboxRequest,
} from './types.ts';

/** What the process runtime stands on. */
interface ProcessRuntimeOptions {
  /** Folder in which each pod gets its own, named by its uid. */
  readonly podsDirectory: string;
  readonly addresses: Pick<AddressBlock, 'leasePodAddress'>;
  readonly groups: GroupRegistry;
  /** @default containers write into sockets, which cannot be opened again as /dev/stdout */
  readonly pipes?: PipePool;
  /** @default containers have the machine's `/tmp` */
  readonly ownTemp?: OwnTemp | undefined;
}

/** What gives each container a `/tmp` of its own. */
interface OwnTemp {
  readonly tools: TempTools;
  /** Paths of the host that every container needs. */
  readonly needs: readonly string[];
}

/** Runs containers as local processes without namespaces (docs/architecture.md, "Pods as processes"). */
export class ProcessRuntime implements ContainerRuntime {
  readonly name = 'process';
  readonly #options: ProcessRuntimeOptions;
  readonly #keeper: ProcessKeeper;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
    const { groups, pipes } = options;
    this.#keeper = {
      groups,
      strays: new StrayKiller(),
      usage: new ProcessUsageReader(),
      pipes,
    };
  }

  async createSandbox(request: SandboxRequest): Promise<PodSandbox> {
    const directory = join(this.#options.podsDirectory, request.uid);
    try {
      mkdirSync(join(directory, 'containers'), { recursive: true, mode: 0o755 });
    } catch (cause) {
      throw new RuntimeError(
        `cannot make the folder of pod ${request.namespace}/${request.name}: ${directory}`,
        {
          cause,
        },
      );
    }
    const lease: AddressLease = request.hostNetwork
      ? { address: request.hostIP, release: () => {} }
      : this.#options.addresses.leasePodAddress();
    return new ProcessSandbox(directory, lease, this.#keeper, this.#options.ownTemp);
  }
}

class ProcessSandbox implements PodSandbox {
  readonly ip: string;
  readonly directory: string;
  readonly hasOwnRoot = false;
  readonly #lease: AddressLease;
  readonly #keeper: ProcessKeeper;
  readonly #ownTemp: OwnTemp | undefined;
  readonly #running = new Set<RunningContainer>();
  #removed: Promise<void> | undefined;

  constructor(directory: string, lease: AddressLease, keeper: ProcessKeeper, ownTemp: OwnTemp | undefined) {
    this.ip = lease.address;
    this.directory = directory;
    this.#lease = lease;
    this.#keeper = keeper;
    this.#ownTemp = ownTemp;
  }

  rootOf(container: string): string {
    return join(this.directory, 'containers', container, 'root');
  }

  pathOf(container: string, path: string): string {
    return underRoot(this.rootOf(container), path);
  }

  async start(launch: ContainerLaunch): Promise<RunningContainer> {
    const running = await startWithTemp(launch, this.#keeper, this.#ownTemp);
    this.#running.add(running);
    void running.gone.then(() => this.#running.delete(running));
    if (this.#removed !== undefined) running.kill();
    return running;
  }

  remove(): Promise<void> {
    this.#removed ??= this.#remove();
    return this.#removed;
  }

  async #remove(): Promise<void> {
    for (const running of this.#running) running.kill();
    await Promise.all([...this.#running].map((running) => Promise.all([running.gone, running.exited])));
    this.#lease.release();
    // Read-only folders of config map volumes would otherwise stop it for others than root.
    await rm(this.directory, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 });
  }
}

/** The main process of a container, and each command that runs beside it, sees the container's `/tmp`. */
async function startWithTemp(
  launch: ContainerLaunch,
  keeper: ProcessKeeper,
  ownTemp: OwnTemp | undefined,
): Promise<RunningContainer> {
  const { temp, workingDirectory, env } = launch;
  if (temp === undefined || ownTemp === undefined) return startProcess(launch, keeper);
  const { tools } = ownTemp;
  const whole = { ...temp, needs: [...ownTemp.needs, ...temp.needs] };
  const place = { tools, workingDirectory, searchPath: env.PATH ?? '' };
  const wrapped = (command: readonly string[]): readonly string[] => ownTempCommand(command, whole, place);
  return startProcess({ ...launch, command: wrapped(launch.command) }, keeper, {
    exec: async (command) => ({ command: wrapped(command) }),
  });
}
