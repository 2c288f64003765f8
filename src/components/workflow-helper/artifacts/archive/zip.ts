import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import { CENTRAL, END, LOCAL, MOST_BYTES, MOST_ENTRIES } from './zip-format.ts';

const deflate = promisify(deflateRaw);

const DEFLATED = 8;
/** Names are UTF-8. */
const FLAGS = 0x0800;
/** Unix, so that the upper half of the attributes is the mode. */
const MADE_BY = (3 << 8) | 20;
/** 1980-01-01: the same folder gives the same archive. */
const DATE = 0x21;

/**
 * Writes a zip of everything in a folder.
 *
 * @throws Error for more than the format takes without its 64-bit form
 */
export async function zip(folder: string, file: string): Promise<void> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .toSorted();
  if (files.length > MOST_ENTRIES)
    throw new Error(`a zip takes ${MOST_ENTRIES} files, not ${files.length}: use tar`);
  const out = await open(file, 'w');
  try {
    const entries: Buffer[] = [];
    let offset = 0;
    for (const path of files) {
      const { local, central } = await entryOf(path, relative(folder, path), offset);
      for (const part of local) offset += (await out.write(part)).bytesWritten;
      if (offset > MOST_BYTES) throw new Error(`a zip takes ${MOST_BYTES} bytes: use tar`);
      entries.push(central);
    }
    const directory = Buffer.concat(entries);
    await out.write(Buffer.concat([directory, endRecord(files.length, directory.length, offset)]));
  } finally {
    await out.close();
  }
}

async function entryOf(
  path: string,
  name: string,
  offset: number,
): Promise<{ local: Buffer[]; central: Buffer }> {
  const { mode, size } = await stat(path);
  if (size > MOST_BYTES) throw new Error(`${name} has ${size} bytes, and a zip takes ${MOST_BYTES}: use tar`);
  const content = await readFile(path);
  const packed = await deflate(content);
  const text = Buffer.from(name);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(FLAGS, 2);
  common.writeUInt16LE(DEFLATED, 4);
  common.writeUInt16LE(DATE, 8);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(text.length, 22);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE((mode << 16) >>> 0, 6);
  rest.writeUInt32LE(offset, 10);
  const madeBy = Buffer.alloc(2);
  madeBy.writeUInt16LE(MADE_BY, 0);
  return {
    local: [signature(LOCAL), common, text, packed],
    central: Buffer.concat([signature(CENTRAL), madeBy, common, rest, text]),
  };
}

function endRecord(count: number, bytes: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(bytes, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value, 0);
  return bytes;
}
