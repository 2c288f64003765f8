import { chmod, type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { CENTRAL, END, LOCAL } from './zip-format.ts';

const inflate = promisify(inflateRaw);

/** The head of an entry without its name. */
const LOCAL_BYTES = 30;
/** Per entry, which is held in memory as a whole. */
const MOST_OF_ENTRY = 1024 ** 3;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly checksum: number;
  readonly packed: number;
  readonly size: number;
  readonly mode: number;
  readonly offset: number;
}

/**
 * Unpacks a zip into a folder.
 *
 * @throws Error for a file that is no zip, an entry that leads out of the folder, or one that is encrypted or torn
 */
export async function unzip(file: string, folder: string): Promise<void> {
  const handle = await open(file);
  try {
    for (const entry of await directoryOf(handle)) {
      const target = join(folder, checkedName(entry.name));
      if (entry.name.endsWith('/')) {
        await mkdir(target, { recursive: true });
        continue;
      }
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, await contentOf(handle, entry));
      if (entry.mode !== 0) await chmod(target, entry.mode);
    }
  } finally {
    await handle.close();
  }
}

function checkedName(name: string): string {
  if (name.split('/').includes('..') || posix.isAbsolute(name))
    throw new Error(`the entry ${name} of a zip leads out of its folder`);
  if (name === '' || name.includes('\0'))
    throw new Error(`an entry of the zip has the name ${JSON.stringify(name)}`);
  return name;
}

async function directoryOf(handle: FileHandle): Promise<Entry[]> {
  const { size } = await handle.stat();
  // The last record may have a comment of up to 64 KiB behind it.
  const tail = await read(handle, Math.max(0, size - 65_557), Math.min(size, 65_557));
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(END);
  const end = tail.lastIndexOf(mark);
  if (end < 0) throw new Error('it is no zip');
  const bytes = await read(handle, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
  const entries: Entry[] = [];
  for (let at = 0; at + 46 <= bytes.length; ) {
    if (bytes.readUInt32LE(at) !== CENTRAL) throw new Error('the directory of the zip is torn');
    if ((bytes.readUInt16LE(at + 8) & 1) === 1) throw new Error('it is an encrypted zip');
    const nameBytes = bytes.readUInt16LE(at + 28);
    if (at + 46 + nameBytes > bytes.length) throw new Error('the directory of the zip is torn');
    entries.push({
      name: bytes.toString('utf8', at + 46, at + 46 + nameBytes),
      method: bytes.readUInt16LE(at + 10),
      checksum: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      mode: (bytes.readUInt32LE(at + 38) >>> 16) & 0o777,
      offset: bytes.readUInt32LE(at + 42),
    });
    at += 46 + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  refuseShared(entries);
  return entries;
}

/** Entries that are the same bytes make petabytes of a small file. */
function refuseShared(entries: readonly Entry[]): void {
  const inOrder = entries.toSorted((a, b) => a.offset - b.offset);
  for (const [index, { name, offset, packed }] of inOrder.entries()) {
    const next = inOrder[index + 1];
    if (next !== undefined && next.offset < offset + LOCAL_BYTES + packed)
      throw new Error(`the entries ${name} and ${next.name} of the zip are the same bytes`);
  }
}

async function contentOf(handle: FileHandle, entry: Entry): Promise<Buffer> {
  const { name, method, offset, packed, size, checksum } = entry;
  if (size > MOST_OF_ENTRY) throw new Error(`the entry ${name} has ${size} bytes; 1 GiB is the most`);
  const head = await read(handle, offset, LOCAL_BYTES);
  if (head.readUInt32LE(0) !== LOCAL) throw new Error(`the entry ${name} of the zip is torn`);
  const start = offset + LOCAL_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28);
  const bytes = await read(handle, start, packed);
  if (method !== 0 && method !== 8) throw new Error(`the entry ${name} is packed by method ${method}`);
  const content =
    method === 0
      ? bytes
      : await inflate(bytes, { maxOutputLength: Math.max(size, 1) }).catch((cause: unknown) => {
          throw new Error(`the entry ${name} of the zip is torn, or larger than it says`, { cause });
        });
  if (content.length !== size || crc32(content) !== checksum)
    throw new Error(`the entry ${name} of the zip is torn`);
  return content;
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  // Sizes are the zip's word: memory is taken for what the file has.
  if (position + length > (await handle.stat()).size) throw new Error('the zip is torn');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new Error('the zip is torn');
  return buffer;
}
