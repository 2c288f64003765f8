import { createHash, randomFillSync } from 'node:crypto';
import { type FileHandle, open, statfs, unlink } from 'node:fs/promises';
import { findProgram } from '@turnsole/kube/base/machine';
import { ContainerRuntimeError, InjectError } from '../../../experiment/injection/errors.ts';
import { runCommand } from '../../../experiment/node/command.ts';
import { isSameProcess, type LocatedProcess } from '../../../experiment/node/container-locator.ts';
import type { FillGoal } from './fill-size.ts';
import { usedBytes } from './layers.ts';

/** Name of the file at the root of the container; the same for the same injection, in any process. Pure. */
export function fillName(injectionId: string): string {
  return `diskfill-${createHash('sha256').update(injectionId).digest('hex').slice(0, 16)}`;
}

/** A file that takes up space in a container, held open: it can be removed even when the container is gone. */
export class FillFile {
  readonly #root: FileHandle;
  readonly #file: FileHandle;
  readonly #name: string;
  #isRemoved = false;
  /** Bytes it takes up. */
  readonly bytes: number;

  private constructor(root: FileHandle, file: FileHandle, name: string, bytes: number) {
    this.#root = root;
    this.#file = file;
    this.#name = name;
    this.bytes = bytes;
  }

  /**
   * Fills up to the goal. Resolves when the space is taken.
   *
   * @throws InjectError when the root is read-only or the node has less space left than that · ContainerRuntimeError when the
   *   container has ended
   */
  static async make(
    target: LocatedProcess,
    name: string,
    goal: FillGoal,
    signal: AbortSignal,
  ): Promise<FillFile> {
    const root = await openRoot(target);
    let file: FileHandle | undefined;
    try {
      const place = `/proc/self/fd/${root.fd}`;
      const bytes = Math.max(0, goal.goalBytes - (await usedBytes(target.pid)));
      const { bavail, bsize } = await statfs(place);
      if (bytes > bavail * bsize) {
        throw new InjectError(
          `cannot fill ${mebibytes(bytes)} MiB: the file system of the container has only ${mebibytes(bavail * bsize)} MiB left, ` +
            'which its whole node shares; ask for less',
        );
      }
      file = await openFile(`${place}/${name}`);
      if (bytes > 0) await takeSpace(file, bytes, goal.blockBytes, signal);
      return new FillFile(root, file, name, bytes);
    } catch (error) {
      await file?.truncate(0).catch(() => {});
      await unlink(`/proc/self/fd/${root.fd}/${name}`).catch(() => {});
      await file?.close();
      await root.close();
      throw error;
    }
  }

  /** Gives the space back and removes the file. Idempotent. */
  async remove(): Promise<void> {
    if (this.#isRemoved) return;
    // The file may be gone already, or the container; what counts is the space.
    await this.#file.truncate(0);
    await unlink(`/proc/self/fd/${this.#root.fd}/${this.#name}`).catch(() => {});
    this.#isRemoved = true;
    await this.#file.close();
    await this.#root.close();
  }
}

/** Held open, it stays that of this container even if the number of its process is given to another. */
async function openRoot(target: LocatedProcess): Promise<FileHandle> {
  const root = await open(`/proc/${target.pid}/root`, 'r').catch((cause: unknown) => {
    throw new ContainerRuntimeError(
      `cannot fill the disk of the target: the files of its process ${target.pid} cannot be opened`,
      { cause },
    );
  });
  if (await isSameProcess(target)) return root;
  await root.close();
  throw new ContainerRuntimeError(
    `cannot fill the disk of the target: its process ${target.pid} has ended, as its container was stopped or restarted; ` +
      'run the experiment again',
  );
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'w', 0o600);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EROFS') throw cause;
    throw new InjectError(
      'cannot fill the file system of the container: it is read-only; choose another container',
      {
        cause,
      },
    );
  }
}

async function takeSpace(
  file: FileHandle,
  bytes: number,
  blockBytes: number,
  signal: AbortSignal,
): Promise<void> {
  if (findProgram('fallocate') !== undefined) {
    const words = ['fallocate', '-l', String(bytes), '/proc/self/fd/3'];
    const { exitCode } = await runCommand(words, { descriptors: [file.fd], accept: [0, 1], signal });
    if (exitCode === 0) return;
  }
  // Random, so that a file system that packs has to take the space as well.
  const block = randomFillSync(Buffer.allocUnsafe(Math.min(blockBytes, bytes)));
  for (let at = 0; at < bytes; at += block.length) {
    signal.throwIfAborted();
    await file.write(block, 0, Math.min(block.length, bytes - at), at);
  }
  await file.datasync();
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / 1024 ** 2);
}
