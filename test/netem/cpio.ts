/** One file of an archive. */
export interface ArchiveEntry {
  /** Without a leading slash. */
  readonly path: string;
  readonly mode: number;
  readonly data?: Buffer;
}

export const FOLDER = 0o040755;
export const PROGRAM = 0o100755;
export const LINK = 0o120777;

/** A `cpio` archive in the format the kernel unpacks as its first file system (newc; Documentation/driver-api/early-userspace). */
export function cpioArchive(entries: readonly ArchiveEntry[]): Buffer[] {
  const chunks: Buffer[] = [];
  const add = ({ path, mode, data = Buffer.alloc(0) }: ArchiveEntry, inode: number): void => {
    const name = Buffer.from(`${path}\0`);
    const fields = [inode, mode, 0, 0, 1, 0, data.length, 0, 0, 0, 0, name.length, 0];
    const head = Buffer.from(`070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`);
    chunks.push(head, name, padding(head.length + name.length), data, padding(data.length));
  };
  for (const [index, entry] of entries.entries()) add(entry, index + 1);
  add({ path: 'TRAILER!!!', mode: 0 }, 0);
  return chunks;
}

function padding(length: number): Buffer {
  return Buffer.alloc((4 - (length % 4)) % 4);
}
