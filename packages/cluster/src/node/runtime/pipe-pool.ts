import { execFile } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** A pipe: bytes that are written into the descriptor can be read from the stream. */
interface Pipe {
  readonly output: Readable;
  /** To be given to a process, then closed here. */
  readonly input: number;
}

const BATCH = 32;
const LOW = 8;

/**
 * Real pipes for the output of containers.
 *
 * Node connects children by sockets, which a program cannot open again through `/dev/stdout`, as many a script does.
 * Named pipes can be; Node cannot make them, so `mkfifo` makes a few ahead of their use, and each loses its name once
 * both ends are open.
 */
export class PipePool {
  readonly #directory: string;
  readonly #free: string[] = [];
  #made = 0;
  #filling: Promise<void> | undefined;
  #closed = false;

  /** @param directory made when missing */
  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#fill();
  }

  /** Resolves when the pipes asked for so far are there. */
  async ready(): Promise<void> {
    await this.#filling;
  }

  /** A pipe, or undefined when none is left or the machine has none. */
  take(): Pipe | undefined {
    if (this.#free.length <= LOW) this.#fill();
    const path = this.#free.pop();
    if (path === undefined) return undefined;
    let reading: number | undefined;
    try {
      // Without waiting for a writer, which comes next.
      reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const input = openSync(path, constants.O_WRONLY);
      const output = new Socket({ fd: reading, readable: true, writable: false });
      return { output, input };
    } catch {
      if (reading !== undefined) closeSync(reading);
      return undefined;
    } finally {
      rmSync(path, { force: true });
    }
  }

  /** Makes no more. */
  close(): void {
    this.#closed = true;
    this.#free.length = 0;
  }

  #fill(): void {
    if (this.#filling !== undefined || this.#closed) return;
    const paths = Array.from({ length: BATCH }, () => join(this.#directory, String(this.#made++)));
    this.#filling = new Promise((resolve) => {
      execFile('mkfifo', ['-m', '600', ...paths], (error) => {
        this.#filling = undefined;
        // Without mkfifo, containers get sockets: they run, but cannot open /dev/stdout.
        if (error !== null) this.#closed = true;
        else if (!this.#closed) this.#free.push(...paths);
        resolve();
      });
    });
  }
}
