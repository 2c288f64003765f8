import type { Stats } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@turnsole/kube/base/clock';
import { atTimeOfDay } from '@turnsole/kube/base/time-of-day';
import type { Container, Pod, Volume } from '@turnsole/kube/kinds/core';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { PodPlacement } from '../env/downward.ts';
import type { LaunchMount } from '../runtime/types.ts';
import { writePayload } from './atomic-writer.ts';
import { giveToGroup, makeFolder, OPEN_FOLDER } from './folders.ts';
import { launchMounts, type MountSource, makeMounts } from './mounts.ts';
import { isRendered, renderVolume, type VolumeSources } from './payload.ts';

/** The parts of one pod's volumes. */
interface PodVolumesOptions {
  /** The pod's own folder; volumes go below it. */
  readonly directory: string;
  /** Folder of persistent volume claims: they outlive pods. */
  readonly claimsDirectory: string;
  readonly placement: PodPlacement;
  readonly sources: VolumeSources;
  readonly clock: Clock;
  /** Whether files get the pod's group (`fsGroup`): where its processes run as the users that it names. */
  readonly appliesGroup?: boolean;
  /** Folders that are the node's own although pods name them as the machine's: paths of `hostPath` to where they are. @default none */
  readonly nodeFolders?: ReadonlyMap<string, string>;
  /** Hears of a failed refresh; the volume keeps its contents and is tried again. */
  readonly onError: (error: VolumeError) => void;
}

const RETRY_MS = 10_000;

/** The volumes of one pod: made before its first container, kept up to date until it is gone. */
export class PodVolumes {
  readonly #options: PodVolumesOptions;
  readonly #paths = new Map<string, MountSource>();
  readonly #timers = new Map<string, () => void>();
  /** When each volume with a token has to be made anew. */
  readonly #dueAtMs = new Map<string, number>();
  #pod: Pod;
  /** Refreshes run one after the other: the writer of a folder must be alone. */
  #queue: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(pod: Pod, options: PodVolumesOptions) {
    this.#pod = pod;
    this.#options = options;
  }

  /** Makes all volumes. @throws VolumeError for the first that cannot be made; may be called again. */
  async prepare(): Promise<void> {
    for (const volume of this.#pod.spec?.volumes ?? []) {
      try {
        this.#paths.set(volume.name, { path: await this.#make(volume), rendered: isRendered(volume) });
      } catch (error) {
        throw new VolumeError(volume.name, error);
      }
    }
  }

  /** Brings those up to date whose tokens have come of age: a container that starts must not begin with one that has expired meanwhile. */
  async renew(): Promise<void> {
    const nowMs = this.#options.clock.now();
    for (const volume of this.#pod.spec?.volumes ?? []) {
      if ((this.#dueAtMs.get(volume.name) ?? Number.POSITIVE_INFINITY) <= nowMs) this.#refresh(volume);
    }
    await this.#queue;
  }

  /** Makes the mounts of a container below its root. */
  mount(container: Container, root: string, variables: ReadonlyMap<string, string>): void {
    makeMounts(root, container.volumeMounts ?? [], (name) => this.#paths.get(name), variables);
  }

  /** Folders and files of the host that a container's mounts lead to. */
  sourcesOf({ volumeMounts = [] }: Container): string[] {
    return volumeMounts.flatMap(({ name }) => this.#paths.get(name)?.path ?? []);
  }

  /** What a container with a root of its own sees of them. @throws Error when a volume or a sub-path is not there */
  mounts(container: Container, variables: ReadonlyMap<string, string>): LaunchMount[] {
    return launchMounts(container.volumeMounts ?? [], (name) => this.#paths.get(name), variables);
  }

  /** Brings volumes up to date after a change of the pod's object. */
  podChanged(pod: Pod): void {
    const before = this.#pod;
    this.#pod = pod;
    if (JSON.stringify(shownByVolumes(before)) === JSON.stringify(shownByVolumes(pod))) {
      return;
    }
    this.#refreshWhere((volume) => sourcesOf(volume).some((source) => source.downwardAPI !== undefined));
  }

  /** Brings volumes up to date after a change of a config map or secret. */
  objectChanged(kind: 'configMap' | 'secret', name: string): void {
    this.#refreshWhere((volume) =>
      sourcesOf(volume).some((source) => {
        if (kind === 'configMap') return source.configMap?.name === name;
        return source.secret?.name === name || source.secret?.secretName === name;
      }),
    );
  }

  /** Resolves when no refresh is under way. */
  idle(): Promise<void> {
    return this.#queue;
  }

  /** Stops refreshing; resolves when nothing is written any more. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    await this.#queue;
  }

  #refreshWhere(matches: (volume: Volume) => boolean): void {
    for (const volume of this.#pod.spec?.volumes ?? []) {
      if (this.#paths.has(volume.name) && matches(volume)) this.#refresh(volume);
    }
  }

  #refresh(volume: Volume): void {
    this.#queue = this.#queue.then(async () => {
      if (this.#closed) return;
      try {
        await this.#make(volume);
      } catch (error) {
        if (this.#closed) return;
        this.#options.onError(new VolumeError(volume.name, error));
        this.#schedule(volume, this.#options.clock.now() + RETRY_MS);
      }
    });
  }

  async #make(volume: Volume): Promise<string> {
    const { directory, claimsDirectory, placement, sources, clock, nodeFolders } = this.#options;
    if (volume.hostPath !== undefined) {
      const { path, type } = volume.hostPath;
      return prepareHostPath({ path: nodeFolders?.get(path) ?? path, type });
    }
    if (volume.persistentVolumeClaim !== undefined) {
      const namespace = this.#pod.metadata.namespace ?? '';
      const path = join(claimsDirectory, namespace, volume.persistentVolumeClaim.claimName);
      return this.#grouped(makeFolder(path, OPEN_FOLDER));
    }
    const path = join(directory, 'volumes', volume.name);
    if (!isRendered(volume)) {
      if (volume.emptyDir === undefined && volume.ephemeral === undefined) {
        const kinds = Object.keys(volume).filter((key) => key !== 'name');
        if (kinds.length > 0)
          throw new Error(`volume type ${kinds.join(', ')} is not supported by the embedded cluster`);
      }
      return this.#grouped(makeFolder(path, OPEN_FOLDER));
    }
    const { payload, refreshAtMs } = await renderVolume(volume, this.#pod, placement, sources, clock.now());
    writePayload(path, payload, this.#group);
    if (refreshAtMs !== undefined) this.#schedule(volume, refreshAtMs);
    return path;
  }

  /** The group that files of volumes get; undefined: none. */
  get #group(): number | undefined {
    return this.#options.appliesGroup === true ? this.#pod.spec?.securityContext?.fsGroup : undefined;
  }

  #grouped(path: string): string {
    const wanted = this.#pod.spec?.securityContext?.fsGroupChangePolicy;
    const policy = wanted === 'OnRootMismatch' ? wanted : 'Always';
    if (this.#group !== undefined) giveToGroup(path, this.#group, { policy });
    return path;
  }

  #schedule(volume: Volume, atMs: number): void {
    const { clock } = this.#options;
    this.#timers.get(volume.name)?.();
    if (this.#closed) return;
    const cancel = atTimeOfDay(clock, atMs, () => this.#refresh(volume), { unref: true });
    this.#timers.set(volume.name, cancel);
    this.#dueAtMs.set(volume.name, atMs);
  }
}

/** A volume's own source, or one of a projected volume: they name their secret differently. */
type AnySource = Pick<Volume, 'configMap' | 'downwardAPI'> & {
  readonly secret?: Pick<NonNullable<Volume['secret']>, 'secretName'> & { readonly name?: string };
};

function sourcesOf(volume: Volume): readonly AnySource[] {
  return volume.projected?.sources ?? [volume];
}

/**
 * Checks, and for the `…OrCreate` types makes, what a hostPath volume points to; gives its path.
 *
 * @throws Error with kubelet's sentence when the path is not of the wanted type
 */
async function prepareHostPath({ path, type = '' }: NonNullable<Volume['hostPath']>): Promise<string> {
  if (type === 'DirectoryOrCreate') await mkdir(path, { recursive: true, mode: 0o755 });
  if (type === 'FileOrCreate') await (await open(path, 'a', 0o644)).close();
  const found = await stat(path).catch(() => undefined);
  const expected = EXPECTED[type];
  if (expected === undefined) return path; // no check asked for
  if (found === undefined || !expected.test(found)) {
    throw new Error(`hostPath type check failed: ${path} is not a ${expected.word}`);
  }
  return path;
}

const directory = { word: 'directory', test: (found: Stats): boolean => found.isDirectory() };
const file = { word: 'file', test: (found: Stats): boolean => found.isFile() };
const EXPECTED: Readonly<Record<string, { word: string; test: (found: Stats) => boolean }>> = {
  Directory: directory,
  DirectoryOrCreate: directory,
  File: file,
  FileOrCreate: file,
  Socket: { word: 'socket file', test: (found) => found.isSocket() },
  CharDevice: { word: 'character device', test: (found) => found.isCharacterDevice() },
  BlockDevice: { word: 'block device', test: (found) => found.isBlockDevice() },
};

/** A volume could not be set up. The pod waits, and it is tried again. */
export class VolumeError extends Error {
  override readonly name = 'VolumeError';
  readonly volume: string;

  constructor(volume: string, cause: unknown) {
    const reason = messageOf(cause);
    super(`MountVolume.SetUp failed for volume ${JSON.stringify(volume)} : ${reason}`, { cause });
    this.volume = volume;
  }
}

/** What of a pod its volumes may show. Pure. */
function shownByVolumes({ metadata, spec }: Pod): unknown {
  const resources = (containers: readonly Container[] = []): unknown =>
    containers.map((container) => container.resources);
  return [
    metadata.labels,
    metadata.annotations,
    resources(spec?.containers),
    resources(spec?.initContainers),
  ];
}
