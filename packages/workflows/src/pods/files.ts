import { createHash } from 'node:crypto';
import type { ConfigMap, Volume, VolumeMount } from '@turnsole/kube/kinds/core';
import { PodError } from './pod-error.ts';

/** A file that a container finds at a path, though its image has none there. */
export interface MountedFile {
  /** Key in the ConfigMap. */
  readonly key: string;
  readonly path: string;
  readonly text: string;
  /** @default 0644 */
  readonly mode?: number;
  /** Its name in messages: `artifact engine`. */
  readonly what: string;
}

const VOLUME = 'turnsole-files';
const DEFAULT_MODE = 0o644;

/** What the API server takes of one ConfigMap. */
const MOST_BYTES = 1024 * 1024;

/** The volume of a ConfigMap with the files of a node. */
export function filesVolume(name: string, files: readonly MountedFile[]): Volume {
  return {
    name: VOLUME,
    configMap: {
      name,
      items: files.map(({ key, mode = DEFAULT_MODE }) => ({ key, path: key, mode: readableByAll(mode) })),
    },
  };
}

/** Each file by itself, so that its folder stays that of the image, and no other entries appear in it. */
export function fileMounts(files: readonly MountedFile[]): VolumeMount[] {
  return files.map(({ key, path }) => ({ name: VOLUME, mountPath: path, subPath: key, readOnly: true }));
}

/**
 * The data of the ConfigMap.
 *
 * @throws PodError when it would be too large
 */
export function filesData(files: readonly MountedFile[]): ConfigMap['data'] {
  const sizes = files.map(({ what, text }) => ({ what, bytes: Buffer.byteLength(text) }));
  const sum = sizes.reduce((all, { bytes }) => all + bytes, 0);
  if (sum <= MOST_BYTES) return Object.fromEntries(files.map(({ key, text }) => [key, text]));
  const largest = sizes.toSorted((a, b) => b.bytes - a.bytes)[0];
  throw new PodError(
    `files of the node have ${sum} bytes, ${largest?.what} alone ${largest?.bytes}; at most ${MOST_BYTES} fit into a ConfigMap: ` +
      'put large artifacts into an artifact repository',
  );
}

/** The name of a pod's ConfigMap. That of the pod with an ending, shortened where that would be too long for a name. */
export function filesName(podName: string): string {
  const name = `${podName}-files`;
  if (name.length <= 253) return name;
  return `${podName.slice(0, 236)}-${createHash('sha256').update(podName).digest('hex').slice(0, 10)}-files`;
}

/** Files of a ConfigMap belong to root, and steps run as any user: all may read and execute what the owner may. */
function readableByAll(mode: number): number {
  return mode | ((mode & 0o500) >> 3) | ((mode & 0o500) >> 6);
}
