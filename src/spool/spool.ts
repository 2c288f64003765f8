import { messageOf } from '@turnsole/kube/text/error-message';
import { Finished } from './finished.ts';
import type { SpoolFile, SpoolFolder } from './folder.ts';
import { MAGIC, readRecords } from './read-file.ts';
import { decodeRecord, encodeRecord, HEADER_BYTES, type RecordKind, type SpoolRecord } from './record.ts';
import { type SpoolEntry, Waiting } from './waiting.ts';

const FILE = 'spool';
/** A rewrite under way. */
const NEXT_FILE = 'spool.next';
/** What could not be read, kept for people. */
const DAMAGED_FILE = 'spool.damaged';
/** The file is written anew when it holds this much that is not needed any more, and no less than what is needed. */
const MIN_WASTE_BYTES = 1024 * 1024;
/** So many keys that are over are remembered; a record of each stands in the file. */
const MAX_FINISHED = 10_000;
const NO_BODY = Buffer.alloc(0);

/** What a spool needs. */
export interface SpoolOptions {
  readonly folder: SpoolFolder;
  /** Limit of the waiting entries. The file may be twice as large, and a megabyte more. */
  readonly limitBytes: number;
  /** Called for entries that were dropped for newer ones, and for a file that could not be read to its end. */
  readonly onLoss?: (loss: SpoolLoss) => void;
}

/** Something that will not be handed over. */
export type SpoolLoss =
  | { readonly type: 'dropped'; readonly key: string }
  | { readonly type: 'damaged'; readonly keptAs: string };

/** Whether the entry was stored: `full` when only final entries are left and it does not fit beside them. */
type AppendOutcome = 'stored' | 'full';

interface Write {
  readonly kind: RecordKind;
  readonly sequence: number;
  readonly key: string;
  readonly bytes: Buffer;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * A queue on the disk: a stored entry is handed over at least once, also when the process is killed at any point.
 *
 * - `append` resolves when the record is on the disk. A newer record of a key replaces the one that still waits, unless that is final.
 * - Entries are handed over in the order of their keys' first records that wait; of one key in the order of their storing.
 * - Bounded: when it is full, the oldest entries that are not final are dropped (`onLoss`); when only final ones are left, `append`
 *   returns `full`, and stores nothing.
 * - Opening cuts a record that its writer did not finish; a file that is damaged otherwise is read up to there and set aside.
 *
 * One process at a time may have a folder open.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #waiting = new Waiting();
  readonly #finished = new Finished(MAX_FINISHED);
  #file: SpoolFile;
  /** Bytes of whole records: what stands behind them was not finished. */
  #goodBytes = MAGIC.length;
  /** Bytes of records that remember keys, as of the last time the file was written anew. */
  #overBytes = 0;
  #sequence = 0;
  #queue: Write[] = [];
  /** Bytes of records that are queued. */
  #queuedBytes = 0;
  #working: Promise<void> | undefined;
  #isClosed = false;
  readonly #listeners = new Set<() => void>();

  private constructor(file: SpoolFile, options: SpoolOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** Opens the spool of a folder, with what waits in it. */
  static async open(options: SpoolOptions): Promise<Spool> {
    const { folder } = options;
    await folder.remove(NEXT_FILE);
    const spool = new Spool(await folder.open(FILE), options);
    await spool.#recover();
    return spool;
  }

  /** Bytes that may wait. */
  get limitBytes(): number {
    return this.#options.limitBytes;
  }

  /** Bytes of what waits. */
  get bytes(): number {
    return this.#waiting.bytes;
  }

  /** Entries that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Whether the last of a key waits, or has been handed over, and nothing has come of the key since; of the latest 10,000 keys. */
  hasFinal(key: string): boolean {
    return this.#waiting.hasFinal(key) || this.#finished.has(key);
  }

  /** What waits, in the order of handing over. */
  entries(): Iterable<SpoolEntry> {
    return this.#waiting.entries();
  }

  /** Calls back after something was stored or is done; the returned function ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Stores a record; resolves when it is on the disk.
   * @throws Error of the file system; nothing is stored then. RecordTooLargeError
   */
  async append(key: string, body: Buffer, isFinal: boolean): Promise<AppendOutcome> {
    const kind = isFinal ? 'final' : 'put';
    const bytes = encodeRecord({ kind, sequence: ++this.#sequence, key, body });
    const replaced = this.#waiting.replacedBy(key)?.bytes ?? 0;
    const missing =
      this.#waiting.bytes + this.#queuedBytes - replaced + bytes.length - this.#options.limitBytes;
    if (missing > 0 && !this.#drop(missing, key)) return 'full';
    this.#queuedBytes += bytes.length;
    await this.#write({ kind, sequence: this.#sequence, key, bytes }).finally(() => {
      this.#queuedBytes -= bytes.length;
    });
    return 'stored';
  }

  /** The body of an entry; undefined when it waits no more. While it is read and handed over it is not replaced. */
  async take(entry: SpoolEntry): Promise<Buffer | undefined> {
    const current = this.#waiting.current(entry);
    if (current === undefined) return undefined;
    this.#waiting.take(current);
    const frame = await this.#file.read(current.position, current.bytes);
    const record = decodeRecord(frame.subarray(0, HEADER_BYTES), frame.subarray(HEADER_BYTES));
    if (record !== undefined && record.sequence === current.sequence) return record.body;
    // It was whole when it was written or opened: the disk has changed it since, and no further read will help.
    this.done(current);
    this.#options.onLoss?.({ type: 'dropped', key: current.key });
    return undefined;
  }

  /** A taken entry waits again, or the newer one of its key that has come meanwhile. */
  release(entry: SpoolEntry): void {
    this.#waiting.release(entry);
  }

  /** It was handed over, and waits no more. That is on the disk with one of the next records: until then it may come a second time. */
  done(entry: SpoolEntry): void {
    const { sequence, key } = entry;
    const isLast = entry.isFinal && this.#waiting.hasFinal(key);
    if (this.#waiting.remove(sequence) === undefined) return;
    if (isLast) this.#finished.add(key);
    this.#forget(sequence, isLast ? key : undefined);
    this.#notifyListeners();
  }

  /** Resolves when everything that was asked for is written. Nothing may be asked for afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
    await this.#file.sync().catch(() => {});
    await this.#file.close();
  }

  /** Makes room by entries that are not final. @param key its own entry is replaced anyway */
  #drop(bytes: number, key: string): boolean {
    const entries = this.#waiting.toDrop(bytes, key);
    if (entries.reduce((sum, entry) => sum + entry.bytes, 0) < bytes) return false;
    for (const { sequence, key: dropped } of entries) {
      this.#waiting.remove(sequence);
      this.#forget(sequence);
      this.#options.onLoss?.({ type: 'dropped', key: dropped });
    }
    return true;
  }

  /** @param over the key, where that was its last */
  #forget(sequence: number, over?: string): void {
    const kind = over === undefined ? 'done' : 'over';
    const key = over ?? '';
    const bytes = encodeRecord({ kind, sequence, key, body: NO_BODY });
    // If it cannot be written, the entry is handed over a second time, which its receiver bears.
    this.#write({ kind, sequence, key, bytes }).catch(() => {});
  }

  #write(write: Omit<Write, 'done'>): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('the spool is closed'));
    const done = Promise.withResolvers<void>();
    this.#queue.push({ ...write, done });
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
    return done.promise;
  }

  /** Writes the queue, all of it with one sync, until it is empty. */
  async #work(): Promise<void> {
    // Appends of the same turn become one write.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        await this.#writeBatch(batch);
        for (const { done } of batch) done.resolve();
        this.#notifyListeners();
        await this.#compactIfDue();
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
  }

  async #writeBatch(batch: readonly Write[]): Promise<void> {
    const start = this.#goodBytes;
    try {
      await this.#file.write(Buffer.concat(batch.map(({ bytes }) => bytes)), start);
      if (batch.some(({ kind }) => isEntry(kind))) await this.#file.sync();
    } catch (cause) {
      // The next batch is written over it; until then it must not look like records.
      await this.#file.truncate(start).catch(() => {});
      throw new Error(`cannot write the spool: ${messageOf(cause)}`, { cause });
    }
    let at = start;
    for (const { kind, sequence, key, bytes } of batch) {
      if (isEntry(kind)) this.#add({ kind, sequence, key, body: NO_BODY }, at, bytes.length);
      at += bytes.length;
    }
    this.#goodBytes = at;
  }

  async #recover(): Promise<void> {
    const { goodBytes, end } = await readRecords(this.#file, (record, position, length) => {
      this.#sequence = Math.max(this.#sequence, record.sequence);
      if (isEntry(record.kind)) return this.#add(record, position, length);
      this.#waiting.remove(record.sequence);
      if (record.kind === 'over') this.#finished.add(record.key);
    });
    this.#goodBytes = goodBytes;
    if (end === 'damaged') return this.#setAside();
    if (goodBytes === 0) {
      await this.#file.truncate(0);
      await this.#file.write(MAGIC, 0);
      this.#goodBytes = MAGIC.length;
    } else if (end === 'torn') {
      await this.#file.truncate(goodBytes);
    }
    await this.#file.sync();
    await this.#options.folder.sync();
  }

  #add(record: SpoolRecord, position: number, length: number): void {
    this.#waiting.add(record, position, length);
    this.#finished.delete(record.key);
  }

  /** Keeps the damaged file, and what could be read of it in a new one. */
  async #setAside(): Promise<void> {
    const { folder, onLoss } = this.#options;
    await folder.copy(FILE, DAMAGED_FILE);
    await this.#replaceFile();
    onLoss?.({ type: 'damaged', keptAs: DAMAGED_FILE });
  }

  async #compactIfDue(): Promise<void> {
    const waste = this.#goodBytes - MAGIC.length - this.#waiting.bytes - this.#overBytes;
    if (waste < MIN_WASTE_BYTES || waste < this.#waiting.bytes) return;
    // If it fails, the old file is whole and stays in use; the next batch tries again.
    await this.#replaceFile().catch(() => {});
  }

  /** Puts a file with what waits in the place of the present one. A death before the renaming leaves the old one, one after it the new one. */
  async #replaceFile(): Promise<void> {
    const { folder } = this.#options;
    const old = this.#file;
    const file = await folder.open(NEXT_FILE);
    try {
      const { moves, end } = await this.#copyTo(file);
      await folder.rename(NEXT_FILE, FILE);
      // From here on the name means the new file: whatever happens, nothing may go to the old one.
      this.#file = file;
      this.#goodBytes = end;
      for (const [entry, position] of moves) this.#waiting.moved(entry, position);
    } finally {
      await (this.#file === file ? old : file).close();
    }
    await folder.sync();
  }

  /** Writes what waits, one record in memory at a time. */
  async #copyTo(
    file: SpoolFile,
  ): Promise<{ readonly moves: readonly (readonly [SpoolEntry, number])[]; readonly end: number }> {
    await file.truncate(0);
    await file.write(MAGIC, 0);
    const moves: [SpoolEntry, number][] = [];
    let end = MAGIC.length;
    const over = [...this.#finished.keys()].map((key) =>
      encodeRecord({ kind: 'over', sequence: 0, key, body: NO_BODY }),
    );
    await file.write(Buffer.concat(over), end);
    end += over.reduce((sum, { length }) => sum + length, 0);
    this.#overBytes = end - MAGIC.length;
    for (const entry of [...this.#waiting.entries()]) {
      const frame = await this.#file.read(entry.position, entry.bytes);
      await file.write(frame, end);
      moves.push([entry, end]);
      end += frame.length;
    }
    await file.sync();
    return { moves, end };
  }

  #notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Whether a record is something to be handed over. */
function isEntry(kind: RecordKind): kind is 'put' | 'final' {
  return kind === 'put' || kind === 'final';
}
