import type { SpoolFile, SpoolFolder } from './folder.ts';

/** A folder in the memory of this process, for one that has no disk to write to. What is in it ends with the process. */
export function memoryFolder(): SpoolFolder {
  const files = new Map<string, MemoryFile>();
  const take = (name: string): MemoryFile => {
    const file = files.get(name);
    if (file === undefined) throw new Error(`there is no file ${name}`);
    return file;
  };
  return {
    open: async (name) => {
      const file = files.get(name) ?? new MemoryFile();
      files.set(name, file);
      return file;
    },
    rename: async (from, to) => {
      files.set(to, take(from));
      files.delete(from);
    },
    copy: async (from, to) => {
      const copy = new MemoryFile();
      await copy.write(take(from).bytes, 0);
      files.set(to, copy);
    },
    remove: async (name) => void files.delete(name),
    sync: async () => {},
  };
}

class MemoryFile implements SpoolFile {
  #room = Buffer.alloc(0);
  #size = 0;

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#size);
  }

  async size(): Promise<number> {
    return this.#size;
  }

  async read(position: number, length: number): Promise<Buffer> {
    // A copy, as of a disk: what is written later does not change it.
    return Buffer.from(this.bytes.subarray(position, position + length));
  }

  async write(bytes: Buffer, position: number): Promise<void> {
    const end = position + bytes.length;
    if (end > this.#room.length) {
      const room = Buffer.alloc(Math.max(end, 2 * this.#room.length));
      this.bytes.copy(room);
      this.#room = room;
    }
    bytes.copy(this.#room, position);
    this.#size = Math.max(this.#size, end);
  }

  async truncate(length: number): Promise<void> {
    this.#room = Buffer.from(this.bytes.subarray(0, length));
    this.#size = this.#room.length;
  }

  async sync(): Promise<void> {}

  async close(): Promise<void> {}
}
