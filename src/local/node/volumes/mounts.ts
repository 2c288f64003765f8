import { copyFile, lstat, mkdir, realpath, rmdir, stat, symlink, unlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { VolumeMount } from '../../../api/core.ts';
import { expandVariables } from '../env/expand.ts';
import { checkedPath } from './payload.ts';

/** A volume as a container's mounts see it. */
export interface MountSource {
  readonly path: string;
  /** Made by the agent: a mounted sub-path is a copy, which later updates do not reach (as in Kubernetes). */
  readonly rendered: boolean;
}

/** Where a mount path is on the host. `..` cannot lead out of the root. */
export function underRoot(root: string, path: string): string {
  return join(root, posix.normalize(`/${path}`));
}

/**
 * Makes a container's mounts below its root as symbolic links: without a mount namespace there is no other way that
 * shows the same files to several containers. Outer mounts come first, as one may lie inside another.
 *
 * @throws Error when a volume is unknown or a sub-path is not there
 */
export async function makeMounts(
  root: string,
  mounts: readonly VolumeMount[],
  sourceOf: (volume: string) => MountSource | undefined,
  variables: ReadonlyMap<string, string>,
): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o755 });
  const byDepth = [...mounts].sort((a, b) => depth(a.mountPath) - depth(b.mountPath));
  for (const mount of byDepth) {
    const source = sourceOf(mount.name);
    if (source === undefined)
      throw new Error(`volume ${JSON.stringify(mount.name)} of a mount is not in the pod`);
    const target = underRoot(root, mount.mountPath);
    if (target === root || target === `${root}/`) throw new Error('a volume cannot be mounted at /');
    const subPath = expandVariables(mount.subPathExpr ?? '', variables) || (mount.subPath ?? '');
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    await clear(target);
    await place(source, subPath, target, mount.name);
  }
}

function depth(path: string): number {
  return posix.normalize(path).split('/').filter(Boolean).length;
}

async function place(source: MountSource, subPath: string, target: string, volume: string): Promise<void> {
  if (subPath === '') return symlink(source.path, target);
  const path = join(source.path, checkedPath(subPath));
  if (!source.rendered) {
    // Kubelet makes a missing sub-path as a folder.
    if ((await stat(path).catch(() => undefined)) === undefined) await mkdir(path, { recursive: true });
    return symlink(path, target);
  }
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    throw new Error(
      `failed to prepare subPath for volumeMount ${JSON.stringify(volume)}: no ${subPath} in it`,
    );
  }
  return found.isDirectory() ? symlink(await realpath(path), target) : copyFile(path, target);
}

/** Removes what an earlier run of the container, or the volume around it, has at the mount point. */
async function clear(target: string): Promise<void> {
  const found = await lstat(target).catch(() => undefined);
  if (found === undefined) return;
  await (found.isDirectory() ? rmdir(target) : unlink(target));
}
