import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { VolumeMount } from '@turnsole/kube/kinds/core';
import { expandVariables } from '../env/expand.ts';
import { pathDepth } from '../files.ts';
import type { LaunchMount } from '../runtime/types.ts';
import { makeFolder } from './folders.ts';
import { checkedPath } from './payload.ts';

/** A volume as a container's mounts see it. */
export interface MountSource {
  readonly path: string;
  /** Made by the agent: a mounted sub-path is a copy, which later updates do not reach (as in Kubernetes). */
  readonly rendered: boolean;
}

/** Host path of a mount path. `..` cannot lead out of the root. */
export function underRoot(root: string, path: string): string {
  return join(root, posix.normalize(`/${path}`));
}

/**
 * Makes a container's mounts below its root as symbolic links: without a mount namespace, only links
 * show the same files to several containers. Outer mounts come first, as one may lie inside another.
 *
 * @throws Error when a volume is unknown or a sub-path does not exist
 */
export function makeMounts(
  root: string,
  mounts: readonly VolumeMount[],
  sourceOf: (volume: string) => MountSource | undefined,
  variables: ReadonlyMap<string, string>,
): void {
  mkdirSync(root, { recursive: true, mode: 0o755 });
  const byDepth = [...mounts].sort((a, b) => pathDepth(a.mountPath) - pathDepth(b.mountPath));
  for (const mount of byDepth) {
    const source = sourceOf(mount.name);
    if (source === undefined)
      throw new Error(`volume ${JSON.stringify(mount.name)} of a mount is not in the pod`);
    const target = underRoot(root, mount.mountPath);
    if (target === root || target === `${root}/`) throw new Error('a volume cannot be mounted at /');
    const subPath = expandVariables(mount.subPathExpr ?? '', variables) || (mount.subPath ?? '');
    mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
    clear(target);
    place(source, subPath, target, mount.name);
  }
}

/**
 * Gives the mounts of a container with a root of its own: the volumes themselves, to be bound. Makes sub-paths that are
 * missing, as kubelet does.
 *
 * @throws Error when a volume is unknown or a sub-path is not there
 */
export function launchMounts(
  mounts: readonly VolumeMount[],
  sourceOf: (volume: string) => MountSource | undefined,
  variables: ReadonlyMap<string, string>,
): LaunchMount[] {
  return mounts.map((mount) => {
    const source = sourceOf(mount.name);
    if (source === undefined)
      throw new Error(`volume ${JSON.stringify(mount.name)} of a mount is not in the pod`);
    if (posix.normalize(mount.mountPath) === '/') throw new Error('a volume cannot be mounted at /');
    const subPath = expandVariables(mount.subPathExpr ?? '', variables) || (mount.subPath ?? '');
    return {
      source: subPath === '' ? source.path : subPathSource(source, subPath, mount.name),
      target: mount.mountPath,
      // Containers must not change the files that the agent writes.
      readOnly: mount.readOnly === true || source.rendered,
    };
  });
}

function subPathSource(source: MountSource, subPath: string, volume: string): string {
  const path = join(source.path, checkedPath(subPath));
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    if (source.rendered) throw missingSubPath(subPath, volume);
    makeSubPath(path, source);
  }
  // The real one: a mount of a config map's file keeps what it was when the container started, as in Kubernetes.
  const real = realpathSync(path);
  if (!real.startsWith(`${realpathSync(source.path)}/`)) {
    throw new Error(
      `failed to prepare subPath for volumeMount ${JSON.stringify(volume)}: it leads out of the volume`,
    );
  }
  return real;
}

/** As kubelet makes it: every user who may write to the volume may write to it. */
function makeSubPath(path: string, { path: volume }: MountSource): void {
  makeFolder(path, statSync(volume).mode & 0o777);
}

function missingSubPath(subPath: string, volume: string): Error {
  return new Error(
    `failed to prepare subPath for volumeMount ${JSON.stringify(volume)}: no ${subPath} in it`,
  );
}

function place(source: MountSource, subPath: string, target: string, volume: string): void {
  if (subPath === '') {
    symlinkSync(source.path, target);
    return;
  }
  const path = join(source.path, checkedPath(subPath));
  const found = statSync(path, { throwIfNoEntry: false });
  if (!source.rendered) {
    // Kubelet makes a missing sub-path as a folder.
    if (found === undefined) makeSubPath(path, source);
    symlinkSync(path, target);
    return;
  }
  if (found === undefined) {
    throw missingSubPath(subPath, volume);
  }
  if (found.isDirectory()) symlinkSync(realpathSync(path), target);
  else copyFileSync(path, target);
}

/** Removes what an earlier run of the container, or the volume around it, has at the mount point. */
function clear(target: string): void {
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isDirectory()) rmdirSync(target);
  else unlinkSync(target);
}
