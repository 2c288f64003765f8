import { closeSync, fstatSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '@turnsole/kube/base/clock';
import type { OutputSink } from '../runtime/types.ts';
import { decodeLine, formatLogTime, LineEncoder, type LogLine } from './format.ts';

/** Bounds of one container's log. */
export interface LogLimits {
  /** A file that has grown beyond this is rotated. @default 10 MiB (kubelet's containerLogMaxSize) */
  readonly maxFileBytes: number;
  /** Files kept, the current one included. @default 5 (kubelet's containerLogMaxFiles) */
  readonly maxFiles: number;
}

export const DEFAULT_LOG_LIMITS: LogLimits = { maxFileBytes: 10 * 1024 * 1024, maxFiles: 5 };

/** A place in a log between two lines; only {@link ContainerLog} makes and moves it. */
interface LogPosition {
  sequence: number;
  offset: number;
}

const READ_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * The log of one run of one container: written by its output, read by any number of readers, also while it grows.
 *
 * Lines are in files of the CRI format, the newest at `path`, older ones at `path.<n>`. Writing is synchronous: a
 * chunk is one small append, order is that of arrival, and nothing is lost when the process dies. A full disk drops
 * output rather than the container.
 */
export class ContainerLog implements OutputSink {
  readonly path: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #limits: LogLimits;
  readonly #encoders = { stdout: new LineEncoder('stdout'), stderr: new LineEncoder('stderr') };
  /** Oldest first; the last is being written. */
  #files: { readonly path: string; readonly sequence: number }[];
  #descriptor: number;
  #size = 0;
  #lastMs = 0;
  #sequence = 0;
  #ended = false;
  #waiting: (() => void)[] = [];

  /** Opens the log; its folder must exist. */
  constructor(path: string, clock: Pick<Clock, 'now'>, limits: LogLimits = DEFAULT_LOG_LIMITS) {
    this.path = path;
    this.#clock = clock;
    this.#limits = limits;
    this.#files = [{ path: fileOf(path, 0), sequence: 0 }];
    this.#descriptor = openSync(fileOf(path, 0), 'a', 0o600);
  }

  /** Whether the container has written its last byte. */
  get ended(): boolean {
    return this.#ended;
  }

  write(stream: 'stdout' | 'stderr', chunk: Uint8Array): void {
    if (this.#ended) return;
    this.#append(this.#encoders[stream].push(chunk, this.#time));
  }

  end(): void {
    if (this.#ended) return;
    this.#append(this.#encoders.stdout.flush(this.#time));
    this.#append(this.#encoders.stderr.flush(this.#time));
    this.#ended = true;
    closeSync(this.#descriptor);
    this.#wake();
  }

  /** Removes the files; readers end. */
  remove(): void {
    this.end();
    for (const file of this.#files) rmSync(file.path, { force: true });
    this.#files = [];
    this.#wake();
  }

  /** Where reading begins. */
  start(): LogPosition {
    return { sequence: this.#files[0]?.sequence ?? 0, offset: 0 };
  }

  /** Where the last lines begin that take at most so many bytes as stored: reading from there costs no more than these. */
  nearEnd(maxBytes: number): LogPosition {
    let restBytes = maxBytes;
    for (const { path, sequence } of this.#files.toReversed()) {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > restBytes) return { sequence, offset: lineStart(path, size - restBytes) };
      restBytes -= size;
    }
    return this.start();
  }

  /**
   * Gives the lines stored after `position`, oldest first, and moves `position` behind each line it gives. Lines
   * rotated away meanwhile are skipped.
   */
  *present(position: LogPosition): Generator<LogLine, void, void> {
    for (;;) {
      const file = this.#files.find((candidate) => candidate.sequence >= position.sequence);
      if (file === undefined) return;
      if (file.sequence > position.sequence) Object.assign(position, { sequence: file.sequence, offset: 0 });
      for (const { line, end } of readLines(file.path, position.offset)) {
        position.offset = end;
        if (line !== undefined) yield line;
      }
      if (file === this.#files.at(-1)) return;
      Object.assign(position, { sequence: file.sequence + 1, offset: 0 });
    }
  }

  /** Gives lines as they come, until the container has ended; an aborted signal ends it without an error. */
  async *following(position: LogPosition, signal?: AbortSignal): AsyncGenerator<LogLine, void, void> {
    const aborted = (): boolean => signal?.aborted === true;
    while (!aborted()) {
      // Taken before reading: whatever is written after this moment resolves it.
      const grown = this.#ended ? undefined : this.#grown(signal);
      for (const line of this.present(position)) {
        yield line;
        if (aborted()) return;
      }
      if (grown === undefined) return;
      await grown;
    }
  }

  readonly #time = (): string => {
    const now = this.#clock.now();
    this.#sequence = now === this.#lastMs ? this.#sequence + 1 : 0;
    this.#lastMs = now;
    return formatLogTime(now, this.#sequence);
  };

  #append(data: Buffer): void {
    if (data.length === 0) return;
    try {
      if (this.#size > 0 && this.#size + data.length > this.#limits.maxFileBytes) this.#rotate();
      writeSync(this.#descriptor, data);
      this.#size += data.length;
    } catch (error) {
      // A full disk must not end the node agent; what does not fit is lost, like output of a full kubelet.
      if (!isNoSpace(error)) throw error;
    }
    this.#wake();
  }

  #rotate(): void {
    const next = (this.#files.at(-1)?.sequence ?? 0) + 1;
    const path = fileOf(this.path, next);
    const descriptor = openSync(path, 'a', 0o600);
    closeSync(this.#descriptor);
    this.#descriptor = descriptor;
    this.#size = 0;
    this.#files.push({ path, sequence: next });
    while (this.#files.length > this.#limits.maxFiles) {
      const oldest = this.#files.shift();
      if (oldest !== undefined) rmSync(oldest.path, { force: true });
    }
  }

  #grown(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal?.removeEventListener('abort', done);
        resolve();
      };
      signal?.addEventListener('abort', done, { once: true });
      this.#waiting.push(done);
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

function fileOf(path: string, sequence: number): string {
  return sequence === 0 ? path : join(dirname(path), `${basename(path)}.${sequence}`);
}

/** Where the first line begins that begins at `offset` or after it. */
function lineStart(path: string, offset: number): number {
  for (const { end } of readLines(path, offset - 1)) return end;
  return offset;
}

function* readLines(
  path: string,
  from: number,
): Generator<{ line: LogLine | undefined; end: number }, void, void> {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch {
    return; // rotated away or removed meanwhile
  }
  try {
    const size = fstatSync(descriptor).size;
    let offset = from;
    let rest = Buffer.alloc(0);
    for (let read = from; read < size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(READ_BYTES, size - read));
      const count = readSync(descriptor, chunk, 0, chunk.length, read);
      if (count === 0) return;
      read += count;
      const data = Buffer.concat([rest, chunk.subarray(0, count)]);
      let start = 0;
      for (let end = data.indexOf(LINE_FEED); end !== -1; end = data.indexOf(LINE_FEED, start)) {
        offset += end + 1 - start;
        yield { line: decodeLine(data.subarray(start, end)), end: offset };
        start = end + 1;
      }
      rest = data.subarray(start);
    }
  } finally {
    closeSync(descriptor);
  }
}

function isNoSpace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}
