/** Unpacked layers. A folder that the index has is whole: it was written elsewhere, and got its name and its row at once. */
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { readOrEmpty } from '@turnsole/kube/base/machine';
import { UNPACK_LIMITS, type UnpackLimits } from '../unpack/limits.ts';
import { runProgram } from '../unpack/run-program.ts';
import { Unpacker } from '../unpack/unpacker.ts';
import type { Blobs } from './blobs.ts';
import type { StoreDatabase } from './database.ts';
import type { Holds } from './holds.ts';
import type { ImageLayer } from './images.ts';
import type { Trash } from './trash.ts';

interface TreesOptions {
  readonly directory: string;
  readonly database: StoreDatabase;
  readonly holds: Holds;
  readonly blobs: Blobs;
  readonly trash: Trash;
  /** The name of this object among all that use the store. */
  readonly owner: () => string;
  readonly enter: readonly string[];
  readonly limits?: UnpackLimits | undefined;
}

interface UnpackOptions {
  /** The image in messages. */
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
  /** Bytes of the layers' blobs that were unpacked, and how many layers are done. */
  readonly onProgress?: ((doneBytes: number, doneLayers: number) => void) | undefined;
  /** Waits until a layer's blob is there. @default it is */
  readonly whenThere?: ((layer: ImageLayer) => Promise<void>) | undefined;
}

interface Tree {
  readonly folder: string;
  readonly notes: readonly string[];
}

export class Trees {
  readonly #options: TreesOptions;
  /** Of this start of the machine: what was not known to be on the disk when it began is not trusted. */
  readonly #boot = readOrEmpty('/proc/sys/kernel/random/boot_id').trim();
  #ids: Promise<string> | undefined;

  constructor(options: TreesOptions) {
    this.#options = options;
  }

  /** The folders of layers, the lowest first, each unpacked on top of those before it if it is not yet. */
  async unpack(layers: readonly ImageLayer[], options: UnpackOptions): Promise<Tree[]> {
    const { enter } = this.#options;
    this.#ids ??= idsOf(enter);
    const ids = await this.#ids;
    const trees: Tree[] = [];
    await using unpacker = new Unpacker(enter);
    let done = 0;
    for (const layer of layers) {
      const before = done;
      const lowers = trees.map(({ folder }) => folder);
      const onRead = (bytes: number): void => options.onProgress?.(before + bytes, trees.length);
      trees.push(await this.#one(ids, layer, lowers, unpacker, { ...options, onRead }));
      done += layer.blob.size;
      options.onProgress?.(done, trees.length);
    }
    return trees;
  }

  /** Whether all layers are unpacked. To be called within a transaction. */
  async areThere(layers: readonly ImageLayer[]): Promise<boolean> {
    this.#ids ??= idsOf(this.#options.enter);
    const ids = await this.#ids;
    return layers.every(({ chainId }) => this.#find(ids, chainId) !== undefined);
  }

  async #one(
    ids: string,
    layer: ImageLayer,
    lowers: readonly string[],
    unpacker: Unpacker,
    options: UnpackOptions & { readonly onRead: (bytes: number) => void },
  ): Promise<Tree> {
    const { holds, database } = this.#options;
    const { chainId } = layer;
    const there = this.#find(ids, chainId);
    if (there !== undefined) return there;
    return await holds.alone(`tree ${ids} ${chainId}`, options.signal, async () => {
      // Another process may have been faster.
      const now = database.write(() => this.#find(ids, chainId));
      if (now !== undefined) return now;
      await options.whenThere?.(layer);
      return await this.#make(ids, layer, lowers, unpacker, options);
    });
  }

  async #make(
    ids: string,
    { blob, diffId, chainId }: ImageLayer,
    lowers: readonly string[],
    unpacker: Unpacker,
    { name, signal, onRead }: UnpackOptions & { readonly onRead: (bytes: number) => void },
  ): Promise<Tree> {
    const { directory, database, blobs, trash, owner, limits = UNPACK_LIMITS } = this.#options;
    // In a folder that it does not make: a process that unpacks for one that was killed fails there, once that has been taken away.
    const place = join(directory, 'ingest', `unpack-${database.write(owner)}-${randomUUID()}`);
    const root = join(place, 'root');
    mkdirSync(place, { mode: 0o700 });
    const whiteouts = join(directory, 'layers', ids);
    mkdirSync(whiteouts, { recursive: true, mode: 0o700 });
    const label = `layer ${blob.digest} of ${name}`;
    try {
      const order = { blob: blobs.path(blob.digest), diffId, root, lowers, whiteouts, limits };
      const { bytes, notes } = await unpacker.unpack(order, { label, signal, onRead });
      const folder = this.#folder(ids, chainId);
      database.write(() => {
        // Left by a process that was killed between the two steps of this one, or not to be trusted.
        if (existsSync(folder)) trash.take(folder);
        renameSync(root, folder);
        database.run(
          'INSERT OR REPLACE INTO tree VALUES (?, ?, ?, ?, ?)',
          ...[ids, chainId, bytes, JSON.stringify(notes), this.#boot],
        );
      });
      rmdirSync(place);
      this.#writeDown(ids, chainId);
      return { folder, notes };
    } catch (error) {
      await unpacker[Symbol.asyncDispose]();
      trash.take(place);
      // A full disk has room again at once.
      await trash.empty();
      throw error;
    }
  }

  #find(ids: string, chainId: string): Tree | undefined {
    const row = this.#options.database.get(
      'SELECT notes, boot FROM tree WHERE ids = ? AND chain = ?',
      ids,
      chainId,
    );
    if (row === undefined || (row['boot'] !== null && row['boot'] !== this.#boot)) return undefined;
    const folder = this.#folder(ids, chainId);
    return existsSync(folder) ? { folder, notes: JSON.parse(String(row['notes'])) as string[] } : undefined;
  }

  /** Has the kernel write it to the disk, while all else goes on; until that is done, it counts only as long as the machine runs. */
  #writeDown(ids: string, chainId: string): void {
    const { database } = this.#options;
    const child = execFile('sync', ['-f', this.#folder(ids, chainId)], (error) => {
      if (error !== null || !database.isOpen) return;
      database.write(() =>
        database.run('UPDATE tree SET boot = NULL WHERE ids = ? AND chain = ?', ids, chainId),
      );
    });
    child.unref();
  }

  #folder(ids: string, chainId: string): string {
    return join(this.#options.directory, 'layers', ids, chainId.slice(chainId.indexOf(':') + 1));
  }
}

/** Names of folders that are unpacked into, with the process that does so. */
const UNPACK = /^unpack-([\da-f-]{36})-/;

/** Who unpacks into a folder of `ingest`; undefined for what is none. */
export function ownerOfUnpack(name: string): string | undefined {
  return UNPACK.exec(name)?.[1];
}

/**
 * Names the map of user ids that files are written in: with the same one they look the same on the disk. Root's is `root`; a user with no ids but
 * his own is the same inside and outside of a namespace.
 *
 * @param enter as in the options of the store
 */
async function idsOf(enter: readonly string[]): Promise<string> {
  const files = ['/proc/self/uid_map', '/proc/self/gid_map'];
  const [program] = enter;
  const text =
    program === undefined
      ? files.map((file) => readOwn(file)).join('')
      : (await runProgram([...enter, 'cat', ...files])).output;
  return mapName(text, program === undefined ? (process.geteuid?.() ?? 0) : 0);
}

/**
 * The name of a map; pure.
 *
 * @param text of uid_map and gid_map (user_namespaces(7)): lines of first id inside, first id outside, count
 * @param uid of the process, inside
 */
export function mapName(text: string, uid: number): string {
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.trim().split(/\s+/).map(Number));
  const isWhole = lines.every(
    ([inside, outside, count = 0]) => inside === 0 && outside === 0 && count >= 2 ** 32 - 1,
  );
  if (isWhole) return uid === 0 ? 'root' : `user-${uid}`;
  const [own] = lines;
  const isOne = lines.every(([, , count]) => count === 1);
  if (isOne && own !== undefined) return `user-${own[1] ?? 0}`;
  return `ids-${createHash('sha256').update(JSON.stringify(lines)).digest('hex').slice(0, 16)}`;
}

function readOwn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
