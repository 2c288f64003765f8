import { copyFile, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A file of a spool, as far as it is used. */
export interface SpoolFile {
  size(): Promise<number>;
  /** Fewer bytes at the end of the file. */
  read(position: number, length: number): Promise<Buffer>;
  write(bytes: Buffer, position: number): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Resolves when what was written is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The folder of a spool's files. An interface, so that tests can give one that fails between two steps. */
export interface SpoolFolder {
  /** Opens a file for reading and writing, and makes it where it is not there. */
  open(name: string): Promise<SpoolFile>;
  rename(from: string, to: string): Promise<void>;
  copy(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Resolves when the names of its files are on the disk. */
  sync(): Promise<void>;
}

/** A folder of the machine, made where it is not there. */
export async function openFolder(path: string): Promise<SpoolFolder> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return {
    open: async (name) => spoolFile(await openOrMake(join(path, name))),
    rename: (from, to) => rename(join(path, from), join(path, to)),
    copy: (from, to) => copyFile(join(path, from), join(path, to)),
    remove: (name) => rm(join(path, name), { force: true }),
    sync: async () => {
      const folder = await open(path, 'r');
      await folder.sync().finally(() => folder.close());
    },
  };
}

async function openOrMake(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    return open(path, 'w+', 0o600);
  }
}

function spoolFile(handle: FileHandle): SpoolFile {
  return {
    size: async () => (await handle.stat()).size,
    read: async (position, length) => {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
      return buffer.subarray(0, bytesRead);
    },
    write: async (bytes, position) => {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
        done += bytesWritten;
      }
    },
    truncate: (length) => handle.truncate(length),
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}
