import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { readOrEmpty } from '@turnsole/kube/base/machine';
import type { Pod } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import { parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';
import { type ClusterDnsConfig, formatResolvConf, podResolverConfig } from '../../dns/resolv-conf.ts';
import { IMAGES_IN_CONTAINER } from '../../images/built-in.ts';
import type { AddressLease } from '../../network/address-pool.ts';
import type { PodLink, PodNetwork } from '../../network/pod-network.ts';
import type { PolicyEnforcer } from '../../network/policy/policy-enforcer.ts';
import type { UserNamespace } from '../../user-namespace.ts';
import { underRoot } from '../../volumes/mounts.ts';
import { dialPod } from '../dial-pod.ts';
import type { PipePool } from '../pipe-pool.ts';
import type { GroupRegistry } from '../reaper.ts';
import {
  type ContainerLaunch,
  type ContainerRuntime,
  type LaunchMount,
  type LaunchRoot,
  type PodSandbox,
  type RunningContainer,
  RuntimeError,
  type SandboxRequest,
  StartError,
} from '../types.ts';
import { containerCgroup, containerLimits, podCgroup } from './cgroup-limits.ts';
import type { ContainerGroups } from './container-groups.ts';
import { type ContainerRoot, type HostBase, type ImageBase, makeContainerRoot } from './container-root.ts';
import type { ContainerTools } from './container-tools.ts';
import { dialInside } from './dial-inside.ts';
import { formatFstab, type MountEntry } from './fstab.ts';
import { Holder, namespaceOptions } from './holder.ts';
import type { HostImage } from './host-image.ts';
import { possibleIdentity, processIdentity } from './identity.ts';
import { type IsolatedLaunch, startIsolated } from './isolated-container.ts';
import { hostsFile, memoryVolumes, podHostname } from './pod-files.ts';

/** What the isolated runtime stands on; the same for all nodes but for the addresses. */
interface IsolatedRuntimeOptions {
  /** Folder in which each pod gets its own, named by its uid. */
  readonly podsDirectory: string;
  /** Folder on a file system that keeps what containers change, with the folder `devices`; see probe.ts. */
  readonly layers: string;
  readonly image: HostImage;
  /** The users that containers can have. */
  readonly users: UserNamespace;
  /** Folder of the built-in images, which containers see at {@link IMAGES_IN_CONTAINER}. */
  readonly imagesDirectory: string;
  /** Paths of the host that every container needs. */
  readonly needs: readonly string[];
  /** The programs that containers of images begin with. */
  readonly tools: () => Promise<ContainerTools>;
  readonly network: PodNetwork;
  /** Undefined where policies are not enforced. */
  readonly policies?: Pick<PolicyEnforcer, 'add' | 'delete'>;
  /** For a pod of the node with this address. */
  readonly leasePodAddress: (hostIP: string) => AddressLease;
  readonly cgroups: ContainerGroups;
  readonly groups: GroupRegistry;
  readonly pipes?: PipePool;
  readonly dns: ClusterDnsConfig;
}

/** Runs containers as processes with namespaces, a root and cgroups of their own: as root of its namespaces, on Linux only. */
export class IsolatedRuntime implements ContainerRuntime {
  readonly name = 'isolated';
  readonly #options: IsolatedRuntimeOptions;

  constructor(options: IsolatedRuntimeOptions) {
    this.#options = options;
  }

  async createSandbox(request: SandboxRequest): Promise<PodSandbox> {
    const { podsDirectory, layers, network, policies, leasePodAddress, groups } = this.#options;
    const { pod, uid, hostNetwork, hostIP } = request;
    const directory = join(podsDirectory, uid);
    const layer = join(layers, uid);
    const lease = hostNetwork ? undefined : leasePodAddress(hostIP);
    const link = lease === undefined ? undefined : network.newLink(lease.address);
    let holder: Holder | undefined;
    try {
      mkdirSync(directory, { recursive: true, mode: 0o755 });
      mkdirSync(layer, { recursive: true, mode: 0o755 });
      const fstab = join(directory, 'fstab');
      writeFileSync(fstab, formatFstab(sharedMounts(pod, directory, this.#options.users)));
      const isShared = pod.spec?.shareProcessNamespace === true && pod.spec.hostPID !== true;
      holder = await Holder.start(
        {
          fstab,
          network: link?.commands ?? [],
          ...(link === undefined ? {} : { hostname: podHostname(pod) }),
        },
        { network: link !== undefined, ipc: hasOwnIpc(pod), processes: isShared },
        groups,
        uid,
      );
      if (link !== undefined) await network.connect(link);
      if (lease !== undefined) {
        await policies?.add({ pod, address: lease.address, pid: holder.pid, nodeAddress: hostIP });
      }
    } catch (cause) {
      await holder?.stop();
      if (link !== undefined) await network.disconnect(link);
      lease?.release();
      const why = messageOf(cause);
      throw new RuntimeError(`cannot isolate pod ${request.namespace}/${request.name}: ${why}`, { cause });
    }
    return new IsolatedSandbox(
      { pod, directory, layer, ip: lease?.address ?? hostIP, lease, link, holder },
      this.#options,
    );
  }
}

function hasOwnIpc({ spec }: Pod): boolean {
  return spec?.hostIPC !== true;
}

/** Mounts that all containers of a pod share. Makes the folders. */
function sharedMounts(pod: Pod, directory: string, users: UserNamespace): MountEntry[] {
  const shm = join(directory, 'shm');
  mkdirSync(shm, { recursive: true });
  const volumes = memoryVolumes(pod).map(({ name, sizeLimit }): MountEntry => {
    const target = join(directory, 'volumes', name);
    mkdirSync(target, { recursive: true });
    chmodSync(target, 0o777);
    const size =
      sizeLimit === undefined ? [] : [`size=${Math.ceil(quantityToNumber(parseQuantity(sizeLimit)))}`];
    const fsGroup = pod.spec?.securityContext?.fsGroup;
    const access =
      fsGroup === undefined || !users.hasGroup(fsGroup) ? ['mode=0777'] : ['mode=2777', `gid=${fsGroup}`];
    return { source: 'tmpfs', target, type: 'tmpfs', options: [...access, ...size] };
  });
  return [
    { source: 'tmpfs', target: shm, type: 'tmpfs', options: ['nosuid', 'nodev', 'mode=1777', 'size=64m'] },
    ...volumes,
  ];
}

interface SandboxParts {
  readonly pod: Pod;
  readonly directory: string;
  /** Folder of its containers' changes. */
  readonly layer: string;
  readonly ip: string;
  readonly lease: AddressLease | undefined;
  readonly link: PodLink | undefined;
  readonly holder: Holder;
}

class IsolatedSandbox implements PodSandbox {
  readonly ip: string;
  readonly directory: string;
  readonly hasOwnRoot = true;
  readonly #parts: SandboxParts;
  readonly #options: IsolatedRuntimeOptions;
  readonly #running = new Set<RunningContainer>();
  readonly #byName = new Map<string, RunningContainer>();
  readonly #roots = new Map<string, ContainerRoot>();
  #removed: Promise<void> | undefined;

  constructor(parts: SandboxParts, options: IsolatedRuntimeOptions) {
    this.ip = parts.ip;
    this.directory = parts.directory;
    this.#parts = parts;
    this.#options = options;
  }

  rootOf(): string {
    return '/';
  }

  pathOf(container: string, path: string): string {
    const root = this.#roots.get(container);
    // Without a run nothing can be seen; a folder that does not exist shows that.
    return root === undefined ? underRoot(join(this.directory, 'none'), path) : root.pathOf(path);
  }

  async start(launch: ContainerLaunch): Promise<RunningContainer> {
    const { root: wanted } = launch;
    if (wanted === undefined) throw new TypeError('an isolated container was launched without its root');
    const { cgroups, groups, pipes, users } = this.#options;
    const { pod, holder, layer } = this.#parts;
    const { container, image } = wanted;
    const tools = image && (await this.#options.tools());
    const folder = join(layer, launch.id.slice(0, 16));
    const root = makeContainerRoot({
      folder,
      devices: users.isMachine ? join(this.#options.layers, 'devices') : undefined,
      base: this.#base(launch, wanted, tools),
      users,
      mounts: wanted.mounts,
      sharedMemory: join(this.directory, 'shm'),
      privileged: container.securityContext?.privileged === true,
      readOnly: container.securityContext?.readOnlyRootFilesystem === true,
      hasHostProcesses: pod.spec?.hostPID === true,
      terminationMessagePath: container.terminationMessagePath ?? '/dev/termination-log',
      files: this.#files(pod),
    });
    this.#roots.set(container.name, root);
    const cgroup = cgroups.make(containerCgroup(pod, launch.id), containerLimits(container), launch.id);
    try {
      const running = await startIsolated({
        launch,
        identity: possibleIdentity(processIdentity(pod, container, image?.user), users),
        root,
        cgroup,
        holderPid: holder.pid,
        processes: this.#processes(wanted),
        namespaces: namespaceOptions({ network: this.#parts.link !== undefined, ipc: hasOwnIpc(pod) }),
        keeper: pipes === undefined ? { groups } : { groups, pipes },
        ...(tools && { tools }),
      });
      this.#running.add(running);
      this.#byName.set(container.name, running);
      void Promise.all([running.gone, running.exited]).then(() => {
        this.#running.delete(running);
        if (this.#byName.get(container.name) === running) this.#byName.delete(container.name);
      });
      if (this.#removed !== undefined) running.kill();
      return running;
    } catch (error) {
      await cgroup.remove();
      throw error;
    }
  }

  /** The processes that the container sees. @throws StartError when those are of a container that does not run */
  #processes({ pod, container }: LaunchRoot): IsolatedLaunch['processes'] {
    const { hostPID, shareProcessNamespace, ephemeralContainers = [] } = pod.spec ?? {};
    if (hostPID === true) return 'host';
    if (shareProcessNamespace === true) return 'pod';
    const target = ephemeralContainers.find(({ name }) => name === container.name)?.targetContainerName ?? '';
    if (target === '') return 'own';
    const pid = this.#byName.get(target)?.pid;
    if (pid !== undefined) return { ofPid: pid };
    throw new StartError([], `cannot see the processes of container ${target}: it does not run`);
  }

  async connect(port: number, signal: AbortSignal): Promise<Duplex> {
    try {
      return await dialPod(this.ip, port, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (this.#parts.link === undefined) throw error;
      // It may listen on the pod's own loopback only, which the kubelet reaches as well.
      return await dialInside(this.#parts.holder.pid, port, signal);
    }
  }

  remove(): Promise<void> {
    this.#removed ??= this.#remove();
    return this.#removed;
  }

  async #remove(): Promise<void> {
    const { pod, directory, layer, lease, link, holder } = this.#parts;
    for (const running of this.#running) running.kill();
    await Promise.all([...this.#running].map((running) => Promise.all([running.gone, running.exited])));
    // Before the holder ends: its process id may be given to another process, and rules still being applied would go into
    // that one's network.
    await this.#options.policies?.delete(pod.metadata.uid ?? '');
    await holder.stop();
    if (link !== undefined) await this.#options.network.disconnect(link);
    lease?.release();
    this.#options.cgroups.removeEmpty(podCgroup(pod));
    await Promise.all(
      [directory, layer].map((folder) =>
        rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 }),
      ),
    );
  }

  #base(
    { workingDirectory }: ContainerLaunch,
    wanted: LaunchRoot,
    tools: ContainerTools | undefined,
  ): HostBase | ImageBase {
    const { image, needs } = wanted;
    if (image !== undefined && tools !== undefined) {
      const { layers, volumes } = image;
      return { kind: 'image', layers, volumes, workingDirectory, tools: tools.folder };
    }
    const { image: host, needs: ofAll } = this.#options;
    return { kind: 'host', image: host, support: this.#support(wanted), programs: [...ofAll, ...needs] };
  }

  /** The built-in images, and what the image needs of the host, as far as the container's own `/tmp` and `/run` would hide it. */
  #support({ needs }: LaunchRoot): LaunchMount[] {
    const hidden = [...new Set([...this.#options.needs, ...needs])].filter((path) =>
      /^\/(?:tmp|run)\//.test(path),
    );
    const outer = hidden.filter((path) => !hidden.some((other) => path.startsWith(`${other}/`)));
    return [
      { source: this.#options.imagesDirectory, target: IMAGES_IN_CONTAINER, readOnly: true },
      ...outer.map((path) => ({ source: path, target: path, readOnly: false })),
    ];
  }

  #files(pod: Pod): Map<string, string> {
    const hostname = podHostname(pod);
    const files = new Map([
      ['/etc/hosts', hostsFile(pod, this.ip, hostname, readOrEmpty('/etc/hosts'))],
      [
        '/etc/resolv.conf',
        formatResolvConf(
          podResolverConfig(pod.spec ?? { containers: [] }, pod.metadata.namespace ?? '', this.#options.dns),
        ),
      ],
    ]);
    if (pod.spec?.hostNetwork !== true) files.set('/etc/hostname', `${hostname}\n`);
    return files;
  }
}
